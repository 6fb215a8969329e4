# SPDX-License-Identifier: Apache-2.0
"""OTLP/protobuf to spans: one message, or a sequence of messages each with its length before it, of any size.

The outer three levels (request, resource, scope) are walked on the wire, so that no more than one span is held; the
spans are decoded by the official classes. Needs the extra `otlp`.

Sources: https://opentelemetry.io/docs/specs/otel/protocol/file-exporter/ (the length is a varint) and the Collector's
file exporter (the length is four bytes, big-endian).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BufferedReader
from typing import Any, TypeVar

from google.protobuf.message import DecodeError as WireError
from google.protobuf.message import Message
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, InstrumentationScope, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.resource.v1.resource_pb2 import Resource as WireResource
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan

from otel_health.dialects.span import Resource, Span, SpanEvent, SpanStatus
from otel_health.sources.otlp_wire import DEPTH_LIMIT, has_remote_parent, to_resource
from otel_health.sources.proto_cursor import BrokenProtoError, Framing, ProtoCursor
from otel_health.sources.stats import ReadStats

_TRACE_ID_BYTES = 16
_SPAN_ID_BYTES = 8

_FIRST, _SECOND = 1, 2
"""Field numbers: what is common to all (resource, scope), and what it holds (scopes, spans)."""

_OLD_SECOND = 1000
"""Where scopes stood while they were still called instrumentation libraries."""

M = TypeVar("M", bound=Message)

_STATUS = {int(status): status for status in SpanStatus}


def read(stream: BufferedReader, stats: ReadStats, framing: Framing) -> Iterator[Span]:
    """Read ExportTraceServiceRequest or TracesData messages. A broken one is counted and costs no other."""
    cursor = ProtoCursor(stream)
    while not cursor.at_end():
        try:
            size = cursor.begin_message(framing)
            yield from _request(cursor, size, stats)
        except BrokenProtoError as error:
            stats.reject(f"byte {error.offset}", str(error), cut_short=error.at_end)
        cursor.end_message()


def _request(cursor: ProtoCursor, size: float, stats: ReadStats) -> Iterator[Span]:
    for number, length in cursor.fields(size):
        if number == _FIRST:
            yield from _resource_spans(cursor, length, stats)
        else:
            cursor.skip(length)
    stats.documents += 1


def _resource_spans(cursor: ProtoCursor, size: int, stats: ReadStats) -> Iterator[Span]:
    resource = Resource()
    for number, length in cursor.fields(size):
        if number == _FIRST:
            wire = _parsed(WireResource, cursor.take(length))
            resource = to_resource(_attributes(wire.attributes)) if wire else Resource()
        elif number in (_SECOND, _OLD_SECOND):
            yield from _scope_spans(cursor, length, resource, stats)
        else:
            cursor.skip(length)


def _scope_spans(cursor: ProtoCursor, size: int, resource: Resource, stats: ReadStats) -> Iterator[Span]:
    scope = ""
    for number, length in cursor.fields(size):
        if number == _FIRST:
            wire = _parsed(InstrumentationScope, cursor.take(length))
            scope = wire.name if wire else ""
        elif number == _SECOND:
            raw = cursor.take(length)
            if span := _span(raw, scope, resource):
                stats.spans += 1
                yield span
            elif _is_other_signal(raw):
                stats.skipped += 1
            else:
                stats.reject(f"byte {cursor.offset - length}", f"a span without valid ids, in {length:,} bytes")
        else:
            cursor.skip(length)


def _span(raw: bytes, scope: str, resource: Resource) -> Span | None:
    wire = _parsed(WireSpan, raw)
    if wire is None:
        return None
    trace_id, span_id, parent_id = wire.trace_id, wire.span_id, wire.parent_span_id
    if (
        not _is_id(trace_id, _TRACE_ID_BYTES)
        or not _is_id(span_id, _SPAN_ID_BYTES)
        or len(parent_id) not in (0, _SPAN_ID_BYTES)
    ):
        return None
    return Span(
        trace_id=trace_id.hex(),
        span_id=span_id.hex(),
        parent_id=parent_id.hex() if any(parent_id) else "",
        remote_parent=has_remote_parent(wire.flags, wire.kind),
        name=wire.name,
        scope=scope,
        start_ns=wire.start_time_unix_nano,
        end_ns=wire.end_time_unix_nano,
        status=_STATUS.get(wire.status.code, SpanStatus.UNSET),
        status_message=wire.status.message,
        attributes=_attributes(wire.attributes),
        events=tuple([SpanEvent(event.name, _attributes(event.attributes)) for event in wire.events]),
        resource=resource,
    )


def _is_id(raw: bytes, size: int) -> bool:
    return len(raw) == size and any(raw)


def _attributes(wire: Sequence[KeyValue]) -> dict[str, Any]:
    return {each.key: value.string_value or _value(value) for each in wire if (value := each.value)}


def _value(wire: AnyValue, depth: int = 0) -> Any:
    kind = wire.WhichOneof("value")
    if kind is None or depth > DEPTH_LIMIT:
        return None
    if kind == "array_value":
        return tuple([_value(each, depth + 1) for each in wire.array_value.values])
    if kind == "kvlist_value":
        return {each.key: _value(each.value, depth + 1) for each in wire.kvlist_value.values}
    return getattr(wire, kind)


def _is_other_signal(raw: bytes) -> bool:
    """Tell whether this is a metric or a log record: their requests look like those of traces down to here."""
    metric = _parsed(Metric, raw)
    if metric and metric.name and metric.WhichOneof("data"):
        return True
    record = _parsed(LogRecord, raw)
    return bool(record and (record.time_unix_nano or record.observed_time_unix_nano))


def _parsed(kind: type[M], raw: bytes) -> M | None:
    try:
        return kind.FromString(raw)
    except WireError:
        return None
