# SPDX-License-Identifier: Apache-2.0
"""`on_turn_end()`: the hook that agents call after every turn, and that speaks every so many of them."""

from __future__ import annotations

import threading

from otel_health.monitor.advisor import Advisor
from otel_health.monitor.engine import Engine
from otel_health.monitor.mishaps import Mishaps


class TurnHook:
    """Counts the calls of `on_turn_end`. Safe to call from any thread."""

    def __init__(self, engine: Engine, advisor: Advisor, mishaps: Mishaps, *, interval: int = 10) -> None:
        """Speak every `interval` (≥ 1) turns."""
        self._engine = engine
        self._advisor = advisor
        self._mishaps = mishaps
        self._interval = interval
        self._lock = threading.Lock()
        self.turns = 0
        """Calls so far."""

    def on_turn_end(self) -> str | None:
        """Count one turn; on every `interval`-th judge anew and return the advisory.

        Returns:
            None between the intervals, when the agent is healthy, and when anything of ours fails.
        """
        with self._lock:
            self.turns += 1
            speaks = self.turns % self._interval == 0
        if not speaks:
            return None
        try:
            return self._advice()
        except Exception:
            self._mishaps.note("on_turn_end")
            return None

    def _advice(self) -> str | None:
        self._engine.refresh()
        advisory = self._engine.advisory()
        if advisory is not None:
            self._advisor.given()
        return advisory
