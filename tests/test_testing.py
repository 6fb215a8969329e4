# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from otel_health.dialects.span import Resource, SpanEvent, SpanStatus
from otel_health.testing import EPOCH_S, ManualClock, events_of, make_span, otlp_json, report_of


def test_made_spans_have_ids_of_their_own_and_begin_when_a_manual_clock_does() -> None:
    first, second = make_span(), make_span()
    assert first.span_id != second.span_id
    assert first.trace_id != second.trace_id
    assert first.start_ns == round(EPOCH_S * 1e9) == round(ManualClock().wall() * 1e9)
    assert first.end_ns - first.start_ns == 100_000_000


def test_a_child_shares_its_parents_trace_and_resource() -> None:
    parent = make_span("a", resource=Resource("service", "1"))
    child = make_span("b", parent=parent)
    assert (child.trace_id, child.parent_id, child.resource) == (parent.trace_id, parent.span_id, parent.resource)
    assert parent.parent_id == ""


def test_an_error_sets_the_status_even_when_it_has_no_text() -> None:
    assert make_span().status is SpanStatus.UNSET
    assert make_span(error="").status is SpanStatus.ERROR
    assert make_span(error="boom").status_message == "boom"


def test_chosen_ids_are_kept() -> None:
    span = make_span(trace_id="ab" * 16, span_id="cd" * 8)
    assert (span.trace_id, span.span_id) == ("ab" * 16, "cd" * 8)


def test_otlp_json_is_what_the_protocol_says() -> None:
    odd = {"none": None, "yes": True, "n": 2**40, "x": 0.5, "b": b"\x00\xff", "m": {"k": [1, "a"]}, "o": {1, 2}}
    span = make_span(
        "chat", odd, scope="lib", error="boom", events=[SpanEvent("exception", {"exception.type": "E"})],
        resource=Resource("svc", "i1"),
    )  # fmt: skip
    request = Parse(otlp_json(span), ExportTraceServiceRequest())
    (sent,) = request.resource_spans
    (emitted,) = sent.scope_spans[0].spans
    values = {item.key: item.value for item in emitted.attributes}
    assert [item.key for item in sent.resource.attributes] == ["service.name", "service.instance.id"]
    assert sent.scope_spans[0].scope.name == "lib"
    assert emitted.name == "chat"
    assert emitted.end_time_unix_nano == span.end_ns
    assert int(emitted.status.code) == int(SpanStatus.ERROR)
    assert emitted.events[0].attributes[0].value.string_value == "E"
    assert values["none"].WhichOneof("value") is None
    assert (values["yes"].bool_value, values["n"].int_value, values["x"].double_value) == (True, 2**40, 0.5)
    assert values["b"].bytes_value == b"\x00\xff"
    assert values["m"].kvlist_value.values[0].value.array_value.values[1].string_value == "a"
    assert values["o"].string_value == "{1, 2}"


def test_numbers_that_json_has_no_word_for_are_spelt_as_protobuf_does() -> None:
    line = otlp_json(make_span("x", {"a": math.inf, "b": -math.inf, "c": math.nan}))
    sent = json.loads(line)["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["attributes"]
    assert [item["value"]["doubleValue"] for item in sent] == ["Infinity", "-Infinity", "NaN"]


def test_several_spans_make_one_line() -> None:
    assert otlp_json(make_span(), make_span()).count(b"\n") == 1


def test_spans_come_to_the_events_they_mean() -> None:
    run = make_span("run", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"})
    call = make_span("call", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}, parent=run, error="no")
    assert [event.category for event in events_of(call, run)] == ["tool_error", "turn_completed"]


def test_spans_come_to_a_report() -> None:
    calls = [make_span("call", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}, error="no")]
    calls += [make_span("call", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "t"}) for _ in range(4)]
    report = report_of(*calls)
    assert report.check.overall == "degraded"
    assert report.stats["tool_calls"] == 5
