# SPDX-License-Identifier: Apache-2.0
"""When each subsystem took its status, and every change of status, once.

A subsystem never seen before counts as healthy until judged. There is no hysteresis: the window is long enough to be
calm by itself, and a recovery shall not wait.
"""

from __future__ import annotations

from collections import deque

import msgspec

from otel_health.checks.base import Status
from otel_health.monitor.report import Change

MOST_CHANGES = 200
"""Changes remembered; the oldest are forgotten first."""


class _Standing(msgspec.Struct, frozen=True):
    status: Status
    since: float


class Transitions:
    """Remembers the standing of every subsystem. Touched by one thread at a time."""

    def __init__(self) -> None:
        self._standings: dict[str, _Standing] = {}
        self._changes: deque[Change] = deque(maxlen=MOST_CHANGES)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The last 200 changes, the oldest first."""
        return tuple(self._changes)

    def since(self, subsystem: str) -> float:
        """Return the Unix seconds at which `subsystem` took its present status; 0 before it was first judged."""
        standing = self._standings.get(subsystem)
        return standing.since if standing else 0.0

    def status(self, subsystem: str) -> Status:
        """Return the present status of `subsystem`: healthy before it was first judged."""
        standing = self._standings.get(subsystem)
        return standing.status if standing else Status.HEALTHY

    def observe(self, subsystem: str, status: Status, now: float) -> Change | None:
        """Take the verdict of the moment `now` (Unix seconds); return the change it means, None if it is no news."""
        was = self.status(subsystem)
        if status is was and subsystem in self._standings:
            return None
        self._standings[subsystem] = _Standing(status, now)
        if status is was:
            return None
        change = Change(now, subsystem, was, status)
        self._changes.append(change)
        return change

    def restore(self, change: Change) -> None:
        """Take over a change that a predecessor recorded, so that an illness keeps its age across a restart."""
        self._standings[change.subsystem] = _Standing(change.to, change.time)
        self._changes.append(change)
