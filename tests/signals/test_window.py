# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.clock import ManualClock
from otel_health.errors import UnknownNameError
from otel_health.events.model import Category
from otel_health.signals.base import Signal
from otel_health.signals.board import Board
from otel_health.signals.window import STATS, Window
from tests.signals.brute_force import BruteForce
from tests.signals.occurrences import NOW_S, board_after, happening, many

WINDOW_S = 60
NOW = int(NOW_S)

SEEDS_KEYS = (
    "window_minutes total_events turns tool_calls tool_errors tool_error_rate spoke_calls spoke_failures "
    "spoke_failure_rate context_overflows compactions retries llm_errors timeouts budget_exhaustions avg_latency_ms "
    "p95_latency_ms"
)
OUR_KEYS = (
    "turns_completed turn_failures turn_cancellations turns_open turns_stuck llm_calls llm_caller_errors llm_timeouts "
    "llm_cancellations tool_timeouts embedding_calls input_tokens output_tokens cached_input_tokens usage_missing "
    "cost_usd cost_incomplete loop_blocks rejections distinct_failures unclassified_spans unattributed_spans "
    "turns_measured"
)

STAMPS_S = st.one_of(
    st.floats(-90, 30),
    st.sampled_from([0.0, -60.0, -60.000001, -59.999, -61.0, 5.0, 5.000001, -1e9, 1e9]),
)
EVENTS = st.tuples(
    st.just("event"),
    STAMPS_S,
    st.sampled_from(Category),
    st.none() | st.floats(0.2, 1e9),
    st.fixed_dictionaries({}, optional={"input": st.integers(0, 10**6), "output": st.integers(0, 10**6)}),
)
PASSING = st.tuples(st.just("pass"), st.sampled_from([0.25, 1.0, 5.5, 59.0, 60.0, 61.0, 10_000.0]))
STEPS = st.tuples(st.just("step"), st.sampled_from([-86_400, -61, -3, 2, 60, 86_400]))


@settings(deadline=None, max_examples=150)
@given(st.floats(0, 1), st.lists(st.one_of(EVENTS, EVENTS, EVENTS, PASSING, STEPS), max_size=60))
def test_it_agrees_with_counting_from_scratch(fraction: float, moves: list[tuple[Any, ...]]) -> None:
    clock = ManualClock(NOW_S + fraction)
    board, paper = Board(clock, WINDOW_S), BruteForce(clock, WINDOW_S)
    for move, amount, *more in moves:
        if move == "pass":
            clock.advance(amount)
        elif move == "step":
            paper.step_wall(amount)
        else:
            category, latency_ms, extra = more
            event = happening(category, at=clock.wall() + amount, latency_ms=latency_ms, extra=extra)
            board.fold(event)
            paper.fold(event)
        expected, found = paper.read(), board.read()
        for name, allowed in (("avg_latency_ms", 1e-6), ("p95_latency_ms", 0.01)):
            assert found[name] == pytest.approx(expected.pop(name), rel=allowed, abs=0)
        assert {name: found[name] for name in expected} == expected
    assert board.self_counts()["events_restamped"] == paper.restamped


def test_its_keys_are_the_promised_ones_in_their_order() -> None:
    assert " ".join(stat.name for stat in STATS) == f"{SEEDS_KEYS} {OUR_KEYS}"
    assert " ".join(Window(60).read(NOW)) == f"{SEEDS_KEYS} {OUR_KEYS}"


def test_it_is_a_signal() -> None:
    assert isinstance(Window(60), Signal)


def test_an_empty_window_is_all_zeros_and_knows_no_cost_and_no_open_turns() -> None:
    stats = Window(3600).read(NOW)
    assert stats.pop("window_minutes") == 60
    assert [stats.pop(name) for name in ("cost_usd", "turns_open", "turns_stuck")] == [None] * 3
    assert set(stats.values()) == {0}


def test_an_event_at_the_very_edge_still_counts_and_a_second_later_no_more() -> None:
    clock = ManualClock(NOW_S)
    board = Board(clock, WINDOW_S)
    board.fold(happening("retry"))
    clock.advance(60)
    assert board.read()["retries"] == 1
    clock.advance(1)
    assert board.read()["retries"] == 0


def test_an_event_that_comes_late_hides_no_other() -> None:
    board = board_after(*(happening("retry", at=NOW_S - age_s) for age_s in (0, 3000, 10, 3600, 2)))
    assert board.read()["retries"] == 5


