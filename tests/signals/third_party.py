# SPDX-License-Identifier: Apache-2.0
"""Signals as third parties would write them, a sound one and a broken one."""

from __future__ import annotations

from otel_health.events.model import HealthEvent
from otel_health.signals.base import Stat, Stats


class Longest:
    """The longest details seen."""

    name = "longest"
    stats = (Stat("longest_details", "", "Characters of the longest details."),)

    def __init__(self, window_s: int) -> None:
        self._longest = 0

    def fold(self, event: HealthEvent, at_s: int) -> None:
        self._longest = max(self._longest, len(event.details))

    def read(self, now_s: int) -> Stats:
        return {"longest_details": self._longest}


class Broken(Longest):
    """Raises whatever it is asked."""

    name = "broken"
    stats = (Stat("broken_number", "", "Never known."),)

    def fold(self, event: HealthEvent, at_s: int) -> None:
        raise RuntimeError("fold")

    def read(self, now_s: int) -> Stats:
        raise RuntimeError("read")
