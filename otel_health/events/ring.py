# SPDX-License-Identifier: Apache-2.0
"""Bounded memory of recent events, to be looked at."""

from __future__ import annotations

from collections import deque

from otel_health.events.model import Category, HealthEvent, Severity
from otel_health.events.selection import newest


class Ring:
    """The last `capacity` events (default 2 000). One thread appends; any thread may read, and holds nobody up."""

    def __init__(self, capacity: int = 2_000) -> None:
        """Start empty.

        Raises:
            ValueError: `capacity` is below 1.
        """
        if capacity < 1:
            raise ValueError(f"a ring cannot hold {capacity!r} events; allowed: capacity >= 1")
        self._events: deque[HealthEvent] = deque(maxlen=capacity)
        self.total = 0
        """Events ever appended."""

    def append(self, event: HealthEvent) -> None:
        """Keep `event`; a full ring lets go of the one that came first."""
        self._events.append(event)
        self.total += 1

    def __len__(self) -> int:
        """Return the number of events held."""
        return len(self._events)

    @property
    def dropped(self) -> int:
        """Events that had to make room."""
        return max(0, self.total - len(self._events))

    def recent(
        self,
        now: float,
        minutes: float = 60,
        category: Category | str | None = None,
        severity: Severity | str | None = None,
        limit: int = 200,
    ) -> list[HealthEvent]:
        """Return the newest events that fit, as `selection.newest` says, out of a copy made in one step."""
        return newest(self._events.copy(), now=now, minutes=minutes, category=category, severity=severity, limit=limit)