def test_after_the_clock_was_set_back_an_hour_old_events_leave_when_their_hour_has_passed() -> None:
    clock = ManualClock(NOW_S)
    board = Board(clock)
    board.fold(happening("retry"))
    clock.step_wall(-3600)
    board.fold(happening("retry", at=clock.wall()))
    clock.advance(3600)
    assert board.read()["retries"] == 2
    clock.advance(1)
    assert board.read()["retries"] == 0


def test_after_the_clock_was_set_forward_a_day_what_just_happened_is_still_there() -> None:
    clock = ManualClock(NOW_S)
    board = Board(clock)
    board.fold(happening("retry"))
    clock.step_wall(86_400)
    assert board.read()["retries"] == 1


def test_rates_are_not_rounded() -> None:
    stats = board_after(*many(1, "tool_error"), *many(2, "tool_success")).read()
    assert stats["tool_error_rate"] == 1 / 3


def test_the_mean_is_exact_after_any_amount_of_sliding() -> None:
    window = Window(60)
    for second in range(5_000):
        window.fold(happening("turn_completed", latency_ms=1e7 + 0.1 * second), NOW + second)
    window.fold(happening("turn_completed", latency_ms=0.3), NOW + 9_000)
    assert window.read(NOW + 9_000)["avg_latency_ms"] == 0.3


def test_turns_without_a_latency_weigh_nothing_in_the_mean() -> None:
    stats = board_after(
        happening("turn_completed", latency_ms=61_000.0),
        *many(2, "turn_completed"),
        happening("turn_completed", latency_ms=0.0),
        happening("turn_failed", latency_ms=5.0),
    ).read()
    assert (stats["turns"], stats["turns_measured"], stats["avg_latency_ms"]) == (5, 1, 61_000.0)


def test_known_costs_are_summed_and_the_sum_says_when_it_is_a_lower_bound() -> None:
    priced = happening("llm_success", extra={"input": 10, "cost_usd": 0.1})
    known = board_after(*[priced] * 3).read()
    assert (known["cost_usd"], known["cost_incomplete"]) == (0.3, False)
    mixed = board_after(priced, happening("llm_success", extra={"input": 10})).read()
    assert (mixed["cost_usd"], mixed["cost_incomplete"]) == (0.1, True)
    unknown = board_after(happening("llm_success", extra={"input": 10})).read()
    assert (unknown["cost_usd"], unknown["cost_incomplete"]) == (None, True)
    free = board_after(happening("llm_success", extra={"input": 10, "cost_usd": 0.0})).read()
    assert (free["cost_usd"], free["cost_incomplete"]) == (0.0, False)


def test_what_no_event_carries_is_counted_from_outside_and_slides_too() -> None:
    window = Window(60)
    window.count("unclassified_spans", 3, NOW)
    window.count("unattributed_spans", 2, NOW + 30)
    assert window.read(NOW + 60)["unclassified_spans"] == 3
    assert window.read(NOW + 61)["unclassified_spans"] == 0
    assert window.read(NOW + 61)["unattributed_spans"] == 2


def test_a_gauge_is_unknown_until_it_is_set_and_holds_until_it_is_set_again() -> None:
    window = Window(60)
    assert (window.read(NOW)["turns_open"], window.read(NOW)["turns_stuck"]) == (None, None)
    window.set_gauge("turns_open", 4)
    window.set_gauge("turns_stuck", 1)
    assert window.read(NOW + 10_000)["turns_open"] == 4
    window.set_gauge("turns_open", 0)
    assert (window.read(NOW)["turns_open"], window.read(NOW)["turns_stuck"]) == (0, 1)


def test_only_what_is_declared_can_be_set_or_counted_from_outside() -> None:
    window = Window(60)
    with pytest.raises(UnknownNameError, match="did you mean 'turns_open'"):
        window.set_gauge("turn_open", 1)
    with pytest.raises(UnknownNameError, match="did you mean 'unclassified_spans'"):
        window.count("unclassified_span", 1, NOW)


@pytest.mark.parametrize(("window_s", "minutes"), [(3600, 60), (60, 1), (86_400, 1440), (90, 1.5)])
def test_the_length_is_told_in_minutes(window_s: int, minutes: float) -> None:
    assert Window(window_s).read(NOW)["window_minutes"] == minutes


def test_it_lets_go_of_old_seconds_though_nobody_reads() -> None:
    window = Window(60)
    for second in range(10_000):
        window.fold(happening("turn_completed", latency_ms=5.0), NOW + second)
        window.count("unclassified_spans", 1, NOW + second)
    assert len(window._sums) <= 60 + 1 + 5
    assert len(window._latencies._seconds) <= 60 + 1 + 5
