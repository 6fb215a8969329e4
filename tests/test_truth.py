# SPDX-License-Identifier: Apache-2.0
"""Recorded runs of real frameworks give the numbers that the runs really had.

What the spans cannot show is listed in each `expected.json`, with its reason, and only that is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from otel_health.dialects.span import Span
from otel_health.events.model import HealthEvent
from otel_health.signals.base import Stats
from otel_health.sources.files import read
from otel_health.testing import events_of
from tests.rivers import numbers
from tests.scenarios import Scenario, expected, folders, scenarios

SAME = {
    "llm_calls": "llm_calls",
    "tool_calls": "tool_calls",
    "tool_errors": "tool_errors",
    "agent_turns": "turns",
    "subagent_calls": "spoke_calls",
    "subagent_failures": "spoke_failures",
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "context_overflows": "context_overflows",
}
"""Facts that are counted as they are."""
FAILED_CALLS = ("llm_errors", "llm_caller_errors", "context_overflows", "llm_cancellations")
LATE = ("timeouts", "turn_cancellations", "llm_timeouts", "llm_cancellations", "tool_timeouts")
UNWELL = ("turn_failures", "timeouts", "turn_cancellations")
SIGNS = {"retries": "retries", "compactions": "compactions", "budget_exhausted": "budget_exhaustions"}
"""Facts of which some sign must be seen, and none in a healthy run."""


def total(stats: Stats, names: tuple[str, ...]) -> int:
    return sum(int(stats[name] or 0) for name in names)


def facts(scenario: Scenario, stats: Stats) -> Iterator[tuple[str, object, object]]:
    """Yield each fact of the run with what it was and what was found."""
    truth = scenario.truth
    for fact, stat in SAME.items():
        yield fact, truth[fact], stats[stat]
    if "abandon" not in scenario.name:
        yield "llm_errors", truth["llm_errors"], total(stats, FAILED_CALLS)
    if truth["timeouts"]:
        yield "timeouts", True, total(stats, LATE) >= truth["timeouts"]
    else:
        yield "timeouts", 0, stats["timeouts"]
    raised = truth["outcome"] == "raised"
    if truth["agent_turns"] and (raised or not (truth["timeouts"] or truth.get("budget_exhausted"))):
        yield "outcome", raised, total(stats, UNWELL) > 0
    for fact, stat in SIGNS.items():
        if truth.get(fact) or scenario.name == "healthy":
            yield fact, bool(truth.get(fact)), bool(stats[stat])


def spans_of(path: Path) -> list[Span]:
    return [item for item in read(path) if isinstance(item, Span)]


def hidden(scenario: Scenario) -> set[str]:
    listed = expected(scenario.folder)["not_observable"]
    return {*listed.get("*", ()), *listed.get(scenario.name, ())}


@pytest.mark.parametrize("scenario", scenarios(), ids=str)
def test_every_fact_that_the_spans_can_show_is_found(scenario: Scenario) -> None:
    stats = numbers(events_of(*spans_of(scenario.path)))
    wrong = [fact for fact in facts(scenario, stats) if fact[1] != fact[2] and fact[0] not in hidden(scenario)]
    assert wrong == []


@pytest.mark.parametrize("folder", folders())
def test_the_order_of_arrival_changes_nothing(folder: str) -> None:
    for scenario in scenarios(folder):
        spans = spans_of(scenario.path)
        forward = summary(events_of(*spans))
        assert summary(events_of(*reversed(spans))) == forward
        Random(7).shuffle(spans)
        assert summary(events_of(*spans)) == forward


def summary(events: list[HealthEvent]) -> list[str]:
    return sorted(repr(event) for event in events)


def test_no_more_than_a_tenth_of_the_facts_is_left_out_and_each_with_a_reason() -> None:
    asked = left_out = 0
    for scenario in scenarios():
        stats = numbers(events_of(*spans_of(scenario.path)))
        for fact, _, _ in facts(scenario, stats):
            asked += 1
            left_out += fact in hidden(scenario)
    reasons = [r for f in folders() for facts_ in expected(f)["not_observable"].values() for r in facts_.values()]
    assert left_out <= 0.1 * asked
    assert all(len(reason) > 20 for reason in reasons)
