# SPDX-License-Identifier: Apache-2.0
"""An engine with real rooms around it, driven step by step on a clock that moves when told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from otel_health.checks import CHECKS
from otel_health.checks.base import Check
from otel_health.clock import ManualClock
from otel_health.dialects import interpreter
from otel_health.dialects.span import Span
from otel_health.events.inbox import Inbox
from otel_health.events.model import Category, HealthEvent, event
from otel_health.events.ring import Ring
from otel_health.monitor.advisor import Advisor
from otel_health.monitor.engine import Engine
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.monitor import Monitor
from otel_health.monitor.turns import TurnHook
from otel_health.signals.base import Number
from otel_health.signals.board import Board
from otel_health.sources.assembly import Assembler


class Rig:
    """Everything the engine touches, within reach."""

    def __init__(
        self,
        *,
        checks: Iterable[Check] = CHECKS,
        window_s: int = 3600,
        interval: int = 10,
        listeners: Mapping[str, Callable[[HealthEvent], None]] | None = None,
        counts: Callable[[], Mapping[str, Number]] = dict,
        predecessor: Callable[[], Iterable[HealthEvent]] | None = None,
    ) -> None:
        self.clock = ManualClock()
        self.inbox: Inbox[Span | HealthEvent] = Inbox()
        self.assembler = Assembler(interpreter())
        self.board = Board(self.clock, window_s)
        self.ring = Ring()
        self.journal: list[HealthEvent] = []
        self.advisor = Advisor()
        self.mishaps = Mishaps(self.clock)
        self.monitor = Monitor(self.board, checks, clock=self.clock, mishaps=self.mishaps)
        self.engine = Engine(
            self.monitor,
            clock=self.clock,
            inbox=self.inbox,
            assembler=self.assembler,
            ring=self.ring,
            advisor=self.advisor,
            mishaps=self.mishaps,
            listeners={"journal": self.journal.append, **(listeners or {})},
            counts=counts,
            predecessor=predecessor,
            check_interval_turns=interval,
        )
        self.turns = TurnHook(self.engine, self.advisor, self.mishaps, interval=interval)

    def happen(self, category: Category, times: int = 1, component: str = "x", details: str = "") -> None:
        """Hand over `times` events of now."""
        for _ in range(times):
            self.inbox.put(event(category, component, timestamp=self.clock.wall(), details=details))

    def later(self, seconds: float = 1.0) -> None:
        """Let time pass, and step until nothing waits."""
        self.clock.advance(seconds)
        while self.engine.step():
            continue

    def categories(self) -> list[Category]:
        """What was journaled, in order."""
        return [written.category for written in self.journal]
