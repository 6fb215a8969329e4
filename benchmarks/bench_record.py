# SPDX-License-Identifier: Apache-2.0
"""One event recorded: made, remembered and on the disk, beside the way Prax records one.

Measured is the processor time of all threads, the flush to the disk included. Prax counts nothing when it records, and
everything when it checks; ours folds the event into the window as well, which is shown apart.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, Subject, figure, race, ratio
from otel_health.clock import SystemClock
from otel_health.events.journal import Journal
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_reader import read_events
from otel_health.events.model import Category, event
from otel_health.events.ring import Ring
from otel_health.signals.board import Board

BURST = 1_000
"""Events recorded between two flushes: half a second's worth of a very busy agent. A flush waits for the disk."""

CAPACITY = 2_000
"""Events remembered, as Prax does."""

MIX: tuple[dict[str, Any], ...] = (
    *({"category": Category.TOOL_SUCCESS, "component": "search", "latency_ms": 12.0},) * 8,
    {
        "category": Category.LLM_SUCCESS,
        "component": "openai",
        "latency_ms": 800.0,
        "tokens": 940,
        "extra": {"model": "m"},
    },
    {"category": Category.TOOL_ERROR, "component": "search", "details": "TimeoutError: gave up after 30 s"},
)
"""Ten occurrences as a busy agent has them."""

CLOCK = SystemClock()


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(JournalConfig(path=Path(folder, "journal")), clock=CLOCK)
        ring, board = Ring(CAPACITY), Board(CLOCK)
        prax = PraxStore(Path(folder, "prax.jsonl"))
        record, with_window, journal_alone, praxs_way = race(
            Subject("record", burst(journal, ring), operations=BURST),
            Subject("with window", burst(journal, ring, board), operations=BURST),
            Subject("journal", rewrite(journal), operations=BURST),
            Subject("Prax's way", burst_of_prax(prax), operations=BURST),
            rounds=15,
            target_s=0.05,
            timer=time.process_time,
        )
        journal.close()
        (read_back,) = race(Subject("read", reader(journal), operations=journal.state.written), rounds=1)
    return [
        ratio("one event recorded, journal line included / Prax's way", record, praxs_way, at_most=0.1),
        ratio("the same, folded into the window / Prax's way", with_window, praxs_way),
        figure("of one event, what the journal takes", journal_alone.median_s * 1e6, "µs"),
        figure("one event read back", read_back.median_s * 1e6, "µs"),
    ]


def burst(journal: Journal, ring: Ring, board: Board | None = None) -> Callable[[], None]:
    """Make events, remember and journal each, fold it into the window if there is one, and flush."""
    next_fields = cycle(MIX).__next__

    def record() -> None:
        for _ in range(BURST):
            one = event(timestamp=CLOCK.wall(), **next_fields())
            ring.append(one)
            journal.record(one)
            if board:
                board.fold(one)
        journal.flush()

    return record


def rewrite(journal: Journal) -> Callable[[], None]:
    """Journal events that are made already."""
    events = [event(timestamp=CLOCK.wall(), **fields) for fields in MIX] * (BURST // len(MIX))

    def record() -> None:
        for one in events:
            journal.record(one)
        journal.flush()

    return record


def reader(journal: Journal) -> Callable[[], None]:
    """Read the whole journal."""

    def read() -> None:
        for _ in read_events(journal.config.path):
            pass

    return read


def burst_of_prax(prax: PraxStore) -> Callable[[], None]:
    next_fields = cycle(MIX).__next__

    def record() -> None:
        for _ in range(BURST):
            prax.record(**next_fields())

    return record


class PraxStore:
    """A list cut back to 2 000 rows, and a file opened, written and closed for every event."""

    def __init__(self, path: Path) -> None:
        """Begin in the steady state: full."""
        self._path = path
        self._lock = threading.Lock()
        self._rows: list[dict[str, object]] = [{}] * CAPACITY

    def record(
        self,
        *,
        category: str,
        component: str = "",
        details: str = "",
        latency_ms: float = 0,
        tokens: int = 0,
        extra: dict[str, object] | None = None,
    ) -> None:
        """Record an event."""
        row = {
            "category": category,
            "severity": "info",
            "component": component,
            "details": details[:500],
            "timestamp": CLOCK.wall(),
            "latency_ms": latency_ms,
            "tokens": tokens,
            "extra": extra or {},
        }
        with self._lock:
            self._rows.append(row)
            if len(self._rows) > CAPACITY:
                self._rows = self._rows[-CAPACITY:]
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
