# SPDX-License-Identifier: Apache-2.0
"""Prax's own acceptance cases for its telemetry store (P1 to P9, P13, P14), which ours pass too.

Where Prax had one store, a list and a file, here a ring remembers and a journal keeps; each case is asked of both.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from otel_health.clock import ManualClock
from otel_health.events.journal_reader import query, read_events
from otel_health.events.model import Category, HealthEvent, Severity, event
from otel_health.events.retention import prune
from otel_health.events.ring import Ring
from otel_health.events.segments import list_segments
from otel_health.signals.board import Board
from tests.events.kit import NOON_S, journal, left_behind, line_of, segment_at

DAY_S = 86_400.0


class Store:
    """A ring and a journal that record the same."""

    def __init__(self, folder: Path, events: Iterable[HealthEvent] = ()) -> None:
        self.ring = Ring()
        self.folder = folder
        log = journal(folder, clock=ManualClock(NOON_S))
        for one in events:
            self.ring.append(one)
            log.record(one)
        assert log.close()

    def recent(
        self,
        minutes: float = 60,
        category: Category | str | None = None,
        severity: Severity | str | None = None,
        limit: int = 200,
    ) -> list[HealthEvent]:
        """Ask both, who must agree."""
        remembered = self.ring.recent(NOON_S, minutes, category, severity, limit)
        kept = query(self.folder, now=NOON_S, minutes=minutes, category=category, severity=severity, limit=limit)
        assert kept == remembered
        return remembered


def happened(category: str, component: str = "", *, ago_s: float = 0.0, **fields: object) -> HealthEvent:
    return event(category, component, timestamp=NOON_S - ago_s, **fields)  # type: ignore[arg-type]


def test_a_recorded_event_comes_back(tmp_path: Path) -> None:
    """P1: with its category, severity and component."""
    (found,) = Store(tmp_path, [happened("tool_error", "web_search", severity="warning")]).recent()
    assert (found.category, found.severity, found.component) == ("tool_error", "warning", "web_search")


def test_each_record_is_a_row_and_every_field_comes_back(tmp_path: Path) -> None:
    """P2: five records, five rows; all settable fields round-trip."""
    full = happened(
        "turn_completed", "prax", severity="info", details="fine", latency_ms=1234.5, tokens=42, extra={"tier": "high"}
    )
    found = Store(tmp_path, [full, *(happened("retry", str(number), ago_s=1) for number in range(4))]).recent()
    assert len(found) == 5
    assert found[0] == full
    assert (full.details, full.latency_ms, full.tokens, full.extra) == ("fine", 1234.5, 42, {"tier": "high"})


def test_plain_strings_will_do(tmp_path: Path) -> None:
    """P3: for category and severity. Ours refuses strings that are neither."""
    plain, named = (
        event("retry", timestamp=NOON_S, severity="error"),
        event(Category.RETRY, timestamp=NOON_S, severity=Severity.ERROR),
    )
    assert Store(tmp_path, [plain]).recent() == [named]
    with pytest.raises(ValueError, match="'reboot' is not a valid Category"):
        event("reboot", timestamp=NOON_S)


def test_long_details_are_cut(tmp_path: Path) -> None:
    """P4: to exactly 500 characters."""
    (found,) = Store(tmp_path, [happened("tool_error", details="x" * 900)]).recent()
    assert found.details == "x" * 500


def test_the_newest_come_first_and_the_limit_counts_what_fits(tmp_path: Path) -> None:
    """P5. Ours gives no row at all for a limit of 0 or less, where Prax gave one."""
    store = Store(
        tmp_path,
        [happened("retry" if number % 2 else "tool_error", str(number), ago_s=10 - number) for number in range(10)],
    )
    assert [one.component for one in store.recent()] == list("9876543210")
    assert [one.component for one in store.recent(limit=3)] == list("987")
    assert [one.component for one in store.recent(category="retry", limit=3)] == list("975")
    assert store.recent(limit=0) == store.recent(limit=-1) == []


def test_filters_narrow_and_combine(tmp_path: Path) -> None:
    """P6: category, severity, both, time; no match, no row. Ours hides nothing behind a row that is out of order."""
    store = Store(
        tmp_path,
        [
            happened("tool_error", "a", ago_s=1),
            happened("tool_error", "b", severity="error", ago_s=2),
            happened("llm_error", "c", severity="error", ago_s=3),
            happened("retry", "old", ago_s=7200),
            happened("tool_error", "late", ago_s=1800),
        ],
    )
    assert [one.component for one in store.recent(category="tool_error")] == ["a", "b", "late"]
    assert [one.component for one in store.recent(severity="error")] == ["b", "c"]
    assert [one.component for one in store.recent(category=Category.TOOL_ERROR, severity=Severity.ERROR)] == ["b"]
    assert [one.component for one in store.recent(minutes=1)] == ["a", "b", "c"]
    assert [one.component for one in store.recent(minutes=180)] == ["a", "b", "c", "late", "old"]
    assert store.recent(category="turn_timeout") == []


def test_the_first_record_makes_the_file(tmp_path: Path) -> None:
    """P7: with one row. Ours is a segment with a header above, written within half a second, not before we return."""
    folder = tmp_path / "journal"
    log = journal(folder)
    assert not folder.exists()
    log.record(happened("retry"))
    assert log.flush()
    (segment,) = list_segments(folder)
    assert len(segment.path.read_bytes().splitlines()) == 2
    log.close()


def test_memory_holds_no_more_than_two_thousand(tmp_path: Path) -> None:
    """P8: of 2 100 records. Ours keeps them all on disk, and says how many memory let go."""
    ring = Ring()
    events = [happened("tool_success", str(number), ago_s=2100 - number) for number in range(2100)]
    for one in events:
        ring.append(one)
    found = ring.recent(NOON_S, limit=5000)
    assert (len(found), found[0].component, found[-1].component, ring.dropped) == (2000, "2099", "100", 100)
    left_behind(tmp_path, *events)
    assert sum(1 for _ in read_events(tmp_path)) == 2100


def test_where_nothing_happened_nothing_is_found(tmp_path: Path) -> None:
    """P9: the store's half; the statistics' half is told where the window is."""
    store = Store(tmp_path)
    assert store.recent() == []
    assert (len(store.ring), store.ring.total, store.ring.dropped) == (0, 0, 0)


def test_rows_older_than_the_window_are_left_out_after_a_restart(tmp_path: Path) -> None:
    """P13: on replay. A live event with an older stamp counts at arrival, as the window's own tests show."""
    left_behind(
        tmp_path,
        *(happened("tool_error", ago_s=7200) for _ in range(5)),
        *(happened("tool_success", ago_s=60) for _ in range(4)),
        happened("tool_error", ago_s=3600),
    )
    new = journal(tmp_path)
    board = Board(ManualClock(NOON_S))
    for one in new.restore(NOON_S - 3600):
        board.restore(one)
    stats = board.read()
    assert (stats["tool_calls"], stats["tool_errors"], stats["tool_error_rate"]) == (5, 1, 0.2)
    new.close()


def test_what_is_older_than_a_day_is_pruned(tmp_path: Path) -> None:
    """P14: two old of three go (2), fresh ones stay (0), nothing there is nothing to do (0).

    Ours goes by whole segments and deletes them; Prax rewrote its file from memory, and lost rows that way.
    """

    def pruned() -> int:
        return prune(tmp_path, now=NOON_S, retention_s=DAY_S, total_bytes=1 << 30)

    assert pruned() == 0
    for hours in (25, 26, 0):
        segment_at(tmp_path, line_of(happened("retry", str(hours))), started=NOON_S - hours * 3600)
    before = (tmp_path / list_segments(tmp_path)[-1].path).read_bytes()
    assert pruned() == 2
    (kept,) = list_segments(tmp_path)
    assert kept.path.read_bytes() == before
    assert before.count(b"\n") == 1
    assert pruned() == 0
    assert [one.component for one in read_events(tmp_path)] == ["0"]
    assert prune(tmp_path, now=NOON_S + DAY_S + 1, retention_s=DAY_S, total_bytes=1 << 30) == 1
