"""Writes what the Python SDK's TraceIdRatioBased decides: python_sdk.py > python_sdk.json

Needs opentelemetry-sdk. The ids are seeded, so that a rerun with the same SDK gives the same bytes.
"""

import json
import random

from opentelemetry.sdk.trace.sampling import Decision, TraceIdRatioBased
from opentelemetry.sdk.version import __version__

RATES = [1e-4, 0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 1 / 3, 0.5, 0.9, 0.999, 1.0]


def trace_ids():
    """Random ids, and those beside each bound, at the last bit and at the last that 56 bits show."""
    draw = random.Random(4)
    for _ in range(300):
        yield draw.getrandbits(128)
    for rate in RATES:
        bound = TraceIdRatioBased.get_bound_for_rate(rate)
        for step in (-257, -256, -1, 0, 1, 255, 256):
            yield draw.getrandbits(64) << 64 | (bound + step) & TraceIdRatioBased.TRACE_ID_LIMIT


def main():
    samplers = [TraceIdRatioBased(rate) for rate in RATES]
    traces = [
        {
            "id": f"{trace_id:032x}",
            "kept": [s.should_sample(None, trace_id, "").decision is Decision.RECORD_AND_SAMPLE for s in samplers],
        }
        for trace_id in trace_ids()
    ]
    bounds = [str(s.bound) for s in samplers]
    head = json.dumps({"sdk": __version__, "rates": RATES, "bounds": bounds})
    lines = ",\n".join(json.dumps(trace) for trace in traces)
    print(f'{head[:-1]}, "traces": [\n{lines}\n]}}')


if __name__ == "__main__":
    main()
