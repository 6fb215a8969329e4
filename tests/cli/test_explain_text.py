# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from otel_health.cli.explain_text import explanation_text
from otel_health.sources.assembly import Explanation

READ = Explanation(
    trace_id="1" * 32,
    span_id="2" * 16,
    name="chat [bold]gpt[/bold]",
    scope="lib",
    dialect="genai",
    kind="llm",
    outcome="ok",
    error_type="",
    fault="",
    reason="",
    counted_as="llm_success",
    why="its operation is 'chat'",
)


def _lines(explanation: Explanation, width: int = 100) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width).print(explanation_text(explanation))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_span_that_counts_says_as_what_and_by_whose_word() -> None:
    assert _lines(READ) == [
        "  22222222…  chat [bold]gpt[/bold]  llm ok → llm_success",
        "               genai, scope lib: its operation is 'chat'",
    ]


def test_a_span_that_does_not_count_says_so() -> None:
    step = msgspec.structs.replace(READ, name="step", kind="step", outcome="", counted_as="")
    assert _lines(step)[0] == "  22222222…  step  step → not counted"


def test_a_span_that_nobody_reads_says_so() -> None:
    unread = msgspec.structs.replace(
        READ, name="GET /", scope="", dialect="", kind="", outcome="", counted_as="", why="not about an agent"
    )
    assert _lines(unread) == [
        "  22222222…  GET /  not read → not counted",
        "               no dialect, scope unnamed: not about an agent",
    ]


@pytest.mark.parametrize(
    ("outcome", "error_type", "fault", "reason", "said"),
    [
        ("error", "RateLimitError", "provider", "", "llm error (RateLimitError, provider's fault)"),
        ("error", "", "caller", "", "llm error (caller's fault)"),
        ("error", "BadRequestError", "overflow", "", "llm error (BadRequestError, context overflow)"),
        ("timeout", "ReadTimeout", "provider", "timeout", "llm timeout (ReadTimeout, provider's fault)"),
        ("cancelled", "", "", "incomplete", "llm cancelled (incomplete)"),
        ("error", "", "", "turn_limit", "llm error (turn limit)"),
    ],
)
def test_the_facts_that_decided_the_outcome_stand_beside_it(
    outcome: str, error_type: str, fault: str, reason: str, said: str
) -> None:
    told = msgspec.structs.replace(READ, outcome=outcome, error_type=error_type, fault=fault, reason=reason)
    assert f"  {said} → llm_success" in _lines(told)[0]


def test_no_word_is_broken_at_eighty_columns() -> None:
    told = msgspec.structs.replace(
        READ,
        name="invoke_agent " + "x" * 90,
        scope="opentelemetry.instrumentation.openai_agents",
        error_type="some.very.long.module." + "E" * 90,
        why="topmost run of its trace: its GenAI operation is 'invoke_agent'",
    )
    assert max(map(len, _lines(told, 80))) <= 80
    assert " ".join(_lines(told, 80)).split() == " ".join(_lines(told, 500)).split()
