# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import io
import json
import math
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from google.protobuf.json_format import MessageToJson, ParseDict
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.metrics.v1.metrics_pb2 import MetricsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.resources import Resource as SdkResource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import (
    NonRecordingSpan,
    SpanContext,
    Status,
    StatusCode,
    TraceFlags,
    set_span_in_context,
)

from otel_health.dialects.span import Resource, Span, SpanEvent, SpanStatus
from otel_health.sources.otlp_json import read_documents, read_lines
from otel_health.sources.otlp_proto import read
from otel_health.sources.proto_cursor import Framing
from otel_health.sources.stats import ReadStats
from otel_health.testing import make_span, otlp_json
from tests.scenarios import Scenario, scenarios

MODEST = settings(deadline=None, max_examples=50)


def spans_of(data: bytes, framing: Framing = Framing.NONE, stats: ReadStats | None = None) -> list[Span]:
    return list(read(io.BufferedReader(io.BytesIO(data)), stats or ReadStats(), framing))


def message(*spans: Span) -> TracesData:
    """Return `spans` as protobuf, by way of general JSON tools (which write ids in base64)."""
    return from_otlp_json(otlp_json(*spans))


def from_otlp_json(text: bytes) -> TracesData:
    data = json.loads(text)
    for span in (s for r in data["resourceSpans"] for scoped in r["scopeSpans"] for s in scoped["spans"]):
        for key in ("traceId", "spanId", "parentSpanId"):
            if span.get(key):
                span[key] = base64.b64encode(bytes.fromhex(span[key])).decode()
    return ParseDict(data, TracesData())


def framed(messages: Iterable[bytes], framing: Framing) -> bytes:
    return b"".join(length(len(each), framing) + each for each in messages)


def length(size: int, framing: Framing) -> bytes:
    if framing is Framing.FIXED32:
        return size.to_bytes(4, "big")
    return bytes([size]) if size < 0x80 else bytes([size & 0x7F | 0x80]) + length(size >> 7, framing)


def recorded() -> Sequence[ReadableSpan]:
    """Return spans made by the real SDK, with all there is to have."""
    exporter = InMemorySpanExporter()
    resource = SdkResource({"service.name": "shop", "service.instance.id": "i-1", "host.cores": 4})
    provider = TracerProvider(resource=resource)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("my.lib", "1.0")
    caller = SpanContext(trace_id=2**100, span_id=2**60, is_remote=True, trace_flags=TraceFlags(1))
    with tracer.start_as_current_span("invoke_agent", set_span_in_context(NonRecordingSpan(caller))):
        attributes: dict[str, Any] = {
            "text": "grüß",
            "empty": "",
            "int": -7,
            "float": 0.25,
            "infinite": math.inf,
            "bool": False,
            "texts": ["a", "b"],
            "ints": (1, 2),
            "bytes": b"\x00\xff",
        }
        with tracer.start_as_current_span("chat", attributes=attributes) as span:
            span.record_exception(ValueError("boom"))
            span.set_status(Status(StatusCode.ERROR, "boom"))
    return exporter.get_finished_spans()


def test_spans_of_the_real_sdk_come_out_as_they_went_in() -> None:
    chat, agent = spans_of(encode_spans(recorded()).SerializeToString())
    assert (chat.name, chat.scope, chat.resource) == ("chat", "my.lib", Resource("shop", "i-1"))
    assert (chat.parent_id, chat.remote_parent) == (agent.span_id, False)
    assert (agent.parent_id, agent.remote_parent) == (f"{2**60:016x}", True)
    assert chat.trace_id == agent.trace_id == f"{2**100:032x}"
    assert (chat.status, chat.status_message, agent.status) == (SpanStatus.ERROR, "boom", SpanStatus.UNSET)
    assert 0 < agent.start_ns <= chat.start_ns <= chat.end_ns <= agent.end_ns
    assert chat.attributes == {
        "text": "grüß",
        "empty": "",
        "int": -7,
        "float": 0.25,
        "infinite": math.inf,
        "bool": False,
        "texts": ("a", "b"),
        "ints": (1, 2),
        "bytes": b"\x00\xff",
    }
    (event,) = chat.events
    assert event.name == "exception"
    assert event.attributes["exception.message"] == "boom"


@pytest.mark.parametrize("snake", [False, True])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_and_protobuf_of_the_same_spans_are_the_same_spans(*, snake: bool, indent: int | None) -> None:
    request = encode_spans(recorded())
    expected = spans_of(request.SerializeToString())
    text = MessageToJson(request, indent=indent, preserving_proto_field_name=snake).encode()
    assert list(read_documents([text], ReadStats())) == expected
    if indent is None:
        assert list(read_lines(io.BytesIO(text), ReadStats())) == expected


