"""An exporter function as Ray Serve's users write it (RAY_SERVE_TRACING_EXPORTER_IMPORT_PATH=otlp_exporter:export).

Spans go to OTEL_EXPORTER_OTLP_ENDPOINT by OTEL_EXPORTER_OTLP_PROTOCOL. The same spans go to a file below
E2E_TRUTH_FOLDER first, so that a test can compare.
"""
import os

from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SimpleSpanProcessor


def exporter():
    if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    return OTLPSpanExporter()


def export():
    truth = open(os.path.join(os.environ["E2E_TRUTH_FOLDER"], f"{os.getpid()}.json"), "a")
    # Ray kills replicas without atexit, so what waits in the batch would be lost: hence the short delay.
    return [
        SimpleSpanProcessor(ConsoleSpanExporter(out=truth)),
        BatchSpanProcessor(exporter(), schedule_delay_millis=200),
    ]
