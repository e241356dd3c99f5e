"""Runs the Ray Serve applications of testdata/tools/ray/app.py and sends requests to them.

Prints one JSON object a line: {"session": folder} as soon as Ray runs, {"requests": number} at the end.
"""
import argparse
import asyncio
import json
import random
import time

import aiohttp
import app
import grpc
import ray
from ray import serve
from ray.serve.config import HTTPOptions, gRPCOptions
from ray.serve.generated import serve_pb2, serve_pb2_grpc

SERVICER = "ray.serve.generated.serve_pb2_grpc.add_UserDefinedServiceServicer_to_server"
TRACEPARENT = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "tracestate": "vendor=x y"}


def deploy(http_port, grpc_port):
    serve.start(
        http_options=HTTPOptions(port=http_port),
        grpc_options=gRPCOptions(port=grpc_port, grpc_servicer_functions=[SERVICER]),
    )
    apps = {
        "hello": app.Hello.bind(),
        "chain": app.Upstream.bind(app.Downstream.bind()),
        "stream": app.Streamer.bind(),
        "batch": app.Batcher.bind(),
        "bstream": app.BatchStream.bind(),
        "grpc": app.Grpc.bind(),
    }
    targets = [serve.RunTarget(target=bound, name=name, route_prefix=f"/{name}") for name, bound in apps.items()]
    serve.run_many(targets)


async def send(http_port, rounds):
    base = f"http://127.0.0.1:{http_port}"
    limit = asyncio.Semaphore(16)
    async with aiohttp.ClientSession() as session:

        async def one(path, headers=None):
            async with limit, session.get(base + path, headers=headers or {}) as answer:
                await answer.read()

        work = [one("/hello/fail/3"), one("/nowhere"), one("/hello/parent", TRACEPARENT)]
        for i in range(rounds):
            work += [one(f"/hello/u{i}"), one("/chain"), one("/stream?n=2"), one(f"/bstream?n={1 + i % 4}")]
            work += [one(f"/batch?x={i}"), one(f"/batch?x={i}&post=0.05")]
        random.shuffle(work)
        await asyncio.gather(*work)
        return len(work)


def send_grpc(port):
    with grpc.insecure_channel(f"localhost:{port}") as channel:
        stub = serve_pb2_grpc.UserDefinedServiceStub(channel)
        for name in ("a", "b"):
            message = serve_pb2.UserDefinedMessage(name=name)
            stub.__call__(request=message, metadata=(("application", "grpc"),), timeout=30)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--http-port", type=int, required=True)
    parser.add_argument("--grpc-port", type=int, required=True)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--temp-dir", help="Ray's own default if not given")
    args = parser.parse_args()

    where = {"_temp_dir": args.temp_dir} if args.temp_dir else {}
    # Without "local", Ray would join a cluster that happens to run on this machine.
    ray.init("local", num_cpus=64, include_dashboard=False, log_to_driver=False, logging_level="ERROR", **where)
    print(json.dumps({"session": ray._private.worker._global_node.get_session_dir_path()}), flush=True)
    deploy(args.http_port, args.grpc_port)
    requests = asyncio.run(send(args.http_port, args.rounds))
    send_grpc(args.grpc_port)
    time.sleep(2)  # The last spans end after their responses; serve.shutdown kills replicas without a farewell.
    serve.shutdown()
    ray.shutdown()
    print(json.dumps({"requests": requests + 2}), flush=True)


main()
