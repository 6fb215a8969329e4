# SPDX-License-Identifier: Apache-2.0
"""All signals of one service on one time axis: fold an event once, read every number."""

from __future__ import annotations

from collections.abc import Iterable

from otel_health.clock import Clock
from otel_health.events.model import Category, HealthEvent
from otel_health.registry import Registry
from otel_health.signals.agents import Agents
from otel_health.signals.axis import DEFAULT_WINDOW_S, TimeAxis
from otel_health.signals.base import Number, Signal, SignalFactory, Stat
from otel_health.signals.culprits import Culprit, Culprits
from otel_health.signals.guarded import guarded
from otel_health.signals.meaning import amounts
from otel_health.signals.window import Window


class Board:
    """The numbers of one service. Only the health thread touches it."""

    def __init__(self, clock: Clock, window_s: int = DEFAULT_WINDOW_S, plug_ins: Iterable[SignalFactory] = ()) -> None:
        """Look back `window_s` whole seconds (60 to 86 400) by `clock`; `plug_ins` add numbers of their own.

        Raises:
            ConfigError: the window is out of range.
            DuplicateNameError: two signals declare the same stat.
        """
        self.window_s = window_s
        self._axis = TimeAxis(clock, window_s)
        self._window = Window(window_s)
        self._culprits = Culprits(window_s)
        self._agents = Agents(window_s)
        self._plug_ins = tuple(made for make in plug_ins if (made := guarded(make, window_s)))
        self._signals: tuple[Signal, ...] = (self._window, *self._plug_ins)
        self.declared: Registry[Stat] = Registry("stat", (stat for signal in self._signals for stat in signal.stats))
        """Every number there is."""

    def fold(self, event: HealthEvent) -> None:
        """Take in what happens now. An event whose own time is not trusted counts at this moment."""
        self._fold(event, self._axis.place(event.timestamp))

    def restore(self, event: HealthEvent) -> None:
        """Take in what a record tells. An event older than the window is left out."""
        at_s = self._axis.place_restored(event.timestamp)
        if at_s is not None:
            self._fold(event, at_s)

    def count(self, name: str, n: int = 1) -> None:
        """Add `n` at this moment to a stat that no event carries (`unclassified_spans`, `unattributed_spans`)."""
        self._window.count(name, n, self._axis.now())

    def set_gauge(self, name: str, value: int) -> None:
        """Set a stat that is a state of this moment (`turns_open`, `turns_stuck`)."""
        self._window.set_gauge(name, value)

    def read(self) -> dict[str, Number]:
        """Return every number as of now: what checks judge. Nothing is rounded."""
        now_s = self._axis.now()
        numbers: dict[str, Number] = {}
        for signal in self._signals:
            numbers |= signal.read(now_s)
        return numbers

    def top(self, categories: Iterable[Category], n: int = 5) -> tuple[Culprit, ...]:
        """Return the `n` components with most events of `categories` in the window, the guiltiest first."""
        return self._culprits.top(categories, self._axis.now(), n)

    def expires_at(self) -> float | None:
        """Return the Unix second at which time alone changes the window's numbers next; None while it is empty."""
        expires_s = self._window.expires_s
        return None if expires_s is None else self._axis.wall(expires_s)

    def agents(self) -> dict[str, dict[str, Number]]:
        """Return the key counts by agent as of now."""
        return self._agents.read(self._axis.now())

    def self_counts(self) -> dict[str, int]:
        """Return what we could not take as it came: counters since the start."""
        return {
            "events_restamped": self._axis.restamped,
            "events_left_out": self._axis.left_out,
            "names_overflowed": self._culprits.overflowed + self._agents.overflowed,
            "signal_failures": sum(signal.failures for signal in self._plug_ins),
        }

    def _fold(self, event: HealthEvent, at_s: int) -> None:
        found = amounts(event)
        self._window.add(found, at_s)
        self._agents.add(event, found, at_s)
        self._culprits.add(event, at_s)
        for signal in self._plug_ins:
            signal.fold(event, at_s)
