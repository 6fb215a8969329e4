# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from otel_health.signals.agents import COUNTS, Agents
from otel_health.signals.slices import MOST_NAMES, OTHER
from otel_health.signals.window import STATS
from tests.signals.occurrences import NOW_S, board_after, happening, many

NOW = int(NOW_S)


def test_each_agent_has_its_own_counts_and_nothing_else() -> None:
    board = board_after(
        *many(3, "tool_success", agent="prax"),
        happening("tool_error", agent="prax"),
        happening("llm_success", agent="prax", extra={"input": 900, "output": 40}),
        happening("turn_failed", "missy", agent="missy"),
    )
    found = board.agents()
    assert list(found) == ["prax", "missy"]
    assert list(found["prax"]) == list(COUNTS)
    assert {key: n for key, n in found["prax"].items() if n} == {
        "tool_calls": 4,
        "tool_errors": 1,
        "llm_calls": 1,
        "input_tokens": 900,
        "output_tokens": 40,
    }
    assert {key: n for key, n in found["missy"].items() if n} == {"turns": 1, "turn_failures": 1}


def test_what_an_agent_does_itself_counts_for_the_component() -> None:
    board = board_after(happening("turn_completed", "prax"), happening("retry", "prax"))
    assert board.agents()["prax"]["turns"] == 1
    assert board.agents()["prax"]["retries"] == 1


def test_an_event_of_no_known_agent_is_left_to_the_totals() -> None:
    board = board_after(happening("tool_error", "db"), happening("turn_completed", ""))
    assert board.agents() == {}
    assert board.read()["tool_errors"] == 1


def test_agents_beyond_the_most_are_counted_together() -> None:
    agents = Agents(3600)
    for i in range(MOST_NAMES + 3):
        agents.add(happening("turn_completed", f"agent-{i}"), {"turns": 1}, NOW)
    assert agents.read(NOW)[OTHER]["turns"] == 3
    assert agents.overflowed == 3


def test_an_agent_leaves_with_the_window() -> None:
    agents = Agents(60)
    agents.add(happening("turn_completed", "prax"), {"turns": 1}, NOW)
    assert list(agents.read(NOW + 60)) == ["prax"]
    assert agents.read(NOW + 62) == {}


def test_its_counts_are_named_as_the_windows_are() -> None:
    assert set(COUNTS) <= {stat.name for stat in STATS}
