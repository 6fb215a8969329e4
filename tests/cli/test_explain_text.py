# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import msgspec

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


def test_a_span_that_counts_says_as_what_and_by_whose_word() -> None:
    assert explanation_text(READ).plain == (
        "  chat [bold]gpt[/bold]  llm ok → llm_success\n      genai, scope lib: its operation is 'chat'"
    )


def test_a_span_that_does_not_count_says_so() -> None:
    step = msgspec.structs.replace(READ, name="step", kind="step", outcome="", counted_as="")
    assert "  step  step → not counted\n" in explanation_text(step).plain


def test_a_span_that_nobody_reads_says_so() -> None:
    unread = msgspec.structs.replace(
        READ, name="GET /", scope="", dialect="", kind="", outcome="", counted_as="", why=""
    )
    assert explanation_text(unread).plain == "  GET /  not read → not counted\n      no dialect, scope unnamed"
