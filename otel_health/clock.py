# SPDX-License-Identifier: Apache-2.0
"""Where time comes from.

Two readings, never mixed: *wall* time stamps what happened, *monotonic* time measures durations and deadlines. Every
room takes a `Clock` by argument, so tests and replays move time themselves and nothing in the project sleeps to wait.
"""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """A source of time; safe to call from any thread."""

    def wall(self) -> float:
        """Return Unix seconds (UTC). May jump; use it only to stamp."""
        ...

    def monotonic(self) -> float:
        """Return seconds since an arbitrary point. Never goes back; use it for every duration and deadline."""
        ...


class SystemClock:
    """The machine's own clocks."""

    __slots__ = ()

    def wall(self) -> float:
        """Return Unix seconds (UTC)."""
        return time.time()

    def monotonic(self) -> float:
        """Return monotonic seconds."""
        return time.monotonic()


LONGEST_WAIT_S = 1_000_000.0
"""Seconds (eleven days) that stand for any longer wait: what systems accept is bounded."""


class Deadline:
    """A moment by which something is to be done."""

    __slots__ = ("_at_s", "_clock")

    def __init__(self, clock: Clock, timeout_s: float) -> None:
        """Set it `timeout_s` seconds from now; less than nothing, and what is no number, is now."""
        self._clock = clock
        self._at_s = clock.monotonic() + (min(timeout_s, LONGEST_WAIT_S) if timeout_s > 0 else 0.0)

    @property
    def left_s(self) -> float:
        """Seconds left, 0 when it has passed: fit for any wait."""
        return max(0.0, self._at_s - self._clock.monotonic())


class ManualClock:
    """A clock that moves only when told to: for tests, replays and simulations. Not thread-safe while being moved.

    `advance` moves both readings, as real time does. `step_wall` moves the wall clock alone, as NTP does.
    """

    __slots__ = ("_monotonic", "_wall")

    def __init__(self, wall: float = 1_750_000_000.0, monotonic: float = 0.0) -> None:
        """Start at `wall` Unix seconds and `monotonic` seconds."""
        self._wall = wall
        self._monotonic = monotonic

    def wall(self) -> float:
        """Return the set Unix seconds."""
        return self._wall

    def monotonic(self) -> float:
        """Return the set monotonic seconds."""
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Let `seconds` (≥ 0) pass on both clocks."""
        if seconds < 0:
            raise ValueError(f"time cannot pass backwards: advance({seconds!r}); allowed: seconds >= 0")
        self._wall += seconds
        self._monotonic += seconds

    def advance_to(self, wall: float) -> None:
        """Let time pass until the wall clock shows `wall`; a moment already passed changes nothing."""
        self.advance(max(0.0, wall - self._wall))
        self._wall = max(self._wall, wall)  # the sum may fall short by a rounding

    def step_wall(self, seconds: float) -> None:
        """Set the wall clock forward or back by `seconds` without any time passing."""
        self._wall += seconds
