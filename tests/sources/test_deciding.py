# SPDX-License-Identifier: Apache-2.0
"""What a span counts as, beyond what the reports from the field already ask."""

from __future__ import annotations

from typing import Any

from otel_health.dialects.span import Span, SpanEvent
from otel_health.testing import EPOCH_S, events_of, make_span
from tests.rivers import counts, stats_of

AGENTS = "opentelemetry.instrumentation.genai.openai_agents"


def span(operation: str, name: str, parent: Span | None = None, **kwargs: Any) -> Span:
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.agent.name": name if operation == "invoke_agent" else None,
        "gen_ai.tool.name": name if operation == "execute_tool" else None,
    }
    return make_span(f"{operation} {name}", attributes | kwargs.pop("attributes", {}), parent=parent, **kwargs)


def test_the_generic_reader_takes_only_agents_below_an_agent_or_a_tool_for_spokes() -> None:
    flow = span("invoke_workflow", "flow")
    agents = [span("invoke_agent", name, flow, start_s=EPOCH_S + n, duration_ms=9) for n, name in enumerate("ab")]
    assert counts(events_of(flow, *agents)) == {"turn_completed": 1}


def test_of_a_sequence_of_agents_the_first_has_the_turn_and_the_others_are_spokes() -> None:
    flow = span("invoke_workflow", "Agent workflow", scope=AGENTS, duration_ms=5_000)
    hub = span("invoke_agent", "hub", flow, scope=AGENTS)
    spoke = span("invoke_agent", "spoke", flow, scope=AGENTS, start_s=EPOCH_S + 1, error="boom")
    events = {event.category.value: event for event in events_of(spoke, flow, hub)}
    assert sorted(events) == ["spoke_failure", "turn_failed"]
    assert (events["turn_failed"].component, events["spoke_failure"].component) == ("hub", "spoke")
    assert events["turn_failed"].extra["cause_id"] == spoke.span_id


def test_a_workflow_inside_a_run_is_seen_through() -> None:
    hub = span("invoke_agent", "hub")
    inner = span("invoke_workflow", "inner", hub, duration_ms=80)
    spoke = span("invoke_agent", "spoke", inner, duration_ms=60)
    assert counts(events_of(hub, inner, spoke)) == {"turn_completed": 1}


def test_a_providers_error_on_a_run_whose_calls_have_no_spans_counts_as_one_failed_call() -> None:
    flow = span("invoke_workflow", "Agent workflow", scope=AGENTS)
    hub = span("invoke_agent", "hub", flow, scope=AGENTS, error="Error code: 500 - server error", duration_ms=90)
    events = events_of(flow, hub)
    assert counts(events) == {"turn_failed": 1, "llm_error": 1}
    (call,) = [event for event in events if event.category.value == "llm_error"]
    assert (call.extra["fault"], call.extra["reason"]) == ("provider", "seen_in_run")


def test_a_time_out_seen_only_in_the_run_is_a_time_out_of_its_call() -> None:
    flow = span("invoke_workflow", "Agent workflow", scope=AGENTS)
    hub = span("invoke_agent", "hub", flow, scope=AGENTS, error="Error code: 504 - model timed out", duration_ms=90)
    (call,) = [event for event in events_of(flow, hub) if event.category.value == "llm_error"]
    assert call.extra["timeout"] is True


def test_a_providers_error_on_a_run_is_not_counted_beside_the_call_that_had_it() -> None:
    hub = span("invoke_agent", "hub", scope=AGENTS, error="Error code: 500")
    call = span("chat", "m", hub, error="Error code: 500", duration_ms=50)
    assert counts(events_of(hub, call)) == {"turn_failed": 1, "llm_error": 1}


