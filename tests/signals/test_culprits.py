# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from otel_health.events.model import Category
from otel_health.signals.culprits import Culprit, Culprits
from otel_health.signals.slices import MOST_NAMES, OTHER
from tests.signals.occurrences import NOW_S, board_after, happening, many

NOW = int(NOW_S)


def test_the_guiltiest_come_first_and_equals_by_name() -> None:
    board = board_after(*many(2, "tool_error", "b"), *many(3, "tool_error", "c"), *many(2, "tool_error", "a"))
    assert [(one.component, one.count) for one in board.top([Category.TOOL_ERROR])] == [("c", 3), ("a", 2), ("b", 2)]


def test_no_more_than_asked_for_are_named() -> None:
    board = board_after(*(happening("tool_error", f"tool-{i}") for i in range(9)))
    assert len(board.top([Category.TOOL_ERROR])) == 5
    assert len(board.top([Category.TOOL_ERROR], n=2)) == 2


def test_a_culprit_comes_with_its_last_error_and_a_trace_to_look_at() -> None:
    board = board_after(
        happening("tool_error", "db", details="refused", trace_id="t1"),
        happening("tool_error", "db", details="gone away", trace_id="t2"),
    )
    assert board.top([Category.TOOL_ERROR]) == (Culprit("db", 2, "gone away", "t2"),)


def test_without_a_trace_there_is_none_to_look_at() -> None:
    assert board_after(happening("tool_error", "db")).top([Category.TOOL_ERROR]) == (Culprit("db", 1, "", ""),)


def test_who_failed_in_several_ways_is_named_once_with_the_later_error() -> None:
    board = board_after(
        happening("turn_failed", "bot", details="later", at=NOW_S - 1),
        happening("turn_timeout", "bot", details="earlier", at=NOW_S - 2),
        happening("turn_timeout", "other"),
    )
    found = board.top([Category.TURN_FAILED, Category.TURN_TIMEOUT])
    assert found[0] == Culprit("bot", 2, "later", "")
    assert found[1].component == "other"


def test_only_the_categories_asked_for_count() -> None:
    board = board_after(*many(3, "tool_error", "db"), happening("spoke_failure", "browser"))
    assert [one.component for one in board.top([Category.SPOKE_FAILURE])] == ["browser"]
    assert board.top([Category.LLM_ERROR]) == ()
    assert board.top([]) == ()


@pytest.mark.parametrize("category", ["tool_success", "turn_completed", "llm_success", "health_changed"])
def test_good_news_makes_nobody_guilty(category: str) -> None:
    assert board_after(happening(category, "db")).top(list(Category)) == ()


def test_a_provider_is_not_blamed_for_its_callers_faults() -> None:
    board = board_after(
        happening("llm_error", "openai", extra={"fault": "caller"}),
        happening("llm_error", "anthropic", extra={"fault": "provider"}),
    )
    assert [one.component for one in board.top([Category.LLM_ERROR])] == ["anthropic"]


def test_a_flood_of_names_in_one_category_costs_another_nothing() -> None:
    culprits = Culprits(3600)
    for i in range(MOST_NAMES + 7):
        culprits.add(happening("tool_error", f"tool-{i}"), NOW)
    culprits.add(happening("spoke_failure", "browser"), NOW)
    assert culprits.top([Category.TOOL_ERROR], NOW)[0] == Culprit(OTHER, 7)
    assert culprits.top([Category.SPOKE_FAILURE], NOW) == (Culprit("browser", 1),)
    assert culprits.overflowed == 7


def test_guilt_leaves_with_the_window() -> None:
    culprits = Culprits(3600)
    culprits.add(happening("tool_error", "db"), NOW)
    assert culprits.top([Category.TOOL_ERROR], NOW + 3600) == (Culprit("db", 1),)
    assert culprits.top([Category.TOOL_ERROR], NOW + 3700) == ()
