# SPDX-License-Identifier: Apache-2.0
"""The table between readings and events."""

from __future__ import annotations

import pytest

from otel_health.dialects.reading import Compaction, Fault, Kind, Outcome, Reading, Usage
from otel_health.sources import counted
from otel_health.sources.conclusion import conclude
from otel_health.sources.trace import Node, Trace
from otel_health.testing import make_span


def node(reading: Reading) -> Node:
    span = make_span("span")
    made = Trace(span.trace_id).add(span, "test", reading)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("outcome", "tool", "spoke", "turn", "llm"),
    [
        (Outcome.OK, "tool_success", "spoke_success", "turn_completed", "llm_success"),
        (Outcome.ERROR, "tool_error", "spoke_failure", "turn_failed", "llm_error"),
        (Outcome.TIMEOUT, "tool_error", "spoke_failure", "turn_timeout", "llm_error"),
        (Outcome.CANCELLED, "tool_cancelled", "spoke_cancelled", "turn_cancelled", "llm_cancelled"),
        (Outcome.ABANDONED, "tool_cancelled", "spoke_cancelled", "turn_cancelled", "llm_cancelled"),
        (Outcome.REJECTED, "tool_rejected", "spoke_rejected", "turn_cancelled", "llm_rejected"),
    ],
)
def test_every_outcome_of_every_kind_has_its_category(
    outcome: Outcome, tool: str, spoke: str, turn: str, llm: str
) -> None:
    reading = Reading(kind=Kind.TOOL, why="", name="n", outcome=outcome)
    made = node(reading)
    end = conclude(made)
    assert counted.tool_event(made, reading, end, attributed=True).category.value == tool
    assert counted.spoke_event(made, "n", end, None).category.value == spoke
    assert counted.turn_event(made, "n", end, None).category.value == turn
    assert counted.llm_event(made, reading, end).category.value == llm


@pytest.mark.parametrize(
    ("fault", "category", "severity"),
    [
        (Fault.PROVIDER, "llm_error", "error"),
        (Fault.CALLER, "llm_error", "warning"),
        (Fault.OVERFLOW, "context_overflow", "warning"),
        (None, "llm_error", "error"),
    ],
)
def test_the_fault_of_a_failed_call_decides_how_bad_it_is(fault: Fault | None, category: str, severity: str) -> None:
    reading = Reading(kind=Kind.LLM, why="", name="openai", outcome=Outcome.ERROR, fault=fault)
    made = node(reading)
    event = counted.llm_event(made, reading, conclude(made))
    assert (event.category.value, event.severity.value) == (category, severity)


def test_a_time_out_says_so() -> None:
    reading = Reading(kind=Kind.LLM, why="", outcome=Outcome.TIMEOUT, fault=Fault.PROVIDER)
    made = node(reading)
    assert counted.llm_event(made, reading, conclude(made)).extra["timeout"] is True
    assert counted.tool_event(made, reading, conclude(made), attributed=True).extra["timeout"] is True


def test_details_begin_with_the_type_of_the_error_once() -> None:
    for error, expected in (("no route", "OSError: no route"), ("OSError: no route", "OSError: no route")):
        reading = Reading(kind=Kind.TOOL, why="", outcome=Outcome.ERROR, error=error, error_type="OSError")
        made = node(reading)
        assert counted.tool_event(made, reading, conclude(made), attributed=True).details == expected


@pytest.mark.parametrize(
    ("before", "after", "severity"),
    [(187, 88, "info"), (188, 188, "warning"), (188, 189, "warning"), (None, 5, "info")],
)
def test_a_compaction_that_freed_nothing_is_a_warning(before: int | None, after: int, severity: str) -> None:
    reading = Reading(kind=Kind.STEP, why="", compaction=Compaction(before, after))
    (event,) = counted.compaction_events(node(reading), reading)
    assert event.severity.value == severity
    assert event.extra["tokens_after"] == after


def test_no_span_is_believed_more_than_ten_retries() -> None:
    made = node(Reading(kind=Kind.LLM, why=""))
    assert len(counted.retry_events(made, "resent", 10**9)) == 10
    assert counted.retry_events(made, "resent", -1) == []


def test_only_known_counts_are_put_down() -> None:
    assert counted.usage_extra(Usage(input=3, reasoning=0)) == {"input": 3, "reasoning": 0}
