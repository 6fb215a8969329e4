# SPDX-License-Identifier: Apache-2.0
"""The readers of the GenAI conventions."""

from __future__ import annotations

from typing import Any

import pytest

from otel_health.dialects.genai import GenAI, OtelGenAI
from otel_health.dialects.reading import Compaction, Fault, Kind, Outcome, Reading, Retry, Team
from otel_health.testing import make_span

OFFICIAL = "opentelemetry.instrumentation.genai.langchain"


def read(attributes: dict[str, Any], **span: Any) -> Reading:
    made = make_span(span.pop("name", "span"), attributes, **span)
    dialect = OtelGenAI() if OtelGenAI().speaks(made) else GenAI()
    assert dialect.speaks(made)
    reading = dialect.read(made)
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ("chat", Kind.LLM),
        ("generate_content", Kind.LLM),
        ("text_completion", Kind.LLM),
        ("embeddings", Kind.EMBEDDING),
        ("execute_tool", Kind.TOOL),
        ("invoke_agent", Kind.AGENT),
        ("invoke_workflow", Kind.WORKFLOW),
        ("create_agent", Kind.STEP),
        ("plan", Kind.STEP),
        ("something_new", Kind.STEP),
    ],
)
def test_the_operation_says_what_a_span_is(operation: str, kind: Kind) -> None:
    assert read({"gen_ai.operation.name": operation}).kind is kind


@pytest.mark.parametrize(
    ("attributes", "kind"),
    [
        ({"mcp.method.name": "tools/call"}, Kind.TOOL),
        ({"gen_ai.tool.name": "search"}, Kind.TOOL),
        ({"gen_ai.system": "openai", "gen_ai.request.model": "gpt-4"}, Kind.LLM),
    ],
)
def test_a_span_without_an_operation_is_told_by_what_else_it_names(attributes: dict[str, str], kind: Kind) -> None:
    assert read(attributes).kind is kind


def test_other_mcp_methods_and_foreign_spans_are_not_spoken() -> None:
    assert not GenAI().speaks(make_span("tools/list", {"mcp.method.name": "tools/list"}))
    assert not GenAI().speaks(make_span("GET /"))
    assert GenAI().read(make_span("GET /")) is None


def test_names_come_from_the_span_where_no_attribute_has_them() -> None:
    assert read({"gen_ai.operation.name": "execute_tool"}, name="execute_tool search").name == "search"
    assert read({"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent my helper").name == "my helper"
    assert read({"gen_ai.operation.name": "invoke_agent"}, name="invoke_agent").name == "agent"
    assert read({"gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": "crew"}).name == "crew"


def test_a_model_call_without_any_sign_of_an_answer_was_withdrawn_only_where_answers_always_leave_one() -> None:
    silent = {"gen_ai.operation.name": "chat"}
    assert read(silent).outcome is Outcome.OK
    official = read(silent, scope=OFFICIAL)
    assert (official.outcome, official.reason) == (Outcome.CANCELLED, "incomplete")
    assert read(silent | {"gen_ai.usage.output_tokens": 3}, scope=OFFICIAL).outcome is Outcome.OK
    assert read(silent | {"gen_ai.response.finish_reasons": ["stop"]}, scope=OFFICIAL).outcome is Outcome.OK


def test_a_stream_whose_only_finish_reason_is_error_was_abandoned() -> None:
    reading = read({"gen_ai.operation.name": "chat", "gen_ai.response.finish_reasons": ("error",)})
    assert (reading.outcome, reading.reason) == (Outcome.ABANDONED, "stream_abandoned")


def test_a_finish_reason_can_say_overflow_or_limit() -> None:
    overflow = {"gen_ai.response.finish_reasons": ["model_context_window_exceeded"]}
    assert read({"gen_ai.operation.name": "chat"} | overflow).fault is Fault.OVERFLOW
    limit = {"gen_ai.response.finish_reasons": ["max_turns"]}
    assert read({"gen_ai.operation.name": "invoke_agent"} | limit).limit_reached


def test_requests_sent_again_and_compactions_are_taken_note_of() -> None:
    reading = read(
        {
            "gen_ai.operation.name": "chat",
            "http.request.resend_count": 2,
            "gen_ai.conversation.compacted": True,
        }
    )
    assert (reading.retry, reading.compaction) == (Retry("resent", 2), Compaction())
    assert read({"gen_ai.operation.name": "chat", "gen_ai.conversation.compacted": "no"}).compaction is None


def test_only_the_official_readers_know_how_a_workflow_delegates() -> None:
    workflow = {"gen_ai.operation.name": "invoke_workflow"}
    assert read(workflow).team is None
    assert read(workflow, scope=OFFICIAL).team is Team.PEERS
    agents = read(workflow, scope="opentelemetry.instrumentation.genai.openai_agents")
    assert (agents.team, agents.hides_model_calls) == (Team.SEQUENCE, True)


def test_senseless_counts_are_reported() -> None:
    assert read({"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": -1}).malformed == 1
