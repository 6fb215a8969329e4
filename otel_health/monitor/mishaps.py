# SPDX-License-Identifier: Apache-2.0
"""Failures of our own: caught where they happen, counted, and said once a minute, so that none reaches the host."""

from __future__ import annotations

import logging
import threading

from otel_health.clock import Clock

_log = logging.getLogger(__name__)

QUIET_S = 60.0
"""Seconds for which a room that failed is not complained about again."""


class Mishaps:
    """Counts the exceptions of our own rooms. Safe to call from any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._quiet_until: dict[str, float] = {}
        self._count = 0

    @property
    def count(self) -> int:
        """Exceptions caught so far (`internal_errors`)."""
        return self._count

    def note(self, room: str) -> None:
        """Count the exception being handled, and log it with its traceback unless `room` failed within a minute.

        Call it inside `except`. `room` is one of a handful of names (`journal`, `check tools`).
        """
        now = self._clock.monotonic()
        with self._lock:
            self._count += 1
            quiet = now < self._quiet_until.get(room, now)
            if not quiet:
                self._quiet_until[room] = now + QUIET_S
        if not quiet:
            _log.warning("%s failed; the agent and the other rooms are unaffected", room, exc_info=True)