@pytest.mark.parametrize("scenario", scenarios(), ids=str)
def test_every_capture_is_the_same_in_protobuf(scenario: Scenario) -> None:
    expected = list(read_lines(io.BytesIO(scenario.raw), ReadStats()))
    messages = [from_otlp_json(line).SerializeToString() for line in scenario.raw.splitlines()]
    for framing in Framing:
        assert (
            spans_of(b"".join(messages) if framing is Framing.NONE else framed(messages, framing), framing) == expected
        )


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@MODEST
@given(st.dictionaries(st.text(), VALUES, max_size=4), st.text(), st.integers(0, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_any_span_survives_both_ways(attributes: dict[str, Any], name: str, start: int, end: int) -> None:
    span = Span(
        trace_id="0af7651916cd43dd8448eb211c80319c",
        span_id="b7ad6b7169203331",
        name=name,
        scope="s",
        start_ns=start,
        end_ns=end,
        attributes=attributes,
        events=(SpanEvent(name, attributes),),
    )
    assert list(read_lines(io.BytesIO(otlp_json(span)), ReadStats())) == [span]
    assert spans_of(message(span).SerializeToString()) == [span]


@pytest.mark.parametrize("framing", list(Framing))
def test_everything_before_a_cut_is_delivered_and_the_cut_is_counted(framing: Framing) -> None:
    spans = [make_span(f"span {number}") for number in range(4)]
    messages = [message(span).SerializeToString() for span in spans]
    data = b"".join(messages) if framing is Framing.NONE else framed(messages, framing)
    for kept in range(len(data)):
        stats = ReadStats()
        found = spans_of(data[:kept], framing, stats)
        assert found == spans[: len(found)]
        assert len(found) >= kept * len(spans) // len(data) - 1
        assert stats.malformed <= 1
    assert stats.malformed == 1


@pytest.mark.parametrize("framing", [Framing.VARINT, Framing.FIXED32])
@pytest.mark.parametrize("damage", [b"\x0a\xff\xff\xff\xff\x0f", b"\x0b", b"\x12\x09", b"\x0a\x02\x12\x7f", b"\x80"])
def test_a_broken_message_costs_no_other(framing: Framing, damage: bytes) -> None:
    before, after = make_span("before"), make_span("after")
    messages = [message(before).SerializeToString(), damage, message(after).SerializeToString()]
    stats = ReadStats()
    assert spans_of(framed(messages, framing), framing, stats) == [before, after]
    assert (stats.malformed, stats.documents) == (1, 2)
    assert stats.first_error.startswith("byte ")


def test_a_span_that_is_no_span_costs_no_other() -> None:
    spans = [make_span(str(number)) for number in range(5)]
    data = message(*spans)
    wire = [group.scope_spans[0].spans[0] for group in data.resource_spans]
    wire[0].trace_id = b"short"
    wire[1].span_id = bytes(8)
    wire[2].parent_span_id = b"odd"
    raw = data.SerializeToString().replace(b"\x2a\x013", b"\x2a\x01\xff")  # the fourth one's name is no UTF-8
    stats = ReadStats()
    assert spans_of(raw, stats=stats) == spans[4:]
    assert stats.malformed == 4
    assert "a span without valid ids, in " in stats.first_error


def test_a_parent_of_zeros_is_no_parent() -> None:
    data = message(make_span())
    data.resource_spans[0].scope_spans[0].spans[0].parent_span_id = bytes(8)
    assert spans_of(data.SerializeToString())[0].parent_id == ""


def test_a_status_of_the_future_is_unset() -> None:
    data = message(make_span())
    data.resource_spans[0].scope_spans[0].spans[0].status.code = 9  # type: ignore[assignment]
    assert spans_of(data.SerializeToString())[0].status is SpanStatus.UNSET


def test_a_resource_or_scope_that_cannot_be_read_costs_no_span() -> None:
    span = make_span("x", scope="lib", resource=Resource("shop"))
    raw = message(span).SerializeToString().replace(b"shop", b"s\xff\xffp").replace(b"lib", b"l\xffb")
    (found,) = spans_of(raw)
    assert (found.name, found.scope, found.resource) == ("x", "", Resource())


def test_metrics_and_logs_are_passed_over_and_counted() -> None:
    metric = {"name": "requests", "sum": {"dataPoints": [{"asInt": "1"}]}}
    metrics = ParseDict({"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric, metric]}]}]}, MetricsData())
    record = {"observedTimeUnixNano": "5", "body": {"stringValue": "x"}, "severityText": "INFO"}
    logs = ParseDict({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}, LogsData())
    stats = ReadStats()
    assert spans_of(metrics.SerializeToString() + logs.SerializeToString(), stats=stats) == []
    assert (stats.skipped, stats.malformed) == (3, 0)


def test_fields_that_do_not_matter_are_passed_over() -> None:
    span = make_span("x", {"a": 1})
    data = message(span)
    data.resource_spans[0].schema_url = data.resource_spans[0].scope_spans[0].schema_url = "https://example.org"
    extra = b"\xfa\x01\x03new"
    assert spans_of(extra + data.SerializeToString() + extra) == [span]


@MODEST
@given(st.binary(max_size=300), st.sampled_from(Framing))
def test_any_bytes_are_survived(data: bytes, framing: Framing) -> None:
    spans_of(data, framing)
    spans_of(b"\x0a" + bytes([len(data) & 0x7F]) + data, framing)


@MODEST
@given(st.data())
def test_any_damage_to_a_message_is_survived(data: st.DataObject) -> None:
    raw = bytearray(message(make_span("a", {"k": (1, "x")}), make_span("b")).SerializeToString())
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    assert len(spans_of(bytes(raw))) <= 4
