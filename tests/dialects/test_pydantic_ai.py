# SPDX-License-Identifier: Apache-2.0
"""pydantic-ai's own spans."""

from __future__ import annotations

from typing import Any

import pytest

from otel_health.dialects.pydantic_ai import PydanticAI
from otel_health.dialects.reading import Kind, Outcome, Reading, Retry
from otel_health.dialects.span import SpanEvent
from otel_health.testing import make_span


def read(name: str, attributes: dict[str, Any] | None = None, **span: Any) -> Reading:
    made = make_span(name, attributes, scope="pydantic-ai", **span)
    assert PydanticAI().speaks(made)
    reading = PydanticAI().read(made)
    assert reading is not None
    return reading


@pytest.mark.parametrize(
    ("name", "kind"), [("agent run", Kind.AGENT), ("running tool", Kind.TOOL), ("running 2 tools", Kind.STEP)]
)
def test_old_formats_are_told_by_the_span_name(name: str, kind: Kind) -> None:
    assert read(name).kind is kind


def test_sums_under_names_of_their_own_are_taken_where_the_usual_names_are_empty() -> None:
    reading = read(
        "invoke_agent bot",
        {
            "gen_ai.operation.name": "invoke_agent",
            "agent_name": "bot",
            "gen_ai.aggregated_usage.input_tokens": 100,
        },
    )
    assert reading.usage is not None
    assert (reading.name, reading.usage.input) == ("bot", 100)


def test_the_usual_names_win_over_the_sums() -> None:
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.aggregated_usage.input_tokens": 100,
    }
    usage = read("agent run", attributes).usage
    assert usage is not None
    assert usage.input == 7


def test_a_model_retry_is_a_failed_tool_and_a_retry() -> None:
    reading = read(
        "running tool",
        {"gen_ai.operation.name": "execute_tool", "pydantic_ai.tool.retry.cause": "model_retry"},
        error="",
        events=[SpanEvent("exception", {"exception.type": "pydantic_ai.exceptions.ToolRetryError"})],
    )
    assert (reading.outcome, reading.retry) == (Outcome.ERROR, Retry("model_retry"))


def test_a_tool_that_waits_for_approval_is_no_error() -> None:
    exception = SpanEvent("exception", {"exception.type": "pydantic_ai.exceptions.ApprovalRequired"})
    reading = read("running tool", {"gen_ai.operation.name": "execute_tool"}, error="", events=[exception])
    assert (reading.outcome, reading.reason) == (Outcome.OK, "paused")


def test_the_cost_it_reports_is_kept() -> None:
    answered = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1}
    assert read("chat m", answered | {"operation.cost": 2.5e-05}).cost_usd == 2.5e-05
    assert read("chat m", answered).cost_usd is None


def test_a_model_call_without_usage_and_finish_reason_was_cancelled() -> None:
    assert read("chat m", {"gen_ai.operation.name": "chat"}).outcome is Outcome.CANCELLED
