# SPDX-License-Identifier: Apache-2.0
"""OpenInference and its peculiarities by framework."""

from __future__ import annotations

import json
from typing import Any

import pytest

from otel_health.dialects import interpreter
from otel_health.dialects.reading import Compaction, Kind, Outcome, Reading, Team
from otel_health.dialects.span import Span, SpanEvent, SpanStatus
from otel_health.testing import make_span


def read(framework: str, kind: str, name: str = "x", **span: Any) -> Reading:
    attributes = {"openinference.span.kind": kind} | span.pop("attributes", {})
    made = make_span(name, attributes, scope=f"openinference.instrumentation.{framework}", **span)
    dialect, reading = interpreter().read(made)
    assert dialect == f"openinference_{framework}" or framework in ("openai", "other")
    assert reading is not None
    return reading


def raised(name: str, message: str) -> dict[str, Any]:
    event = SpanEvent("exception", {"exception.type": name, "exception.message": message})
    return {"error": f"{name}: {message}", "events": [event]}


class TestPlain:
    """Instrumentations without peculiarities."""

    @pytest.mark.parametrize(
        ("kind", "expected"),
        [
            ("AGENT", Kind.AGENT),
            ("LLM", Kind.LLM),
            ("EMBEDDING", Kind.EMBEDDING),
            ("TOOL", Kind.TOOL),
            ("CHAIN", Kind.STEP),
            ("RETRIEVER", Kind.STEP),
            ("agent", Kind.AGENT),
        ],
    )
    def test_the_kind_says_what_a_span_is(self, kind: str, expected: Kind) -> None:
        assert read("other", kind).kind is expected

    def test_a_call_with_partial_output_and_no_status_was_withdrawn(self) -> None:
        reading = read("openai", "LLM", attributes={"output.value": '{"choices": []}'})
        assert (reading.outcome, reading.reason) == (Outcome.CANCELLED, "incomplete")

    @pytest.mark.parametrize("sign", [{"llm.finish_reason": "stop"}, {"llm.token_count.prompt": 3}])
    def test_a_finish_reason_or_tokens_say_that_it_was_answered(self, sign: dict[str, Any]) -> None:
        assert read("openai", "LLM", attributes=sign).outcome is Outcome.OK

    def test_the_response_id_is_found_in_the_output(self) -> None:
        output = json.dumps({"id": "chatcmpl-abc", "object": "chat.completion"})
        assert read("openai", "LLM", attributes={"output.value": output}).response_id == "chatcmpl-abc"
        assert read("openai", "LLM", attributes={"output.value": '{"id": "toolu_1"}'}).response_id == ""
        assert read("openai", "LLM", attributes={"output.value": 7}).response_id == ""


class TestLangChain:
    """Chains are told apart by their metadata."""

    @staticmethod
    def chain(name: str, meta: dict[str, Any], **span: Any) -> Reading:
        attributes = {"metadata": json.dumps(meta)} | span.pop("attributes", {})
        return read("langchain", "CHAIN", name, attributes=attributes, **span)

    def test_a_chain_named_as_its_agent_is_the_agent(self) -> None:
        meta = {"ls_integration": "langchain_create_agent", "lc_agent_name": "spoke", "langgraph_node": "spoke"}
        assert self.chain("spoke", meta).kind is Kind.AGENT
        assert self.chain("model", meta).kind is Kind.STEP

    def test_a_graph_that_no_node_runs_is_a_workflow_of_peers(self) -> None:
        reading = self.chain("hub_graph", {"ls_integration": "langgraph"})
        assert (reading.kind, reading.team) == (Kind.WORKFLOW, Team.PEERS)

    def test_a_root_chain_without_metadata_is_a_workflow_too(self) -> None:
        assert read("langchain", "CHAIN", "RunnableSequence").kind is Kind.WORKFLOW
        assert read("langchain", "CHAIN", "RunnableSequence", parent=make_span()).kind is Kind.STEP

    def test_a_cancelled_model_node_stands_for_the_call_that_was_never_exported(self) -> None:
        meta = {"ls_integration": "langchain_create_agent", "langgraph_node": "model", "lc_agent_name": "a"}
        reading = self.chain("model", meta, parent=make_span(), error="CancelledError()Traceback ...")
        assert (reading.kind, reading.outcome, reading.stand_in) == (Kind.LLM, Outcome.CANCELLED, True)
        failed = self.chain("model", meta, parent=make_span(), error="ValueError('x')")
        assert failed.kind is Kind.STEP

    def test_an_error_handed_to_the_model_is_a_tool_error(self) -> None:
        message = {"type": "tool", "data": {"content": "soft boom", "status": "error"}}
        reading = read("langchain", "TOOL", "boom", attributes={"output.value": json.dumps(message)})
        assert (reading.outcome, reading.error) == (Outcome.ERROR, "soft boom")
        message["data"] = {"content": "fine", "status": "success"}
        fine = read("langchain", "TOOL", "boom", attributes={"output.value": json.dumps(message)})
        assert fine.outcome is Outcome.OK

    @pytest.mark.parametrize(("output", "seen"), [('{"type": "remove"}', Compaction()), ("null", None), (None, None)])
    def test_a_summary_that_removed_messages_is_a_compaction(self, output: str | None, seen: Compaction | None) -> None:
        meta = {"langgraph_node": "SummarizationMiddleware.before_model"}
        reading = self.chain(
            "SummarizationMiddleware.before_model", meta, attributes={"output.value": output}, parent=make_span()
        )
        assert reading.compaction == seen