def test_a_limit_is_a_failed_turn_and_an_exhausted_budget_once() -> None:
    error: dict[str, Any] = {
        "error": "Max turns exceeded",
        "events": [SpanEvent("exception", {"exception.type": "MaxTurnsExceeded"})],
    }
    flow = span("invoke_workflow", "Agent workflow", scope=AGENTS)
    hub = span("invoke_agent", "hub", flow, scope=AGENTS, duration_ms=90, **error)
    events = events_of(flow, hub)
    assert counts(events) == {"turn_failed": 1, "budget_exhausted": 1}
    assert {event.extra.get("reason") for event in events} == {"turn_limit", None}


def test_a_spoke_that_ran_out_of_turns_failed_while_its_turn_went_on() -> None:
    hub = span("invoke_agent", "hub")
    tool = span("execute_tool", "ask", hub, duration_ms=50)
    limit = {"gen_ai.response.finish_reasons": ["max_turns"]}
    spoke = span("invoke_agent", "spoke", tool, duration_ms=40, attributes=limit)
    answer = span("chat", "m", hub, start_s=EPOCH_S + 0.06, duration_ms=10)
    found = counts(events_of(hub, tool, spoke, answer))
    assert found == {
        "turn_completed": 1,
        "spoke_failure": 1,
        "budget_exhausted": 1,
        "tool_success": 1,
        "llm_success": 1,
    }


def test_a_call_to_the_same_model_right_after_its_failure_is_a_retry() -> None:
    hub = span("invoke_agent", "hub")
    failed = span("chat", "m", hub, error="Error code: 429", duration_ms=10)
    again = span("chat", "m", hub, start_s=EPOCH_S + 0.02, duration_ms=10)
    (retry,) = [event for event in events_of(hub, failed, again) if event.category.value == "retry"]
    assert (retry.component, retry.agent) == ("hub", "hub")


def test_a_call_after_a_tool_or_to_another_model_or_after_a_callers_error_is_none() -> None:
    hub = span("invoke_agent", "hub")
    failed = span("chat", "m", hub, error="Error code: 429", duration_ms=10)
    tool = span("execute_tool", "t", hub, start_s=EPOCH_S + 0.02, duration_ms=10)
    after = span("chat", "m", hub, start_s=EPOCH_S + 0.04, duration_ms=10)
    assert "retry" not in counts(events_of(hub, failed, tool, after))
    other = span("chat", "m", hub, start_s=EPOCH_S + 0.04, attributes={"gen_ai.request.model": "other"})
    assert "retry" not in counts(events_of(hub, failed, other))
    refused = span("chat", "m", hub, error="Error code: 400", duration_ms=10)
    assert "retry" not in counts(events_of(hub, refused, after))


def test_a_smolagents_member_below_an_agent_is_tool_and_spoke_at_once() -> None:
    smol: dict[str, Any] = {"scope": "openinference.instrumentation.smolagents"}
    hub = make_span("CodeAgent.run", {"openinference.span.kind": "AGENT"}, **smol)
    step = make_span("Step 1", {"openinference.span.kind": "CHAIN"}, parent=hub, duration_ms=80, **smol)
    member = make_span("spoke.run", {"openinference.span.kind": "AGENT"}, parent=step, duration_ms=60, **smol)
    assert counts(events_of(hub, step, member)) == {"turn_completed": 1, "spoke_success": 1, "tool_success": 1}


def test_an_embedding_is_a_success_apart() -> None:
    (event,) = events_of(span("embeddings", "m", attributes={"gen_ai.usage.input_tokens": 8}))
    assert (event.category.value, event.extra["operation"], event.tokens) == ("llm_success", "embeddings", 8)


def test_the_outermost_conversation_is_the_session() -> None:
    hub = span("invoke_agent", "hub", attributes={"gen_ai.conversation.id": "outer"})
    spoke = span("invoke_agent", "spoke", hub, duration_ms=9, attributes={"gen_ai.conversation.id": "inner"})
    assert {event.session for event in events_of(hub, spoke)} == {"outer"}


