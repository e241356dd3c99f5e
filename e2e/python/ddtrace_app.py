"""Makes traces with Datadog's tracer and prints what it made, one JSON object a span.

Where the spans go is the tracer's business: DD_TRACE_AGENT_URL, DD_TRACE_API_VERSION.
"""
import argparse
import json

from ddtrace.trace import tracer


def describe(span):
    """The span as the tracer sends it, under the names of Datadog's trace protocol."""
    return {
        "trace_id": f"{span.trace_id:032x}",
        "span_id": f"{span.span_id:016x}",
        "parent_id": f"{span.parent_id:016x}" if span.parent_id else "",
        "name": span.name,
        "service": span.service,
        "resource": span.resource,
        "type": span.span_type or "",
        "start": span.start_ns,
        "duration": span.duration_ns,
        "error": span.error,
    }


def request(number):
    """One trace: a root, a child with a grandchild, and a second child that fails in every third trace."""
    spans = []
    with tracer.trace("serve.request", service="gateway", resource=f"GET /item/{number}", span_type="web") as root:
        root.set_tag("e2e.text", "zoë 🙂")
        root.set_tag("e2e.number", str(number))
        root.set_metric("e2e.metric", number + 0.5)
        with tracer.trace("model.forward", service="model", resource="forward") as forward:
            forward.set_metric("e2e.tokens", 1000 * number)
            with tracer.trace("cache.lookup", service="model") as lookup:
                lookup.set_tag("e2e.hit", "false")
        try:
            with tracer.trace("db.query", service="store", span_type="sql") as query:
                if number % 3 == 0:
                    raise ValueError("no such item")
        except ValueError:
            pass
        spans += [root, forward, lookup, query]
    return spans


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--traces", type=int, default=50)
    args = parser.parse_args()
    spans = [span for number in range(args.traces) for span in request(number)]
    tracer.flush()
    tracer.shutdown()
    for span in spans:
        print(json.dumps(describe(span)))


main()