class TestOpenAIAgents:
    """The trace is an agent without a name, and OK says nothing."""

    def test_the_unnamed_agent_is_the_workflow_and_the_named_ones_its_agents(self) -> None:
        root = read("openai_agents", "AGENT", "Agent workflow")
        assert (root.kind, root.team) == (Kind.WORKFLOW, Team.SEQUENCE)
        assert read("openai_agents", "AGENT", "hub", attributes={"agent.name": "hub"}).kind is Kind.AGENT

    def test_a_hand_off_is_no_tool(self) -> None:
        assert read("openai_agents", "TOOL", "handoff to spoke").kind is Kind.STEP
        assert read("openai_agents", "TOOL", "get_weather").kind is Kind.TOOL

    def test_status_ok_does_not_say_that_a_call_was_answered(self) -> None:
        span = make_span("response", {"openinference.span.kind": "LLM"})
        ok = Span(**{f: getattr(span, f) for f in span.__struct_fields__} | {"status": SpanStatus.OK})
        scoped = {"scope": "openinference.instrumentation.openai_agents"}
        agents = Span(**{f: getattr(ok, f) for f in ok.__struct_fields__} | scoped)
        readings = [interpreter().read(each)[1] for each in (ok, agents)]
        assert [reading and reading.outcome for reading in readings] == [Outcome.OK, Outcome.CANCELLED]


class TestSmolagents:
    """Failed steps tell of calls that left no span."""

    def test_an_unknown_tool_is_a_failed_tool_call(self) -> None:
        error = raised("smolagents.utils.AgentToolExecutionError", "Unknown tool nope, should be one of: add.")
        reading = read("smolagents", "CHAIN", "Step 1", **error)
        assert (reading.kind, reading.name, reading.stand_in, reading.delegates_to) == (Kind.TOOL, "nope", True, "")

    def test_a_failed_team_member_is_tool_and_spoke(self) -> None:
        error = raised("x.AgentToolExecutionError", "Error executing request to team member 'spoke' with arguments {}")
        reading = read("smolagents", "CHAIN", "Step 1", **error)
        assert (reading.name, reading.delegates_to) == ("spoke", "spoke")

    def test_a_step_that_failed_otherwise_is_only_a_step(self) -> None:
        error = raised("smolagents.utils.AgentGenerationError", "Error code: 500")
        assert read("smolagents", "CHAIN", "Step 1", **error).kind is Kind.STEP
        assert read("smolagents", "CHAIN", "Step 1").kind is Kind.STEP
        unnamed = raised("smolagents.utils.AgentToolExecutionError", "something odd")
        assert read("smolagents", "CHAIN", "Step 1", **unnamed).name == "unknown"

    def test_the_step_limit_is_kept(self) -> None:
        reading = read("smolagents", "AGENT", "CodeAgent.run", attributes={"smolagents.max_steps": 4})
        assert (reading.name, reading.step_limit, reading.called_as_tool) == ("CodeAgent", 4, True)


class TestCrewAI:
    """Crews have a UUID in their names, and model calls no spans."""

    def test_a_crew_is_a_workflow_of_peers_with_a_name_fit_for_a_label(self) -> None:
        reading = read("crewai", "CHAIN", "Crew_d72a07a7-e888-4d19-b081-9b1693c678bf.kickoff")
        assert (reading.kind, reading.name, reading.team) == (Kind.WORKFLOW, "crew", Team.PEERS)
        assert reading.hides_model_calls

    def test_delegation_is_tool_and_spoke(self) -> None:
        tool = {"tool.name": "Delegate work to coworker"}
        assert read("crewai", "TOOL", attributes=tool).delegates_to == "coworker"
        assert read("crewai", "TOOL", "add.run", attributes={"tool.name": "add"}).delegates_to == ""

    def test_agents_are_named_by_their_node(self) -> None:
        assert read("crewai", "AGENT", "hub._execute_core", attributes={"graph.node.id": "hub"}).name == "hub"
        assert read("crewai", "AGENT", "hub._execute_core").name == "hub"
