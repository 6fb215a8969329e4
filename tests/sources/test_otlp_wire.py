# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from otel_health.dialects.span import Resource, Span, SpanStatus
from otel_health.sources.otlp_wire import WireSpan, to_resource, to_span

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


def one(fields: dict[str, Any]) -> Span:
    text = json.dumps({"traceId": TRACE, "spanId": SPAN, **fields})
    span = to_span(msgspec.json.decode(text, type=WireSpan), "", Resource())
    assert span is not None
    return span


def attribute(value: Any) -> Any:
    return one({"attributes": [{"key": "a", "value": value}]}).attributes["a"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"stringValue": "x"}, "x"),
        ({"stringValue": ""}, ""),
        ({"intValue": "-12"}, -12),
        ({"intValue": 12}, 12),
        ({"intValue": "9223372036854775807"}, 2**63 - 1),
        ({"intValue": "9" * 5000}, "9" * 5000),
        ({"intValue": "twelve"}, "twelve"),
        ({"doubleValue": 0.5}, 0.5),
        ({"doubleValue": 3}, 3.0),
        ({"doubleValue": "-Infinity"}, -math.inf),
        ({"doubleValue": "Infinity"}, math.inf),
        ({"doubleValue": "much"}, "much"),
        ({"boolValue": False}, False),
        ({"bytesValue": "AP8="}, b"\x00\xff"),
        ({"bytesValue": "é"}, "é"),
        ({"bytesValue": 5}, 5),
        ({"arrayValue": {"values": [{"intValue": "1"}, {}, {"arrayValue": {}}]}}, (1, None, ())),
        (
            {"kvlistValue": {"values": [{"key": "k", "value": {"boolValue": True}}, {"key": "n"}]}},
            {"k": True, "n": None},
        ),
        ({"kvlistValue": {}}, {}),
        ({"stringValue": {"odd": 1}}, {"odd": 1}),
        ({"unknownValue": 1}, None),
        ({}, None),
        (None, None),
    ],
)
def test_every_kind_of_attribute_value_is_read(value: Any, expected: Any) -> None:
    found = attribute(value)
    assert found == expected
    assert type(found) is type(expected)


def test_not_a_number_is_read_from_its_name() -> None:
    assert math.isnan(attribute({"doubleValue": "NaN"}))


def test_of_equal_keys_the_last_wins() -> None:
    twice = [{"key": "a", "value": {"intValue": "1"}}, {"key": "a", "value": {"intValue": "2"}}]
    assert one({"attributes": twice}).attributes == {"a": 2}


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (0, SpanStatus.UNSET),
        (1, SpanStatus.OK),
        (2, SpanStatus.ERROR),
        ("2", SpanStatus.ERROR),
        ("STATUS_CODE_ERROR", SpanStatus.ERROR),
        ("STATUS_CODE_OK", SpanStatus.OK),
        ("ERROR", SpanStatus.ERROR),
        (9, SpanStatus.UNSET),
        ("odd", SpanStatus.UNSET),
        (None, SpanStatus.UNSET),
    ],
)
def test_a_status_is_read_by_number_and_by_name(code: Any, status: SpanStatus) -> None:
    assert one({"status": {"code": code}}).status is status


@pytest.mark.parametrize(
    ("raw", "expected"),
    [("12", 12), (12, 12), (12.9, 12), ("-1", 0), (2**70, 0), ("soon", 0), ([], 0), ("1e400", 0), (True, 1)],
)
def test_a_time_that_makes_no_sense_is_unknown(raw: Any, expected: int) -> None:
    assert one({"endTimeUnixNano": raw}).end_ns == expected


def test_a_span_that_ends_before_it_begins_survives() -> None:
    span = one({"startTimeUnixNano": "20", "endTimeUnixNano": "10"})
    assert (span.start_ns, span.end_ns) == (20, 10)


@pytest.mark.parametrize("flags", [0, 256, 512, "768x", None, -1])
def test_a_parent_is_remote_only_where_the_flags_say_so(flags: Any) -> None:
    assert not one({"flags": flags}).remote_parent


@pytest.mark.parametrize(
    ("kind", "flags", "remote"),
    [
        (2, 0, True),
        ("SPAN_KIND_SERVER", None, True),
        (5, 0, True),
        (3, 0, False),
        (None, 0, False),
        (2, 0x100, False),
        (1, 0x300, True),
    ],
)
def test_what_the_flags_leave_open_the_kind_of_span_tells(kind: Any, flags: Any, *, remote: bool) -> None:
    assert one({"kind": kind, "flags": flags}).remote_parent is remote


@pytest.mark.parametrize("alphabet", [base64.b64encode, base64.urlsafe_b64encode])
def test_ids_in_base64_are_the_same_ids(alphabet: Callable[[bytes], bytes]) -> None:
    trace, span = bytes([0xFB] * 16), bytes([0xFF] * 8)
    for strip in (b"", b"="):
        ids = {"traceId": alphabet(trace), "spanId": alphabet(span), "parentSpanId": alphabet(span)}
        text = {key: value.rstrip(strip).decode() if strip else value.decode() for key, value in ids.items()}
        found = one(text)
        assert (found.trace_id, found.span_id, found.parent_id) == (trace.hex(), span.hex(), span.hex())


def test_a_parent_of_zeros_is_no_parent() -> None:
    assert one({"parentSpanId": "0" * 16}).parent_id == ""


@pytest.mark.parametrize("odd", [7, None, ("a",), b"shop"])
def test_a_resource_whose_name_is_no_text_has_none(odd: object) -> None:
    assert to_resource({"service.name": odd, "service.instance.id": odd}) == to_resource({}) == Resource()
