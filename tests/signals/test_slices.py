# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from otel_health.signals.slices import MOST_NAMES, OTHER, SliceTable
from tests.signals.occurrences import NOW_S, happening

NOW = int(NOW_S)
EVENT = happening("tool_error")


def totals(table: SliceTable, now_s: int) -> dict[str, int]:
    return {name: row.totals["n"] for name, row in table.rows(now_s)}


def test_each_name_has_its_own_sums() -> None:
    table = SliceTable(3600)
    for name in ("a", "b", "a"):
        table.add(name, EVENT, {"n": 2}, NOW)
    assert totals(table, NOW) == {"a": 4, "b": 2}


def test_a_count_stays_for_the_whole_window_and_at_most_a_sixtieth_longer() -> None:
    table = SliceTable(3600)
    table.add("a", EVENT, {"n": 1}, NOW)
    assert totals(table, NOW + 3600) == {"a": 1}
    assert totals(table, NOW + 3660) == {}


def test_late_and_early_events_are_summed_wherever_they_belong() -> None:
    table = SliceTable(3600)
    for offset_s in (0, -3000, 5, -10):
        table.add("a", EVENT, {"n": 1}, NOW + offset_s)
    assert totals(table, NOW + 3500) == {"a": 3}


def test_an_event_stamped_a_little_ahead_pushes_nothing_out_early() -> None:
    table = SliceTable(60)
    table.add("a", EVENT, {"n": 1}, NOW)
    table.add("a", EVENT, {"n": 1}, NOW + 60 + 5)
    assert totals(table, NOW + 60) == {"a": 2}


def test_names_beyond_the_most_are_counted_together_and_how_often_is_known() -> None:
    table = SliceTable(3600)
    for i in range(MOST_NAMES + 50):
        table.add(f"tool-{i}", EVENT, {"n": 1}, NOW)
    table.add("tool-0", EVENT, {"n": 1}, NOW)
    found = totals(table, NOW)
    assert len(found) == MOST_NAMES + 1
    assert (found["tool-0"], found[OTHER]) == (2, 50)
    assert table.overflowed == 50


def test_a_name_whose_time_is_over_makes_room_for_another() -> None:
    table = SliceTable(3600)
    for i in range(MOST_NAMES + 1):
        table.add(f"tool-{i}", EVENT, {"n": 1}, NOW + (30 if i else 0))
    later = NOW + 3605 + 60
    table.add("new", EVENT, {"n": 1}, later)
    assert "new" in totals(table, later)


def test_the_other_takes_no_names_place() -> None:
    table = SliceTable(3600)
    table.add(OTHER, EVENT, {"n": 1}, NOW)
    for i in range(MOST_NAMES):
        table.add(f"tool-{i}", EVENT, {"n": 1}, NOW)
    assert table.overflowed == 0
    assert len(totals(table, NOW)) == MOST_NAMES + 1


def test_the_last_event_of_a_name_is_remembered() -> None:
    table = SliceTable(60)
    first, last = happening("tool_error", details="first"), happening("tool_error", details="last")
    table.add("a", first, {"n": 1}, NOW)
    table.add("a", last, {"n": 1}, NOW)
    assert [row.last for _, row in table.rows(NOW)] == [last]


def test_rows_let_go_of_old_slices_though_nobody_reads() -> None:
    table = SliceTable(3600)
    for minute in range(1_000):
        table.add("a", EVENT, {"n": 1}, NOW + 60 * minute)
    assert len(table._rows["a"]) <= 62


def test_a_window_that_sixty_does_not_divide_is_covered_whole() -> None:
    table = SliceTable(90)
    table.add("a", EVENT, {"n": 1}, NOW)
    assert totals(table, NOW + 90) == {"a": 1}
    assert totals(table, NOW + 92) == {}
