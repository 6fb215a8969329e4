# SPDX-License-Identifier: Apache-2.0
"""The composition root: the one place that knows every room. It puts them together, starts and stops them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from otel_health.checks.validation import validated
from otel_health.clock import Clock, SystemClock
from otel_health.config import Settings
from otel_health.dialects import interpreter
from otel_health.dialects.span import Span
from otel_health.events.inbox import Inbox
from otel_health.events.journal import Journal
from otel_health.events.model import Category, HealthEvent, Severity
from otel_health.events.ring import Ring
from otel_health.monitor.advisor import Advisor
from otel_health.monitor.engine import Engine
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.monitor import Monitor
from otel_health.monitor.replay import replay
from otel_health.monitor.report import HealthCheck, Report
from otel_health.monitor.thread import HealthThread
from otel_health.monitor.turns import TurnHook
from otel_health.signals import plug_in_signals
from otel_health.signals.base import Number
from otel_health.signals.board import Board
from otel_health.sources.assembly import Assembler, Explain

TICK_S = 0.5
"""Seconds between two looks of the health thread at what time alone decides."""

_PILE = 64
"""Items at which the health thread is woken before its tick: the agent's threads shall not wake it for each."""

_DISABLED = Report(enabled=False, check=HealthCheck(timestamp=0.0), stats={})


def judge(
    items: Iterable[Span | HealthEvent],
    settings: Settings,
    *,
    clock: Clock | None = None,
    explain: Explain | None = None,
) -> Report:
    """Judge a record as of its last event; see `otel_health.monitor.replay`.

    Args:
        items: Spans and events, as `otel_health.sources.files` reads them.
        settings: The window and the checks.
        clock: Dates the report where the record is empty; by default the machine's.
        explain: Told of every span what it was taken for.

    Raises:
        ConfigError: the window is out of range, or a check is no good.
        UnknownNameError: a check names a number that no signal declares.
    """
    return replay(
        items,
        settings.checks,
        Assembler(interpreter(), explain=explain),
        clock=clock or SystemClock(),
        window_s=_window_s(settings),
        plug_ins=plug_in_signals(),
    )


class Health:
    """The health of one service, live. When it is disabled in the settings there is nothing inside, and it says so."""

    def __init__(self, settings: Settings, *, clock: Clock | None = None, service_name: str = "") -> None:
        """Put everything together; `start` begins.

        Args:
            settings: All settings.
            clock: The time; by default the machine's.
            service_name: Whose health this is: after a restart its verdict is restored from what it journaled.

        Raises:
            ConfigError: the window is out of range, or a check is no good.
            UnknownNameError: a check names a number that no signal declares.
        """
        clock = clock or SystemClock()
        self._live = _Live(settings, clock, service_name) if settings.enabled else None

    def start(self) -> None:
        """Begin to work on a thread of our own; does nothing while that runs."""
        if self._live:
            self._live.thread.start()

    def hand_over(self, item: Span | HealthEvent) -> None:
        """Take an ended span, or an event. Any thread may call it; it costs about a microsecond and never blocks."""
        if self._live:
            self._live.inbox.put(item)

    def report(self) -> Report:
        """Return the current report; never waits longer than 0.1 s. One older than five minutes is judged anew."""
        return self._live.engine.report() if self._live else _DISABLED

    def advisory(self) -> str | None:
        """Return what the current report means to the agent; None when it is healthy."""
        return self._live.engine.advisory() if self._live else None

    def reminder(self) -> str | None:
        """Return the advisory where it is due: at once in an episode, then seldom, and not for ever."""
        advisory = self.advisory()
        return advisory if advisory and self._live and self._live.advisor.due() else None

    def on_turn_end(self) -> str | None:
        """Count one turn; every so many turns (10) judge anew and return the advisory, None when healthy."""
        return self._live.turns.on_turn_end() if self._live else None

    def events(
        self,
        minutes: float = 60,
        category: Category | str | None = None,
        severity: Severity | str | None = None,
        limit: int = 200,
    ) -> list[HealthEvent]:
        """Return the newest events in memory that fit, the newest first."""
        if not self._live:
            return []
        return self._live.ring.recent(self._live.clock.wall(), minutes, category, severity, limit)

    def flush(self, timeout_s: float = 5.0) -> bool:
        """Judge and journal what was handed over until now; False where that fails or takes longer than `timeout_s`.

        Spans that still wait for their neighbours go on waiting.
        """
        return self._live is None or self._live.flush(timeout_s, final=False)

    def close(self, timeout_s: float = 5.0) -> bool:
        """Stop, decide and journal all that is left; False where that fails or takes longer than `timeout_s` seconds.

        What is handed over from now on is lost. Closing again does nothing.
        """
        return self._live is None or self._live.close(timeout_s)


class _Live:
    """The rooms of a running monitor."""

    def __init__(self, settings: Settings, clock: Clock, service_name: str) -> None:
        self.clock = clock
        self.inbox: Inbox[Span | HealthEvent] = Inbox(settings.inbox_size)
        self.ring = Ring(settings.ring_size)
        self.advisor = Advisor()
        self.journal = (
            Journal(settings.journal, clock=clock, service_name=service_name) if settings.journal.enabled else None
        )
        self._window_s = _window_s(settings)
        mishaps = Mishaps(clock)
        board = Board(clock, self._window_s, plug_in_signals())
        self.engine = Engine(
            Monitor(board, validated(settings.checks, board.declared), clock=clock, mishaps=mishaps),
            clock=clock,
            inbox=self.inbox,
            assembler=Assembler(interpreter()),
            ring=self.ring,
            advisor=self.advisor,
            mishaps=mishaps,
            listeners={"journal": self.journal.record} if self.journal else {},
            counts=self._counts,
            predecessor=self._predecessor,
            check_interval_turns=settings.check_interval_turns,
        )
        self.turns = TurnHook(self.engine, self.advisor, mishaps, interval=settings.check_interval_turns)
        self.thread = HealthThread(self.engine.step, wait=self._wait, wake=self.inbox.wake, mishaps=mishaps)

    def flush(self, timeout_s: float, *, final: bool) -> bool:
        deadline = self.clock.monotonic() + timeout_s
        judged = self.engine.flush(timeout_s, final=final)
        return (self.journal is None or self.journal.flush(deadline - self.clock.monotonic())) and judged

    def close(self, timeout_s: float) -> bool:
        deadline = self.clock.monotonic() + timeout_s
        self.thread.stop(timeout_s)
        judged = self.engine.flush(deadline - self.clock.monotonic(), final=True)
        return (self.journal is None or self.journal.close(deadline - self.clock.monotonic())) and judged

    def _wait(self) -> None:
        self.inbox.wait(TICK_S, at_least=_PILE)

    def _predecessor(self) -> Iterable[HealthEvent]:
        return self.journal.restore(self.clock.wall() - self._window_s) if self.journal else ()

    def _counts(self) -> Mapping[str, Number]:
        if self.journal is None:
            return self.advisor.counts
        state = self.journal.state
        journal = msgspec.structs.asdict(state) | {"degraded": bool(state.degraded)}
        return {**self.advisor.counts, **{f"journal_{name}": number for name, number in journal.items()}}


def _window_s(settings: Settings) -> int:
    return round(settings.window_minutes * 60)
