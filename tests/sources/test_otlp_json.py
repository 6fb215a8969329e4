# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.dialects.span import Resource, Span, SpanEvent, SpanStatus
from otel_health.sources import otlp_json
from otel_health.sources.otlp_json import read_documents, read_lines
from otel_health.sources.stats import ReadStats
from otel_health.testing import make_span
from otel_health.testing import otlp_json as encode
from tests.scenarios import Scenario, scenarios

MODEST = settings(deadline=None, max_examples=50)

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"


def lines(text: bytes, stats: ReadStats | None = None) -> list[Span]:
    return list(read_lines(io.BytesIO(text), stats or ReadStats()))


def documents(text: bytes, stats: ReadStats | None = None, piece: int = 7) -> list[Span]:
    pieces = (text[start : start + piece] for start in range(0, len(text), piece))
    return list(read_documents(pieces, stats or ReadStats()))


def request(*spans: dict[str, Any], **scoped: Any) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans), **scoped}]}]}


def one(fields: dict[str, Any], read: Callable[[bytes], list[Span]] = lines) -> Span:
    (span,) = read(json.dumps(request({"traceId": TRACE, "spanId": SPAN, **fields})).encode())
    return span


def attribute(value: Any, read: Callable[[bytes], list[Span]] = lines) -> Any:
    return one({"attributes": [{"key": "a", "value": value}]}, read).attributes["a"]


BOTH = pytest.mark.parametrize("read", [lines, documents])


@BOTH
def test_every_field_of_a_span_is_read(read: Callable[[bytes], list[Span]]) -> None:
    text = {
        "resourceSpans": [
            {
                "resource": {
                    "attributes": [
                        {"key": "service.name", "value": {"stringValue": "shop"}},
                        {"key": "service.instance.id", "value": {"stringValue": "i-1"}},
                    ]
                },
                "scopeSpans": [
                    {
                        "scope": {"name": "pydantic-ai", "version": "2"},
                        "spans": [
                            {
                                "traceId": TRACE.upper(),
                                "spanId": SPAN,
                                "parentSpanId": "00f067aa0ba902b7",
                                "flags": 768,
                                "name": "chat",
                                "kind": 3,
                                "startTimeUnixNano": "1750000000000000001",
                                "endTimeUnixNano": 1750000000000000002,
                                "attributes": [{"key": "k", "value": {"intValue": "7"}}],
                                "droppedAttributesCount": 1,
                                "events": [
                                    {
                                        "timeUnixNano": "1",
                                        "name": "exception",
                                        "attributes": [{"key": "exception.type", "value": {"stringValue": "E"}}],
                                    }
                                ],
                                "links": [{"traceId": TRACE, "spanId": SPAN}],
                                "status": {"code": 2, "message": "boom"},
                            }
                        ],
                    }
                ],
                "schemaUrl": "https://example.org",
            }
        ]
    }
    assert read(json.dumps(text).encode()) == [
        Span(
            trace_id=TRACE,
            span_id=SPAN,
            parent_id="00f067aa0ba902b7",
            remote_parent=True,
            name="chat",
            scope="pydantic-ai",
            start_ns=1750000000000000001,
            end_ns=1750000000000000002,
            status=SpanStatus.ERROR,
            status_message="boom",
            attributes={"k": 7},
            events=(SpanEvent("exception", {"exception.type": "E"}),),
            resource=Resource("shop", "i-1"),
        )
    ]


@BOTH
def test_what_is_missing_or_null_is_empty(read: Callable[[bytes], list[Span]]) -> None:
    bare = Span(trace_id=TRACE, span_id=SPAN)
    fields = ("parentSpanId", "name", "attributes", "events", "status", "flags", "startTimeUnixNano", "endTimeUnixNano")
    assert one({}, read) == one(dict.fromkeys(fields), read) == bare
    nulls = {"resource": None, "scopeSpans": [{"scope": None, "spans": [{"traceId": TRACE, "spanId": SPAN}]}]}
    assert read(json.dumps({"resourceSpans": [nulls]}).encode()) == [bare]
    empties: list[Any] = [{}, {"resourceSpans": None}, {"resourceSpans": []}, {"resourceSpans": [{"scopeSpans": None}]}]
    for empty in empties:
        assert read(json.dumps(empty).encode()) == []


