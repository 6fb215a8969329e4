# SPDX-License-Identifier: Apache-2.0
"""Sums by name over the window, for telling who it was. Bounded in names, and coarse: the window in sixty slices.

A name leaves only when its last slice has left the window, so the guilty of an alert are known for as long as the alert
stands, at the price of counting up to one slice more than the window holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from otel_health.events.model import HealthEvent
from otel_health.signals.axis import AHEAD_S
from otel_health.signals.counters import SlidingSums

MOST_NAMES = 200
"""Names kept apart, first come first kept; further ones are counted together under `OTHER`."""

OTHER = "_other"

SLICES = 60


class Row(SlidingSums):
    """The sums of one name, and the event that was counted last."""

    __slots__ = ("last",)

    def __init__(self, last: HealthEvent) -> None:
        super().__init__()
        self.last = last


class SliceTable:
    """Rows by name. Only the health thread touches it."""

    def __init__(self, window_s: int) -> None:
        """Look back `window_s` seconds."""
        self.overflowed = 0
        """Events counted under `OTHER` because the table was full."""
        self._window_s = window_s
        self._slice_s = -(-window_s // SLICES)
        self._oldest = 0
        self._rows: dict[str, Row] = {}

    def add(self, name: str, event: HealthEvent, amounts: Mapping[str, int], at_s: int) -> None:
        """Add `amounts`, which `event` brought, to the row of `name` at second `at_s`."""
        self._expire(at_s - AHEAD_S)
        row = self._row(name, event)
        row.last = event
        row.add(at_s // self._slice_s, amounts)

    def rows(self, now_s: int) -> Iterator[tuple[str, Row]]:
        """Yield (name, row) for everything within the window as of second `now_s`, first come first."""
        self._expire(now_s)
        yield from self._rows.items()

    def _row(self, name: str, event: HealthEvent) -> Row:
        row = self._rows.get(name)
        if row is not None:
            return row
        if len(self._rows.keys() - {OTHER}) >= MOST_NAMES:
            self.overflowed += 1
            name = OTHER
        return self._rows.setdefault(name, Row(event))

    def _expire(self, now_s: int) -> None:
        oldest = (now_s - self._window_s) // self._slice_s
        if oldest <= self._oldest:
            return
        self._oldest = oldest
        for row in self._rows.values():
            row.expire(oldest)
        self._rows = {name: row for name, row in self._rows.items() if len(row)}