def test_an_overflow_names_the_spoke_it_happened_in() -> None:
    hub = span("invoke_agent", "hub")
    spoke = span("invoke_agent", "spoke", hub, duration_ms=80)
    too_long = "Error code: 400 - This model's maximum context length is 8192 tokens."
    call = span("chat", "m", spoke, error=too_long, duration_ms=50)
    first = span("chat", "m", hub, error=too_long, start_s=EPOCH_S + 0.09, duration_ms=5)
    overflows = [event for event in events_of(hub, spoke, call, first) if event.category.value == "context_overflow"]
    assert sorted(event.component for event in overflows) == ["orchestrator", "spoke:spoke"]


def test_a_run_that_exceeded_a_limit_of_its_own_is_a_timed_out_turn() -> None:
    timeout: dict[str, Any] = {"error": "", "events": [SpanEvent("exception", {"exception.type": "TimeoutError"})]}
    assert counts(events_of(span("invoke_agent", "hub", **timeout))) == {"turn_timeout": 1}


def test_a_time_out_of_a_call_that_ended_its_turn_is_a_failed_turn() -> None:
    timeout: dict[str, Any] = {"error": "", "events": [SpanEvent("exception", {"exception.type": "TimeoutError"})]}
    hub = span("invoke_agent", "hub", **timeout)
    tool = span("execute_tool", "t", hub, duration_ms=50, **timeout)
    events = {event.category.value: event for event in events_of(hub, tool)}
    assert sorted(events) == ["tool_error", "turn_failed"]
    assert events["turn_failed"].extra["reason"] == "error"
    assert events["tool_error"].extra["timeout"] is True


def test_one_failure_that_makes_two_events_is_one_distinct_failure() -> None:
    crew: dict[str, Any] = {"scope": "openinference.instrumentation.crewai"}
    hub = make_span("hub._execute_core", {"openinference.span.kind": "AGENT", "graph.node.id": "hub"}, **crew)
    tool = {"openinference.span.kind": "TOOL", "tool.name": "Delegate work to coworker"}
    call = make_span("Delegate.run", tool, parent=hub, duration_ms=50, error="boom", **crew)
    assert counts(events_of(hub, call)) == {"turn_completed": 1, "tool_error": 1, "spoke_failure": 1}
    assert stats_of(hub, call)["distinct_failures"] == 1
    refused = make_span("Crew_1.kickoff", {"openinference.span.kind": "CHAIN"}, error="Error code: 500", **crew)
    assert counts(events_of(refused)) == {"turn_failed": 1, "llm_error": 1}
    assert stats_of(refused)["distinct_failures"] == 1


def test_a_refusal_says_who_refused_and_a_cancellation_why() -> None:
    exception = SpanEvent("exception", {"exception.type": "otel_health.errors.CircuitOpen"})
    (refused,) = events_of(span("execute_tool", "t", error="open", events=[exception]))
    assert (refused.category.value, refused.extra["by"]) == ("tool_rejected", "breaker")
    (withdrawn,) = events_of(span("chat", "m", attributes={"error.type": "asyncio.exceptions.CancelledError"}))
    assert (withdrawn.category.value, withdrawn.extra["reason"]) == ("llm_cancelled", "cancelled")


def test_wide_and_deep_traces_are_decided_in_one_pass() -> None:
    flow = span("invoke_workflow", "Agent workflow", scope=AGENTS, duration_ms=9_000_000)
    agents = [
        span("invoke_agent", f"a{n}", flow, scope=AGENTS, start_s=EPOCH_S + n, duration_ms=500) for n in range(2_000)
    ]
    for order in (agents, agents[::-1]):
        assert counts(events_of(*order, flow)) == {"turn_completed": 1, "spoke_success": 1_999}
    chain = [span("invoke_agent", "top")]
    for _ in range(4_000):
        chain.append(make_span("node", parent=chain[-1]))
    assert counts(events_of(*reversed(chain))) == {"turn_completed": 1}
    tool = span("execute_tool", "t", duration_ms=9_000_000)
    inner = [span("execute_tool", "t", tool, start_s=EPOCH_S + n) for n in range(2_000)]
    assert counts(events_of(tool, *inner)) == {"tool_success": 2_001}
