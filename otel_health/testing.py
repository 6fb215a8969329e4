# SPDX-License-Identifier: Apache-2.0
"""The public test kit: a clock that moves when told, spans from thin air, and captures to feed to the real thing.

from otel_health.testing import ManualClock, make_span, otlp_json

run = make_span("invoke_agent bot", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"})
call = make_span("execute_tool search", {"gen_ai.operation.name": "execute_tool"}, parent=run, error="boom")
path.write_bytes(otlp_json(call, run))
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from otel_health.clock import ManualClock
from otel_health.config import load
from otel_health.dialects import interpreter
from otel_health.dialects.span import Resource, Span, SpanEvent, SpanStatus
from otel_health.events.model import HealthEvent
from otel_health.health import judge
from otel_health.monitor.report import Report
from otel_health.sources.assembly import Assembler

__all__ = ["EPOCH_S", "ManualClock", "events_of", "make_span", "otlp_json", "report_of"]

EPOCH_S = 1_750_000_000.0
"""Unix seconds at which made spans begin, and a `ManualClock` with them."""

_NOT_FINITE = {math.inf: "Infinity", -math.inf: "-Infinity"}
_REMOTE_PARENT = 0x300
"""OTLP span flags that say it is known whether the parent is remote, and that it is."""
_ids = itertools.count(1)


def make_span(
    name: str = "",
    attributes: Mapping[str, Any] | None = None,
    *,
    parent: Span | None = None,
    remote_parent: bool = False,
    scope: str = "",
    start_s: float = EPOCH_S,
    duration_ms: float = 100.0,
    error: str | None = None,
    events: Iterable[SpanEvent] = (),
    resource: Resource | None = None,
    trace_id: str = "",
    span_id: str = "",
) -> Span:
    """Make an ended span.

    Args:
        name: The span's name.
        attributes: Its attributes, of any type.
        parent: The span above it, whose trace and resource it shares; without one it is a root with a trace of its own.
        remote_parent: Whether the parent belongs to another process.
        scope: Name of the instrumentation scope.
        start_s: Unix seconds at which it began.
        duration_ms: Milliseconds until it ended.
        error: When given, the status is ERROR with this message; otherwise it is unset.
        events: Its span events, such as `SpanEvent("exception", {...})`.
        resource: Who emitted it.
        trace_id: 32 hex digits; chosen when "".
        span_id: 16 hex digits, unique within the process; chosen when "".
    """
    number = next(_ids)
    return Span(
        trace_id=trace_id or (parent.trace_id if parent else f"{number:032x}"),
        span_id=span_id or f"{number:016x}",
        parent_id=parent.span_id if parent else "",
        remote_parent=remote_parent,
        name=name,
        scope=scope,
        start_ns=round(start_s * 1e9),
        end_ns=round(start_s * 1e9 + duration_ms * 1e6),
        status=SpanStatus.UNSET if error is None else SpanStatus.ERROR,
        status_message=error or "",
        attributes=attributes or {},
        events=tuple(events),
        resource=resource or (parent.resource if parent else Resource()),
    )


def otlp_json(*spans: Span) -> bytes:
    """Write `spans` as OTLP/JSON: one `ExportTraceServiceRequest` on a line, one resource and scope for each span.

    Attribute values that OTLP cannot say become their `str`.
    """
    return msgspec.json.encode({"resourceSpans": [_resource_spans(span) for span in spans]}) + b"\n"


def events_of(*spans: Span) -> list[HealthEvent]:
    """Return the events that `spans` mean when all of them are known, in the order in which they happened."""
    assembler = Assembler(interpreter())
    for span in spans:
        assembler.add(span, now=0)
    return assembler.flush()


def report_of(*spans: Span) -> Report:
    """Return the report on `spans`, by the default settings and as of the last event."""
    return judge(spans, load({}))


def _resource_spans(span: Span) -> dict[str, Any]:
    emitter = {"service.name": span.resource.service_name, "service.instance.id": span.resource.instance_id}
    return {
        "resource": {"attributes": _attributes({key: value for key, value in emitter.items() if value})},
        "scopeSpans": [{"scope": {"name": span.scope}, "spans": [_span(span)]}],
    }


def _span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_id,
        "flags": _REMOTE_PARENT if span.remote_parent else 0,
        "name": span.name,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _attributes(span.attributes),
        "events": [{"name": event.name, "attributes": _attributes(event.attributes)} for event in span.events],
        "status": {"code": int(span.status), "message": span.status_message},
    }


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": str(key), "value": _any_value(value)} for key, value in values.items()]


def _any_value(value: object) -> dict[str, Any]:
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value if math.isfinite(value) else _NOT_FINITE.get(value, "NaN")}
        case bytes():
            return {"bytesValue": value}
        case Mapping():
            return {"kvlistValue": {"values": _attributes(value)}}
        case list() | tuple():
            return {"arrayValue": {"values": [_any_value(item) for item in value]}}
        case _:
            return {"stringValue": str(value)}