@pytest.mark.parametrize(
    "ids",
    [
        {"traceId": ""},
        {"traceId": None},
        {"spanId": ""},
        {"traceId": "0" * 32},
        {"spanId": "0" * 16},
        {"traceId": "xyz"},
        {"traceId": TRACE[:-2]},
        {"traceId": "g" * 32},
        {"traceId": "é" * 32},
        {"traceId": 7},
        {"spanId": SPAN + "00"},
        {"parentSpanId": "nobody"},
    ],
)
@BOTH
def test_a_span_without_valid_ids_is_counted_and_costs_no_other(
    read: Callable[[bytes, ReadStats], list[Span]], ids: dict[str, Any]
) -> None:
    good = {"traceId": TRACE, "spanId": SPAN}
    stats = ReadStats()
    found = read(json.dumps(request(good, {**good, **ids}, {**good, "name": "after"})).encode(), stats)
    assert [span.name for span in found] == ["", "after"]
    assert (stats.spans, stats.malformed, stats.documents) == (2, 1, 1)
    assert "a span without valid ids, found '{" in stats.first_error


@BOTH
def test_a_span_whose_shape_is_wrong_costs_only_itself(read: Callable[[bytes, ReadStats], list[Span]]) -> None:
    good = {"traceId": TRACE, "spanId": SPAN}
    odd: list[Any] = [{**good, "attributes": "none"}, {**good, "events": [7]}, 7, None, "span", {**good, "status": []}]
    stats = ReadStats()
    assert len(read(json.dumps(request(good, *odd, good)).encode(), stats)) == 2
    assert stats.malformed == len(odd)


@BOTH
def test_older_and_snake_case_keys_are_understood(read: Callable[[bytes], list[Span]]) -> None:
    snake = {
        "resource_spans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"string_value": "shop"}}]},
                "instrumentation_library_spans": [
                    {
                        "instrumentation_library": {"name": "lib"},
                        "spans": [
                            {
                                "trace_id": TRACE,
                                "span_id": SPAN,
                                "start_time_unix_nano": "5",
                                "attributes": [{"key": "snake_key", "value": {"int_value": "7"}}],
                            }
                        ],
                    }
                ],
            }
        ]
    }
    expected = Span(
        trace_id=TRACE, span_id=SPAN, scope="lib", start_ns=5, attributes={"snake_key": 7}, resource=Resource("shop")
    )
    assert read(json.dumps(snake).encode()) == [expected]
    older = json.dumps(snake).replace("instrumentation_library_spans", "instrumentationLibrarySpans")
    assert read(older.encode()) == [expected]


@BOTH
def test_what_python_and_javascript_write_beside_the_standard_is_understood(
    read: Callable[[bytes], list[Span]],
) -> None:
    text = json.dumps(request({"traceId": TRACE, "spanId": SPAN, "attributes": "HERE"})).encode()
    half = rb'{"stringValue": "cut \ud83d"}'
    bare = b'{"doubleValue": NaN}'
    broken = b'{"stringValue": "\xff"}'
    values = [text.replace(b'"HERE"', b'[{"key": "a", "value": ' + value + b"}]") for value in (half, bare, broken)]
    found = [read(value)[0].attributes["a"] for value in values]
    assert found[0] == "cut ?"
    assert math.isnan(found[1])
    assert found[2] == "\N{REPLACEMENT CHARACTER}"


@BOTH
def test_metrics_and_logs_are_passed_over_and_counted(read: Callable[[bytes, ReadStats], list[Span]]) -> None:
    stats = ReadStats()
    text = b'{"resourceMetrics": [{"scopeMetrics": []}]}\n{"resourceLogs": []}\n{"resource_metrics": []}\n'
    assert read(text, stats) == []
    assert (stats.skipped, stats.malformed) == (3, 0)


def test_an_object_of_another_kind_is_named_by_its_keys() -> None:
    stats = ReadStats()
    assert lines(b'{"foo": 1, "bar": {}}\n', stats) == []
    assert stats.first_error == "line 1, byte 0: an object with the keys 'foo', 'bar', and without 'resourceSpans'"


@pytest.mark.parametrize(
    "torn",
    [b"garbage", b'{"resourceSpans":[{"scopeSp', b'gth":1}]}]}', b"\x00\xff", b'"text"', b"7", b'{"a":', b"{'a': 1}"],
)
def test_a_torn_line_is_named_and_costs_no_neighbour(torn: bytes) -> None:
    before, after = make_span("before"), make_span("after")
    stats = ReadStats()
    found = lines(encode(before) + b"\n" + torn + b"\n" + encode(after), stats)
    assert found == [before, after]
    assert (stats.malformed, stats.documents, stats.spans) == (1, 2, 2)
    assert stats.first_error.startswith("line 3, byte ")


