# SPDX-License-Identifier: Apache-2.0
"""OTLP/JSON as typed structures, and how one becomes a `Span`.

Only what health needs is declared; the decoder passes over the rest. Leaves are typed loosely on purpose: a number may
come as text, an enumeration by name, anything as null, and a strange leaf must not cost its span.

Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from otel_health.dialects.span import Resource, Span, SpanEvent, SpanStatus

DEPTH_LIMIT = 32
"""Arrays and maps nested deeper than this in an attribute are cut to None."""

_UINT64_LIMIT = 2**64
_INT64_DIGITS = 20
_REMOTE_IS_KNOWN, _IS_REMOTE = 0x100, 0x200
_CAME_IN = frozenset({2, "2", "SPAN_KIND_SERVER", 5, "5", "SPAN_KIND_CONSUMER"})

_STATUS: dict[int | str | None, SpanStatus] = {
    name: status
    for status in SpanStatus
    for name in (int(status), str(int(status)), status.name, f"STATUS_CODE_{status.name}")
}


class _Struct(msgspec.Struct, rename="camel", gc=False): ...


class WireValue(_Struct):
    """AnyValue: at most one field is set; none means null."""

    string_value: Any = None
    int_value: Any = None
    double_value: Any = None
    bool_value: Any = None
    array_value: WireValues | None = None
    kvlist_value: WireAttributes | None = None
    bytes_value: Any = None


class WireValues(_Struct):
    """ArrayValue."""

    values: list[WireValue | None] | None = None


class WireAttribute(_Struct):
    """KeyValue."""

    key: str = ""
    value: WireValue | None = None


class WireAttributes(_Struct):
    """KeyValueList."""

    values: list[WireAttribute] | None = None


class WireEvent(_Struct):
    """Span.Event."""

    name: str | None = None
    attributes: list[WireAttribute] | None = None


class WireStatus(_Struct):
    """Status."""

    code: int | str | None = None
    message: str | None = None


class WireSpan(_Struct):
    """Span."""

    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    start_time_unix_nano: Any = None
    end_time_unix_nano: Any = None
    attributes: list[WireAttribute] | None = None
    events: list[WireEvent] | None = None
    status: WireStatus | None = None
    kind: int | str | None = None
    flags: Any = None


class WireScope(_Struct):
    """InstrumentationScope."""

    name: str | None = None


class WireScopeSpans(_Struct):
    """ScopeSpans."""

    scope: WireScope | None = None
    spans: list[WireSpan] | None = None


class WireResource(_Struct):
    """Resource."""

    attributes: list[WireAttribute] | None = None


class WireResourceSpans(_Struct):
    """ResourceSpans."""

    resource: WireResource | None = None
    scope_spans: list[WireScopeSpans] | None = None


class WireRequest(_Struct):
    """ExportTraceServiceRequest, TracesData."""

    resource_spans: list[WireResourceSpans] | None = None


_NO_STATUS = WireStatus()
_UNSET = SpanStatus.UNSET


def to_span(wire: WireSpan, scope: str, resource: Resource) -> Span | None:
    """Return the span, or None if one of its ids is missing or no id."""
    trace_id = _id(wire.trace_id, 16)
    span_id = _id(wire.span_id, 8)
    parent_id = _id(wire.parent_span_id, 8)
    if not trace_id or not span_id or parent_id is None:
        return None
    status = wire.status or _NO_STATUS
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_id=parent_id,
        remote_parent=has_remote_parent(_unsigned(wire.flags), wire.kind),
        name=wire.name or "",
        scope=scope,
        start_ns=_unsigned(wire.start_time_unix_nano),
        end_ns=_unsigned(wire.end_time_unix_nano),
        status=_STATUS.get(status.code, _UNSET),
        status_message=status.message or "",
        attributes=to_attributes(wire.attributes),
        events=tuple([SpanEvent(event.name or "", to_attributes(event.attributes)) for event in wire.events or ()]),
        resource=resource,
    )


def to_attributes(wire: Sequence[WireAttribute] | None) -> dict[str, Any]:
    """Return attributes as a mapping; of equal keys the last wins."""
    return {
        attribute.key: text
        if (value := attribute.value) is not None and (text := value.string_value) is not None
        else to_value(value)
        for attribute in wire or ()
    }


def to_value(wire: WireValue | None, depth: int = 0) -> Any:
    """Return the Python value: str, int, float, bool, tuple, dict, bytes or None."""
    if wire is None or depth > DEPTH_LIMIT:
        return None
    if wire.string_value is not None:
        return wire.string_value
    if wire.int_value is not None:
        return _integer(wire.int_value)
    if wire.bool_value is not None:
        return wire.bool_value
    if wire.double_value is not None:
        return _double(wire.double_value)
    if wire.array_value is not None:
        return tuple([to_value(each, depth + 1) for each in wire.array_value.values or ()])
    if wire.kvlist_value is not None:
        return {each.key: to_value(each.value, depth + 1) for each in wire.kvlist_value.values or ()}
    return None if wire.bytes_value is None else _bytes(wire.bytes_value)


def has_remote_parent(flags: int, kind: int | str | None) -> bool:
    """Tell whether a span's parent lives in another process.

    Of its flags, bit 8 says that this is known, and bit 9 that it is so. Where it is not known, the span of a server or
    consumer is what came in from elsewhere.
    """
    return bool(flags & _IS_REMOTE) if flags & _REMOTE_IS_KNOWN else kind in _CAME_IN


def to_resource(attributes: Mapping[str, Any]) -> Resource:
    """Keep of a resource's attributes what health needs."""
    name = attributes.get("service.name")
    instance = attributes.get("service.instance.id")
    return Resource(
        service_name=name if isinstance(name, str) else "",
        instance_id=instance if isinstance(instance, str) else "",
    )


def _id(raw: str | None, size: int) -> str | None:
    """Return an id of `size` bytes as lower hex, "" for an absent one, None for nonsense.

    OTLP writes hex; general protobuf tools write base64.
    """
    if not raw:
        return ""
    try:
        found = bytes.fromhex(raw) if len(raw) == 2 * size else _unbase64(raw)
    except ValueError:
        return None
    if len(found) != size:
        return None
    return found.hex() if any(found) else ""


def _unsigned(raw: Any) -> int:
    """Return the uint64 that `raw` is or writes out; 0 (unknown) for what is none."""
    try:
        number = int(raw)
    except (TypeError, ValueError, OverflowError):
        return 0
    return number if 0 <= number < _UINT64_LIMIT else 0


def _integer(raw: Any) -> Any:
    """Return the int that `raw` writes out, or `raw` itself."""
    if isinstance(raw, str) and len(raw) <= _INT64_DIGITS:
        with suppress(ValueError):
            return int(raw)
    return raw


def _double(raw: Any) -> Any:
    """Return the float that `raw` is or writes out (`NaN`, `Infinity` and `-Infinity` too), or `raw` itself."""
    if isinstance(raw, str | int):
        with suppress(ValueError, OverflowError):
            return float(raw)
    return raw


def _bytes(raw: Any) -> Any:
    """Return the bytes that `raw` spells in base64, or `raw` itself."""
    if isinstance(raw, str):
        with suppress(ValueError):
            return _unbase64(raw)
    return raw


def _unbase64(text: str) -> bytes:
    """Decode base64 in either alphabet, padded or not."""
    return base64.urlsafe_b64decode(text + "==")
