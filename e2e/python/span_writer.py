"""Writes span files as Ray Serve's processes do, at a bounded rate.

The exporter is Ray's own, ray/serve/_private/tracing_utils.py: default_tracing_exporter: one append-only file a
process, SimpleSpanProcessor, ConsoleSpanExporter. Several providers stand for several processes.
The ids of all finished spans go to --ids, one "trace_id span_id" a line, in the order in which the spans ended.
SIGTERM or --seconds ends the run.
"""
import argparse
import os
import random
import signal
import time

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode


class IdLog(SpanProcessor):
    """Notes the ids of spans that are in their file by now: it stands behind the exporting processor."""

    def __init__(self, out):
        self.out = out

    def on_end(self, span):
        context = span.get_span_context()
        self.out.write(f"{context.trace_id:032x} {context.span_id:016x}\n")


def provider(path, ids):
    made = TracerProvider(resource=Resource.create({"service.name": os.path.basename(path)}))
    made.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=open(path, "a"))))
    made.add_span_processor(IdLog(ids))
    return made


def request(tracer, number, pad):
    """One request: three spans, of which the innermost sometimes fails."""
    with tracer.start_as_current_span("handle_request", kind=SpanKind.SERVER, attributes={"number": number, "pad": pad}) as root:
        root.add_event("accepted", {"queue.length": number % 7, "load": number / 3})
        with tracer.start_as_current_span("prepare", attributes={"ids": [number, number + 1], "text": "zoë \"x\" \\ 🙂\n"}):
            pass
        with tracer.start_as_current_span("forward", kind=SpanKind.CLIENT, attributes={"pad": pad}) as inner:
            if number % 10 == 0:
                inner.record_exception(ValueError("every tenth fails"))
                inner.set_status(Status(StatusCode.ERROR, "every tenth fails"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", required=True)
    parser.add_argument("--ids", required=True)
    parser.add_argument("--files", type=int, default=1)
    parser.add_argument("--spans-per-second", type=float, required=True)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--pad", type=int, default=0, help="characters that each of two spans of a request has in addition")
    args = parser.parse_args()

    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    ids = open(args.ids, "a")
    names = [os.path.join(args.folder, f"replica_app_Writer_{i:08x}_tracing.json") for i in range(args.files)]
    tracers = [provider(name, ids).get_tracer("span_writer") for name in names]
    pad, begin, spans, number = "x" * args.pad, time.monotonic(), 0, 0
    print("writing", flush=True)
    while not stopped and time.monotonic() - begin < args.seconds:
        request(random.choice(tracers), number, pad)
        number, spans = number + 1, spans + 3
        ahead = begin + spans / args.spans_per_second - time.monotonic()
        if ahead > 0:
            time.sleep(ahead)
    ids.close()
    print(f"wrote {spans} spans in {time.monotonic() - begin:.1f} s", flush=True)


main()
