# SPDX-License-Identifier: Apache-2.0
"""The axis of whole seconds on which events count, and the decision where on it each one does.

Events carry wall time, which may jump; a window has to slide with time that passes. So the axis is wall time with its
jumps taken out again: `floor(timestamp) + skew`, where the skew is what the wall clock has been set by since the start,
in whole seconds. While nobody sets the clock the skew is 0 and a second of the axis is a second of Unix time.
"""

from __future__ import annotations

from math import floor

from otel_health.clock import Clock
from otel_health.errors import ConfigError

DEFAULT_WINDOW_S = 3600
SHORTEST_WINDOW_S = 60
LONGEST_WINDOW_S = 86_400

AHEAD_S = 5
"""An event stamped at most this far in the future is believed: clocks of two machines never quite agree."""


class TimeAxis:
    """Says at which second an event counts. Touched by one thread at a time.

    An event's own time is trusted within [now - window, now + 5 s].
    """

    def __init__(self, clock: Clock, window_s: int = DEFAULT_WINDOW_S) -> None:
        """Begin now; `window_s` whole seconds, 60 to 86 400.

        Raises:
            ConfigError: the window is no whole number of seconds or out of range.
        """
        if type(window_s) is not int or not SHORTEST_WINDOW_S <= window_s <= LONGEST_WINDOW_S:
            raise ConfigError(
                f"window_s is {window_s!r}; allowed: whole seconds from {SHORTEST_WINDOW_S} to {LONGEST_WINDOW_S}"
            )
        self.window_s = window_s
        self.restamped = 0
        """Events whose own time was not trusted, and which count at the second at which they arrived."""
        self.left_out = 0
        """Restored events left out because they were older than the window."""
        self._clock = clock
        self._steady_ahead_s = clock.wall() - clock.monotonic()
        self._skew_s = 0
        self._now_s = floor(clock.wall())

    def now(self) -> int:
        """Return the present second. Never goes back."""
        self._read_clocks()
        return self._now_s

    def wall(self, at_s: int) -> float:
        """Return the Unix second that second `at_s` is by the present setting of the wall clock."""
        self._read_clocks()
        return float(at_s - self._skew_s)

    def place(self, timestamp: float) -> int:
        """Return the second at which a live event stamped `timestamp` (Unix seconds) counts."""
        wall = self._read_clocks()
        if wall - self.window_s <= timestamp <= wall + AHEAD_S:
            return floor(timestamp) + self._skew_s
        self.restamped += 1
        return self._now_s

    def place_restored(self, timestamp: float) -> int | None:
        """Return the second at which an event out of a record counts; None when it is older than the window."""
        if timestamp < self._clock.wall() - self.window_s:
            self.left_out += 1
            return None
        return self.place(timestamp)

    def _read_clocks(self) -> float:
        wall = self._clock.wall()
        self._skew_s = round(self._clock.monotonic() + self._steady_ahead_s - wall)
        self._now_s = max(self._now_s, floor(wall) + self._skew_s)
        return wall
