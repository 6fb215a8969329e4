# SPDX-License-Identifier: Apache-2.0
"""The assembler's tables and timing: who waits for whom, how long, and how many."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from otel_health.dialects import DIALECTS, interpreter
from otel_health.dialects.base import Interpreter
from otel_health.dialects.reading import Kind, Outcome, Reading
from otel_health.dialects.span import Span
from otel_health.events.model import HealthEvent
from otel_health.sources.assembly import Assembler, AssemblyLimits
from otel_health.testing import EPOCH_S, events_of, make_span
from tests.rivers import counts, explanations_of

ids = itertools.count(1)


def span(operation: str, name: str, parent: Span | None = None, **kwargs: Any) -> Span:
    known: dict[str, dict[str, Any]] = {
        "invoke_agent": {"gen_ai.agent.name": name},
        "execute_tool": {"gen_ai.tool.name": name},
        "chat": {"gen_ai.provider.name": name, "gen_ai.usage.input_tokens": 10, "gen_ai.usage.output_tokens": 2},
    }
    attributes = {"gen_ai.operation.name": operation} | known[operation] | kwargs.pop("attributes", {})
    return make_span(f"{operation} {name}", attributes, parent=parent, **kwargs)


def assembler(**limits: Any) -> Assembler:
    return Assembler(interpreter(), AssemblyLimits(**limits))


class TestSettling:
    """Calls wait a moment for a second sighting of themselves."""

    def test_a_tool_call_counts_a_second_after_it_arrived_though_its_turn_is_still_running(self) -> None:
        turn = span("invoke_agent", "hub")
        river = assembler()
        river.add(span("execute_tool", "search", turn), 100.0)
        assert river.due(100.9) == []
        assert counts(river.due(101.0)) == {"tool_success": 1}

    def test_a_root_that_comes_ten_minutes_later_still_gives_its_turn_and_no_token_twice(self) -> None:
        turn = span("invoke_agent", "hub", attributes={"gen_ai.usage.input_tokens": 10})
        river = assembler()
        river.add(span("chat", "openai", turn), 0.0)
        first = river.due(2.0)
        river.add(turn, 600.0)
        second = river.due(605.0)
        assert counts(first) == {"llm_success": 1}
        assert counts(second) == {"turn_completed": 1}
        assert second[0].tokens is None

    def test_a_second_sighting_that_comes_too_late_is_not_counted_again(self) -> None:
        outer = span("chat", "openai", scope="framework")
        inner = span("chat", "openai", outer, scope="client", duration_ms=90)
        for first, second in ((outer, inner), (inner, outer)):
            river = assembler()
            river.add(first, 0.0)
            assert counts(river.due(5.0)) == {"llm_success": 1}
            river.add(second, 10.0)
            assert river.due(20.0) == []

    def test_the_same_span_delivered_again_is_counted_once(self) -> None:
        call = span("execute_tool", "search")
        river = assembler()
        for _ in range(3):
            river.add(call, 0.0)
        assert counts(river.due(5.0)) == {"tool_success": 1}
        assert river.totals["duplicate_spans"] == 2


class TestRuns:
    """Turn and spoke are told apart whichever arrives first."""

    def test_a_spoke_waits_for_the_tool_above_it_to_be_told_from_a_turn(self) -> None:
        turn = span("invoke_agent", "hub")
        tool = span("execute_tool", "ask", turn, duration_ms=80)
        spoke = span("invoke_agent", "spoke", tool, duration_ms=60)
        river = assembler()
        river.add(spoke, 0.0)
        assert river.due(20.0) == []
        river.add(tool, 20.0)
        assert counts(river.due(26.0)) == {"spoke_success": 1, "tool_success": 1}
        river.add(turn, 300.0)
        assert counts(river.due(306.0)) == {"turn_completed": 1}

    def test_a_late_child_still_speaks_for_its_turn_within_the_grace_time(self) -> None:
        turn = span("invoke_agent", "hub")
        river = assembler()
        river.add(turn, 0.0)
        river.add(span("chat", "openai", turn, error="Error code: 500"), 4.0)
        assert counts(river.due(5.0)) == {"turn_failed": 1, "llm_error": 1}

    def test_a_run_whose_parent_is_in_another_process_is_a_turn_of_its_own(self) -> None:
        entry = make_span("POST /chat", remote_parent=True, parent=make_span("client"))
        run = span("invoke_agent", "hub", entry)
        river = assembler()
        river.add(run, 0.0)
        river.add(entry, 0.1)
        assert counts(river.due(6.0)) == {"turn_completed": 1}

    def test_a_run_whose_parent_never_comes_is_a_turn_after_half_an_hour(self) -> None:
        river = assembler()
        river.add(span("invoke_agent", "hub", make_span("lost")), 0.0)
        assert river.due(1_800.0) == []
        assert counts(river.due(1_806.0)) == {"turn_completed": 1}

    def test_the_same_run_seen_by_two_instrumentations_is_one_turn_and_no_spoke(self) -> None:
        outer = span("invoke_agent", "hub", scope="framework")
        inner = span("invoke_agent", "hub", outer, scope="other", error="boom", duration_ms=90)
        assert counts(events_of(outer, inner)) == {"turn_failed": 1}


class TestBounds:
    """Every table has an end."""

    def test_the_longest_idle_trace_is_decided_early_when_room_runs_out(self) -> None:
        river = assembler(max_spans=10)
        calls = [span("execute_tool", f"tool{n}") for n in range(25)]
        for n, call in enumerate(calls):
            river.add(call, n * 0.01)
            assert river.held_spans <= 10
        assert counts(river.due(0.3))["tool_success"] == 15
        assert river.totals["traces_cut"] == 15
        assert counts(river.flush())["tool_success"] == 10

    def test_one_endless_trace_is_cut_too_and_its_tokens_are_not_counted_again(self) -> None:
        turn = span("invoke_agent", "hub", attributes={"gen_ai.usage.input_tokens": 200})
        river = assembler(max_spans=10)
        events: list[HealthEvent] = []
        for n in range(20):
            river.add(span("chat", "openai", turn, start_s=EPOCH_S + n), float(n))
            events += river.due(float(n))
        river.add(turn, 20.0)
        events += river.flush()
        assert sum(event.extra.get("input", 0) for event in events) == 200

    def test_runs_whose_traces_were_closed_for_room_do_not_pile_up(self) -> None:
        river = assembler(max_spans=10)
        for n in range(500):
            river.add(span("invoke_agent", "hub", make_span("lost")), n * 0.01)
            river.due(n * 0.01)
            assert river.waiting <= 41
        assert river.held_spans == 10

    def test_a_silent_trace_is_closed_and_its_calls_are_found_unattributed(self) -> None:
        river = assembler()
        river.add(span("execute_tool", "search", make_span("never exported")), 0.0)
        assert counts(river.due(10.0)) == {"tool_success": 1}
        river.due(4_000.0)
        assert river.held_spans == 0
        assert river.take_counts()["unattributed_spans"] == 1
        assert river.take_counts() == {}

    def test_a_tool_without_any_run_above_it_is_no_turn_and_says_so(self) -> None:
        (event,) = events_of(span("execute_tool", "search"))
        assert (event.category.value, event.extra["unattributed"]) == ("tool_success", True)


class TestFence:
    """Nothing that is handed in stops the river."""

    @pytest.mark.parametrize("nonsense", [{"end_ns": None}, {"start_ns": 1.5}, {"trace_id": ""}, {"span_id": None}])
    def test_a_span_without_ids_or_times_is_counted_and_nothing_more(self, nonsense: dict[str, Any]) -> None:
        river = assembler()
        river.add(structs.replace(span("execute_tool", "a"), **nonsense), 0.0)
        river.add(span("execute_tool", "b"), 0.0)
        assert counts(river.due(5.0)) == {"tool_success": 1}
        assert river.totals["malformed_spans"] == 1

    def test_a_reading_that_cannot_be_decided_costs_only_itself(self) -> None:
        class Careless:
            name = "careless"

            def speaks(self, span: Span) -> bool:
                return span.name == "bad"

            def read(self, span: Span) -> Reading:
                return Reading(kind=Kind.TOOL, why="", outcome=Outcome.ERROR, error=7, error_type="x")  # type: ignore[arg-type]

        river = Assembler(Interpreter([Careless(), *DIALECTS]))
        river.add(make_span("bad"), 0.0)
        river.add(span("execute_tool", "b"), 0.0)
        assert counts(river.due(5.0) + river.flush()) == {"tool_success": 1}
        assert river.totals["undecidable_spans"] == 1


class TestExplaining:
    """Every span is told what became of it."""

    def test_each_span_is_explained_once(self) -> None:
        turn = span("invoke_agent", "hub")
        outer = span("chat", "openai", turn, scope="framework", duration_ms=50)
        inner = span("chat", "openai", outer, scope="client", duration_ms=40)
        told = explanations_of(turn, outer, inner, make_span("GET /"), make_span("odd", {"gen_ai.odd": 1}))
        assert "came before" in explanations_of(turn, turn)[0].why
        assert [e.counted_as for e in sorted(told, key=lambda e: e.span_id)] == [
            "turn_completed",
            "",
            "llm_success",
            "",
            "",
        ]
        assert all(e.why for e in told)

    def test_an_explanation_carries_the_facts_that_decided(self) -> None:
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "error.type": "RateLimitError"}
        (told,) = explanations_of(make_span("chat", attributes, error="Error code: 429"))
        assert (told.outcome, told.error_type, told.fault, told.reason) == ("error", "RateLimitError", "provider", "")
        (unread,) = explanations_of(make_span("GET /"))
        assert (unread.error_type, unread.fault, unread.reason, unread.why) == ("", "", "", "not about an agent")

    def test_a_span_with_genai_attributes_that_nobody_reads_is_counted(self) -> None:
        river = assembler()
        river.add(make_span("odd", {"gen_ai.odd": 1}), 0.0)
        assert river.totals["unclassified_spans"] == 1


@st.composite
def traces(draw: st.DrawFn) -> list[Span]:
    """Trees of runs, calls and wrappers, some failing, some seen twice."""
    spans = [span("invoke_agent", "hub", duration_ms=1000)]
    for n in range(draw(st.integers(0, 12))):
        parent = draw(st.sampled_from(spans))
        kind = draw(st.sampled_from(["invoke_agent", "execute_tool", "chat", "step"]))
        error = draw(st.sampled_from([None, None, "Error code: 500", "CancelledError()"]))
        timing: dict[str, Any] = {"start_s": EPOCH_S + n * 0.01, "duration_ms": draw(st.integers(1, 500))}
        if kind == "step":
            spans.append(make_span("node", parent=parent, **timing))
        else:
            scope = draw(st.sampled_from(["framework", "client"]))
            spans.append(span(kind, draw(st.sampled_from("ab")), parent, error=error, scope=scope, **timing))
    return spans


def summary(events: list[HealthEvent]) -> list[str]:
    return sorted(repr(event) for event in events)


@given(traces(), st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_any_order_and_any_split_into_requests_gives_the_same_events(
    spans: list[Span], random: Any, requests: int
) -> None:
    expected = summary(events_of(*spans))
    shuffled = list(spans)
    random.shuffle(shuffled)
    assert summary(events_of(*shuffled)) == expected
    river = assembler()
    events: list[HealthEvent] = []
    for number in range(requests):
        for part in shuffled[number::requests]:
            river.add(part, number * 0.4)
        events += river.due(number * 0.4)
    assert summary(events + river.due(7.0) + river.flush()) == expected


@given(traces())
@settings(max_examples=50, deadline=None)
def test_live_and_in_order_gives_what_a_file_gives(spans: list[Span]) -> None:
    river = assembler()
    events: list[HealthEvent] = []
    for part in sorted(spans, key=lambda s: (s.end_ns, -s.start_ns)):
        river.add(part, part.end_s - EPOCH_S)
        events += river.due(part.end_s - EPOCH_S)
    events += river.due(4_000.0)
    assert sorted(e.category.value for e in events) == sorted(e.category.value for e in events_of(*spans))


@pytest.mark.parametrize("depth", [10, 200])
def test_a_chain_of_failing_runs_of_any_depth_is_judged_in_good_time(depth: int) -> None:
    chain = [span("invoke_agent", "a0", error="boom 0")]
    for n in range(1, depth):
        chain.append(span("invoke_agent", f"a{n}", chain[-1], error=f"boom {n}"))
    assert counts(events_of(*chain)) == {"turn_failed": 1, "spoke_failure": depth - 1}
