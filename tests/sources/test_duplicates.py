# SPDX-License-Identifier: Apache-2.0
"""One call seen by two instrumentations counts once, and two calls twice."""

from __future__ import annotations

from typing import Any

import pytest

from otel_health.dialects.reading import Fault, Kind, Outcome, Reading, Retry, Usage
from otel_health.sources.duplicates import Duplicates, merged
from otel_health.sources.trace import Trace
from otel_health.testing import EPOCH_S, events_of, make_span
from tests.rivers import counts, stats_of

TOKENS = {"gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 20}


def chat(scope: str, attributes: dict[str, Any] | None = None, **span: Any) -> Any:
    known = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gpt-5"}
    return make_span("chat", known | TOKENS | (attributes or {}), scope=scope, **span)


class TestAcrossTraces:
    """Two instrumentations that do not share a trace."""

    def test_the_same_response_id_at_the_same_time_is_one_call(self) -> None:
        same = {"gen_ai.response.id": "chatcmpl-1"}
        assert stats_of(chat("a", same), chat("b", same))["llm_calls"] == 1

    def test_the_same_response_id_at_another_time_is_another_call(self) -> None:
        same = {"gen_ai.response.id": "chatcmpl-1"}
        assert stats_of(chat("a", same), chat("b", same, start_s=EPOCH_S + 60))["llm_calls"] == 2

    def test_the_same_response_id_in_one_instrumentation_is_another_call(self) -> None:
        same = {"gen_ai.response.id": "chatcmpl-1"}
        assert stats_of(chat("a", same), chat("a", same))["llm_calls"] == 2

    def test_the_same_tokens_one_within_the_other_are_one_call(self) -> None:
        inner = chat("b", start_s=EPOCH_S + 0.01, duration_ms=80)
        assert stats_of(chat("a"), inner)["llm_calls"] == 1

    def test_two_different_response_ids_are_two_calls_however_alike(self) -> None:
        calls = [chat(scope, {"gen_ai.response.id": f"chatcmpl-{scope}"}) for scope in "ab"]
        assert stats_of(*calls)["llm_calls"] == 2

    def test_a_nested_call_with_another_response_id_is_another_call(self) -> None:
        outer = chat("a", {"gen_ai.response.id": "one"})
        inner = chat("b", {"gen_ai.response.id": "two"}, parent=outer, duration_ms=50)
        assert stats_of(outer, inner)["llm_calls"] == 2

    def test_a_hundred_calls_failing_alike_in_one_outage_stay_a_hundred(self) -> None:
        spans = []
        for n in range(50):
            begun = EPOCH_S + n * 0.02
            spans.append(chat("a", start_s=begun, duration_ms=1_000, error="Error code: 500"))
            spans.append(chat("b", start_s=begun + 0.001, duration_ms=998, error="Error code: 500"))
        assert stats_of(*spans)["llm_errors"] == 50
        assert stats_of(*[span for span in spans if span.scope == "a"])["llm_errors"] == 50

    def test_a_router_that_tries_two_providers_made_two_calls(self) -> None:
        router = make_span("route", {"gen_ai.operation.name": "chat"}, scope="router", duration_ms=100)
        first = chat("client", parent=router, duration_ms=30, error="Error code: 503")
        second = chat("client", parent=router, start_s=EPOCH_S + 0.04, duration_ms=50)
        assert counts(events_of(router, first, second)) == {"llm_error": 1, "llm_success": 1, "retry": 1}

    def test_the_sighting_inside_an_agents_run_is_the_one_that_counts(self) -> None:
        turn = make_span("invoke_agent hub", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "hub"})
        same = {"gen_ai.response.id": "chatcmpl-1"}
        inside, outside = chat("a", same, parent=turn), chat("b", same)
        (event,) = [e for e in events_of(outside, inside, turn) if e.category.value == "llm_success"]
        assert (event.agent, event.span_id) == ("hub", inside.span_id)


def test_a_closed_trace_is_forgotten() -> None:
    known = Duplicates()
    span = chat("a", {"gen_ai.response.id": "one"})
    reading = Reading(kind=Kind.LLM, why="", response_id="one", usage=Usage(input=3))
    trace = Trace(span.trace_id)
    node = trace.add(span, "genai", reading)
    assert node is not None
    known.add(node)
    assert len(known) == 2
    known.forget(trace)
    known.forget(trace)
    assert len(known) == 0


def test_a_chain_of_model_calls_of_any_depth_is_one_call() -> None:
    chain = [chat("a")]
    for depth in range(200):
        chain.append(chat("ab"[depth % 2], parent=chain[-1]))
    assert stats_of(*chain)["llm_calls"] == 1


class TestMerging:
    """Each sighting may know what the others do not."""

    BEST = Reading(kind=Kind.LLM, why="best", usage=Usage(input=10))

    @pytest.mark.parametrize(
        ("other", "field", "expected"),
        [
            ({"model": "gpt-5"}, "model", "gpt-5"),
            ({"usage": Usage(input=99, cached_input=5)}, "usage", Usage(input=10, cached_input=5)),
            ({"cost_usd": 0.5}, "cost_usd", 0.5),
            ({"retry": Retry("resent", 2)}, "retry", Retry("resent", 2)),
            ({"outcome": Outcome.ERROR, "fault": Fault.CALLER}, "fault", Fault.CALLER),
            ({"outcome": Outcome.TIMEOUT, "fault": Fault.PROVIDER}, "outcome", Outcome.TIMEOUT),
            ({"usage": None}, "usage", Usage(input=10)),
        ],
    )
    def test_what_only_another_knows_is_taken_over(self, other: dict[str, Any], field: str, expected: object) -> None:
        seen = Reading(kind=Kind.LLM, why="other", **other)
        assert getattr(merged(self.BEST, [seen]), field) == expected

    def test_an_overflow_recognised_by_one_is_an_overflow(self) -> None:
        caller = Reading(kind=Kind.LLM, why="native", outcome=Outcome.ERROR, fault=Fault.CALLER)
        overflow = Reading(kind=Kind.LLM, why="outer", outcome=Outcome.ERROR, fault=Fault.OVERFLOW, error="too long")
        assert merged(caller, [overflow]).fault is Fault.OVERFLOW
        assert merged(overflow, [caller]).fault is Fault.OVERFLOW

    def test_a_time_out_that_one_took_for_an_error_is_a_time_out(self) -> None:
        error = Reading(kind=Kind.LLM, why="a", outcome=Outcome.ERROR, fault=Fault.PROVIDER)
        timeout = Reading(kind=Kind.LLM, why="b", outcome=Outcome.TIMEOUT, fault=Fault.PROVIDER)
        assert merged(error, [timeout]).outcome is Outcome.TIMEOUT
