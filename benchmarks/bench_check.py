# SPDX-License-Identifier: Apache-2.0
"""`check` in spans per second, beside the bare decode of the same file.

The file is the bundled captures over and over, each run with ids of its own and some seconds after the one before: real
spans of real size (2.7 kB of JSON on average), all the dialects, healthy runs and ill ones.
"""

from __future__ import annotations

import base64
import json
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from google.protobuf.json_format import ParseDict
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from benchmarks.harness import Row, Subject, Timing, figure, race, ratio
from otel_health.config import load
from otel_health.health import judge
from otel_health.sources.files import read
from otel_health.sources.otlp_wire import WireRequest
from tests.scenarios import scenarios

COPIES = 2
_IDS = ("traceId", "spanId", "parentSpanId")
_TIMES = ("startTimeUnixNano", "endTimeUnixNano")
_BEGIN_NS = 1_750_000_000_000_000_000
_APART_NS = 10_000_000_000


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        as_json, as_proto = Path(folder, "spans.jsonl"), Path(folder, "spans.pb")
        requests = list(copied(COPIES))
        as_json.write_bytes(b"".join(msgspec.json.encode(request) + b"\n" for request in requests))
        as_proto.write_bytes(protobuf(requests))
        spans = sum(1 for _ in read(as_json))
        checked, read_, bare, checked_proto, read_proto, bare_proto = race(
            Subject("check OTLP/JSON", lambda: check(as_json), spans),
            Subject("read OTLP/JSON", lambda: exhaust(read(as_json)), spans),
            Subject("msgspec typed decode", lambda: exhaust(decoded(as_json)), spans),
            Subject("check OTLP/protobuf", lambda: check(as_proto), spans),
            Subject("read OTLP/protobuf", lambda: exhaust(read(as_proto)), spans),
            Subject("protobuf FromString", lambda: TracesData.FromString(as_proto.read_bytes()), spans),
            rounds=5,
        )
    return [
        rate("check OTLP/JSON", checked),
        ratio("check OTLP/JSON / bare msgspec decode", checked, bare),
        ratio("read OTLP/JSON / bare msgspec decode", read_, bare),
        rate("check OTLP/protobuf", checked_proto),
        ratio("check OTLP/protobuf / bare FromString", checked_proto, bare_proto),
        ratio("read OTLP/protobuf / bare FromString", read_proto, bare_proto),
    ]


def check(path: Path) -> None:
    """Do all that `otel-health check` does, but for the printing."""
    judge(read(path), load({}))


def decoded(path: Path) -> Iterator[WireRequest]:
    """Decode each line into the structures that the reader uses, and leave them at that."""
    decoder = msgspec.json.Decoder(WireRequest)
    with path.open("rb") as lines:
        for line in lines:
            yield decoder.decode(line)


def exhaust(items: Iterable[object]) -> None:
    deque(items, maxlen=0)


def rate(title: str, timing: Timing) -> Row:
    return figure(title, 1 / timing.median_s, "spans/s", detail=f"best {1 / timing.best_s:,.0f}".replace(",", " "))


def copied(times: int) -> Iterator[dict[str, Any]]:
    """Yield the requests of all captures, `times` times over."""
    begun_ns = _BEGIN_NS
    for number in range(times):
        for scenario in scenarios():
            requests = [json.loads(line) for line in scenario.raw.splitlines()]
            spans = [span for request in requests for span in spans_of(request)]
            shift_ns = begun_ns - min((int(span[_TIMES[0]]) for span in spans), default=0)
            for span in spans:
                span.update({key: f"{number:08x}{span[key][8:]}" for key in _IDS if span.get(key)})
                span.update({key: str(int(span[key]) + shift_ns) for key in _TIMES})
            yield from requests
            begun_ns += _APART_NS


def protobuf(requests: Iterable[dict[str, Any]]) -> bytes:
    """Write `requests` as one protobuf message. The general parser wants ids in base64, which are changed in place."""
    whole = TracesData()
    for request in requests:
        for span in spans_of(request):
            span.update({key: base64.b64encode(bytes.fromhex(span[key])).decode() for key in _IDS if span.get(key)})
        whole.MergeFrom(ParseDict(request, TracesData()))
    return whole.SerializeToString()


def spans_of(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for group in request["resourceSpans"]:
        for scoped in group["scopeSpans"]:
            yield from scoped["spans"]
