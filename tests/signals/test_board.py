# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from otel_health.clock import ManualClock
from otel_health.errors import ConfigError, DuplicateNameError
from otel_health.signals import plug_in_signals
from otel_health.signals.board import Board
from otel_health.signals.window import STATS, Window
from tests.signals.occurrences import NOW_S, board_after, happening
from tests.signals.third_party import Broken, Longest


def test_a_restored_event_counts_where_it_happened_and_an_old_one_nowhere() -> None:
    board = board_after()
    board.restore(happening("tool_error", "db", at=NOW_S - 3600, agent="prax"))
    board.restore(happening("tool_error", "db", at=NOW_S - 3601, agent="prax"))
    assert board.read()["tool_errors"] == 1
    assert board.agents()["prax"]["tool_errors"] == 1
    assert board.self_counts()["events_left_out"] == 1


def test_a_live_event_with_an_older_stamp_counts_at_arrival() -> None:
    board = board_after(happening("tool_error", at=NOW_S - 3601))
    assert board.read()["tool_errors"] == 1
    assert board.self_counts()["events_restamped"] == 1


def test_numbers_from_outside_arrive() -> None:
    board = board_after()
    board.set_gauge("turns_open", 2)
    board.count("unclassified_spans")
    board.count("unclassified_spans", 4)
    assert (board.read()["turns_open"], board.read()["unclassified_spans"]) == (2, 5)


def test_everything_read_is_declared() -> None:
    board = Board(ManualClock(NOW_S), plug_ins=[Longest])
    assert tuple(board.read()) == board.declared.names
    assert board.declared.names == (*(stat.name for stat in STATS), "longest_details")


def test_plug_ins_add_numbers_and_harm_none() -> None:
    board = Board(ManualClock(NOW_S), plug_ins=[Broken, Longest])
    board.fold(happening("retry", details="four"))
    stats = board.read()
    assert (stats["retries"], stats["longest_details"], stats["broken_number"]) == (1, 4, None)
    assert board.self_counts()["signal_failures"] == 2


def test_two_signals_with_one_stat_are_refused() -> None:
    with pytest.raises(DuplicateNameError, match="window_minutes"):
        Board(ManualClock(), plug_ins=[Window])


def test_a_window_out_of_range_is_refused() -> None:
    with pytest.raises(ConfigError, match="window_s is 10"):
        Board(ManualClock(), 10)


def test_what_could_not_be_taken_as_it_came_is_counted() -> None:
    board = board_after(*(happening("tool_error", f"tool-{i}", agent=f"agent-{i}") for i in range(202)))
    assert board.self_counts() == {
        "events_restamped": 0,
        "events_left_out": 0,
        "names_overflowed": 4,
        "signal_failures": 0,
    }


def test_third_parties_signals_are_found_by_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name = "longest"

        def load(self) -> object:
            return Longest

    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [Entry()] * (group == "otel_health.signals"))
    assert plug_in_signals() == [Longest]
