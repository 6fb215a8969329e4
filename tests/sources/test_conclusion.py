# SPDX-License-Identifier: Apache-2.0
"""How a run ended, worked out from below."""

from __future__ import annotations

from otel_health.dialects.reading import Kind, Outcome, Reading
from otel_health.dialects.span import Span
from otel_health.sources.conclusion import conclude
from otel_health.sources.trace import Node, Trace
from otel_health.testing import EPOCH_S, make_span


class Tree:
    """A trace written down as it happened: every span begins after the one before."""

    def __init__(self, kind: Kind = Kind.AGENT, outcome: Outcome = Outcome.OK, **facts: object) -> None:
        self.root_span = make_span("root", duration_ms=10_000)
        self.trace = Trace(self.root_span.trace_id)
        self.count = 0
        self.root = self._put(self.root_span, kind, outcome, facts)

    def put(
        self, kind: Kind, outcome: Outcome = Outcome.OK, under: Node | None = None, name: str = "", **facts: object
    ) -> Node:
        self.count += 1
        parent = self.root_span if under is None else Span(trace_id=self.trace.trace_id, span_id=under.span_id)
        span = make_span(name, parent=parent, start_s=EPOCH_S + self.count, duration_ms=500)
        return self._put(span, kind, outcome, {"name": name} | facts)

    def _put(self, span: Span, kind: Kind, outcome: Outcome, facts: dict[str, object]) -> Node:
        reading = Reading(kind=kind, why="test", outcome=outcome, **facts)  # type: ignore[arg-type]
        node = self.trace.add(span, "test", reading)
        assert node is not None
        return node

    @property
    def outcome(self) -> Outcome:
        return conclude(self.root).outcome


def test_a_run_ends_as_the_last_model_call_below_it() -> None:
    tree = Tree()
    outcomes = [Outcome.ERROR, Outcome.OK, Outcome.CANCELLED]
    for outcome in outcomes:
        tree.put(Kind.LLM, outcome)
        assert tree.outcome is outcome


def test_a_failed_tool_alone_does_not_fail_a_run() -> None:
    tree = Tree()
    tree.put(Kind.TOOL, Outcome.ERROR)
    assert tree.outcome is Outcome.OK


def test_calls_inside_a_tool_decide_nothing() -> None:
    tree = Tree()
    tree.put(Kind.LLM, Outcome.ERROR, tree.put(Kind.TOOL))
    assert tree.outcome is Outcome.OK


def test_a_workflow_ends_as_the_last_agent_in_it() -> None:
    tree = Tree(Kind.WORKFLOW)
    tree.put(Kind.AGENT)
    inner = tree.put(Kind.WORKFLOW)
    tree.put(Kind.AGENT, Outcome.ERROR, inner)
    assert tree.outcome is Outcome.ERROR


def test_a_runs_own_trouble_comes_before_what_is_below() -> None:
    tree = Tree(outcome=Outcome.CANCELLED)
    tree.put(Kind.LLM)
    assert tree.outcome is Outcome.CANCELLED
    limited = Tree(limit_reached=True)
    limited.put(Kind.LLM)
    assert (limited.outcome, conclude(limited.root).reason) == (Outcome.ERROR, "turn_limit")


def test_a_model_call_outside_the_steps_after_the_last_of_them_was_forced() -> None:
    tree = Tree(step_limit=2)
    steps = [tree.put(Kind.STEP) for _ in range(2)]
    tree.put(Kind.LLM, under=steps[1])
    assert tree.outcome is Outcome.OK
    tree.put(Kind.LLM)
    assert conclude(tree.root).reason == "turn_limit"


def test_a_failure_names_where_it_began() -> None:
    tree = Tree(outcome=Outcome.ERROR, error="boom")
    tool = tree.put(Kind.TOOL, Outcome.ERROR, error="boom")
    call = tree.put(Kind.LLM, Outcome.ERROR, tool, error="boom")
    assert conclude(tree.root).cause is call
    assert conclude(tool).cause is call


def test_a_failure_after_a_recovery_began_by_itself() -> None:
    tree = Tree(outcome=Outcome.ERROR, error="out of budget")
    tree.put(Kind.TOOL, Outcome.ERROR, error="boom")
    tree.put(Kind.LLM)
    assert conclude(tree.root).cause is tree.root


def test_a_failure_that_wraps_another_text_still_began_there_when_nothing_went_well_since() -> None:
    tree = Tree(outcome=Outcome.ERROR, error="AgentGenerationError: while generating")
    call = tree.put(Kind.LLM, Outcome.ERROR, error="Error code: 500")
    assert conclude(tree.root).cause is call


def test_a_call_that_failed_further_in_failed() -> None:
    tree = Tree()
    outer = tree.put(Kind.LLM)
    tree.put(Kind.LLM, Outcome.ERROR, outer)
    assert tree.outcome is Outcome.ERROR
    tool = tree.put(Kind.TOOL, name="search")
    tree.put(Kind.TOOL, Outcome.ERROR, tool, name="other")
    assert conclude(tool).outcome is Outcome.OK


def test_a_rejection_is_no_failure_and_a_foreign_span_ends_well() -> None:
    tree = Tree()
    assert conclude(tree.put(Kind.TOOL, Outcome.REJECTED, reason="loop")).reason == "loop"
    foreign = tree.trace.add(make_span("GET /", parent=tree.root_span), "", None)
    assert foreign is not None
    assert conclude(foreign).outcome is Outcome.OK