def test_what_stands_before_the_tear_is_read() -> None:
    spans = [make_span(str(number)) for number in range(3)]
    stats = ReadStats()
    text = encode(*spans)
    assert lines(text[: text.index(spans[2].span_id.encode())], stats) == spans[:2]
    assert stats.malformed == 1


def test_requests_may_be_joined_on_a_line() -> None:
    spans = [make_span(str(number)) for number in range(4)]
    stats = ReadStats()
    requests = [encode(span).strip() for span in spans]
    assert lines(b"%b%b [%b, %b]\n" % tuple(requests), stats) == spans
    assert (stats.documents, stats.malformed) == (4, 0)


def test_a_line_beyond_the_limit_is_read_by_its_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp_json, "LINE_LIMIT_BYTES", 500)
    spans = [make_span(str(number), {"a": "x" * 40}) for number in range(30)]
    stats = ReadStats()
    text = encode(*spans[:10]) + b"{" + b"x" * 2000 + b"\n" + encode(*spans[10:20]) + encode(spans[20])
    assert lines(text, stats) == spans[:21]
    assert (stats.malformed, stats.documents) == (1, 3)
    assert stats.first_error.startswith("line 2, byte 1: a key in double quotes expected")


@pytest.mark.parametrize(
    "layout", ["{0}{1}{2}", "[{0},{1},{2}]", "[\n{0},\n{1},\n{2}\n]\n", "{0},{1}\n\n{2},", "[[{0}],[{1},{2}]]"]
)
@pytest.mark.parametrize("indent", [None, 2])
def test_documents_may_follow_each_other_in_any_layout(layout: str, indent: int | None) -> None:
    spans = [make_span(str(number)) for number in range(3)]
    text = layout.format(*(json.dumps(json.loads(encode(span)), indent=indent) for span in spans))
    stats = ReadStats()
    assert documents(text.encode(), stats) == spans
    assert (stats.documents, stats.malformed) == (3, 0)


def test_after_damage_reading_goes_on_at_the_next_document() -> None:
    spans = [make_span(str(number)) for number in range(3)]
    pretty = [json.dumps(json.loads(encode(span)), indent=2).encode() for span in spans]
    stats = ReadStats()
    assert documents(b"\n".join([pretty[0], pretty[1][:-30], pretty[2]]), stats) == spans
    assert documents(b"\n".join([pretty[0], pretty[1][30:200], b"}", pretty[2]])) == [spans[0], spans[2]]
    assert stats.malformed == 1


@pytest.mark.parametrize("scenario", scenarios(), ids=str)
def test_both_ways_through_give_the_same_of_every_capture(scenario: Scenario) -> None:
    stats = ReadStats()
    spans = lines(scenario.raw, stats)
    pretty = "\n".join(json.dumps(json.loads(line), indent=1) for line in scenario.raw.splitlines()).encode()
    assert documents(pretty, piece=4096) == spans
    assert len(spans) == scenario.raw.count(b'"traceId"') - scenario.raw.count(b'"links"')
    assert stats.malformed == 0


@MODEST
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes_are_survived(text: bytes) -> None:
    lines(text)
    documents(text)


KEYS = re.findall(
    r"\w+",
    "resourceSpans resource scopeSpans scope spans traceId spanId attributes key value intValue arrayValue values"
    " kvlistValue events name status code startTimeUnixNano flags doubleValue bytesValue",
)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from([TRACE, SPAN]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=30,
)


@MODEST
@given(JUNK)
def test_any_json_is_survived(value: Any) -> None:
    text = json.dumps(
        {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": TRACE, "spanId": SPAN, "x": value}]}]}]}
    )
    assert len(lines(text.encode())) == 1
    for shape in (value, request(value), request({"traceId": TRACE, "spanId": SPAN, "attributes": value})):
        text = json.dumps(shape)
        assert len(lines(text.encode())) == len(documents(text.encode()))


@BOTH
def test_values_nested_without_end_are_cut_not_followed(read: Callable[[bytes], list[Span]]) -> None:
    deep: dict[str, Any] = {"intValue": "1"}
    for _ in range(50):
        deep = {"arrayValue": {"values": [deep]}}
    value = attribute(deep, read)
    depth = 0
    while isinstance(value, tuple):
        (value,) = value
        depth += 1
    assert value is None
    assert depth == 33
    endless = b'{"resourceSpans":' + b"[" * 100_000
    assert read(endless) == []
    bottomless = json.dumps(request({"traceId": TRACE, "spanId": SPAN, "x": "HERE"})).encode()
    assert read(bottomless.replace(b'"HERE"', b"[" * 5000 + b"]" * 5000)) == []
