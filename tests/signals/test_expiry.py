# SPDX-License-Identifier: Apache-2.0
"""When time alone changes the numbers next."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.clock import ManualClock
from otel_health.events.model import Category, event
from otel_health.signals.board import Board

START_S = 1_750_000_000.25


def _fail(board: Board, timestamp: float) -> None:
    board.fold(event(Category.TOOL_ERROR, "search", timestamp=timestamp))


def test_nothing_expires_from_an_empty_window() -> None:
    clock = ManualClock(wall=START_S)
    board = Board(clock, 60)
    assert board.expires_at() is None
    _fail(board, START_S)
    clock.advance(62)
    assert board.read()["tool_errors"] == 0
    assert board.expires_at() is None


def test_the_moment_follows_a_wall_clock_that_is_set() -> None:
    clock = ManualClock(wall=START_S)
    board = Board(clock, 60)
    _fail(board, START_S)
    clock.step_wall(86_400)
    assert board.expires_at() == 1_750_000_061 + 86_400


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(min_value=0, max_value=200), min_size=1, max_size=20))
def test_at_the_moment_told_the_numbers_change_and_not_before(gaps_s: list[float]) -> None:
    clock = ManualClock(wall=START_S)
    board = Board(clock, 60)
    for gap_s in gaps_s:
        clock.advance(gap_s)
        _fail(board, clock.wall())
    before = board.read()["tool_errors"]
    while (moment := board.expires_at()) is not None:
        clock.advance_to(moment - 0.01)
        assert board.read()["tool_errors"] == before
        clock.advance_to(moment)
        now = board.read()["tool_errors"]
        assert now != before
        before = now
