# SPDX-License-Identifier: Apache-2.0
"""Judge a record on the record's own time: what a monitor would have said had it been there, as of the last event.

A record of ordinary size is decided as a whole, so that no order of its spans, and no split into requests, changes what
comes out. Beyond that, what a span means is decided a while (60 s of the record's time) after it was read, as in a live
stream. Events pass in the order of their time, so that every change of status is dated right. All of it in bounded
memory, whatever the size of the record.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable
from math import floor

import msgspec

from otel_health.checks.base import Check
from otel_health.checks.validation import validated
from otel_health.clock import Clock, ManualClock
from otel_health.dialects.span import Span
from otel_health.events.model import Category, HealthEvent
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.monitor import Monitor
from otel_health.monitor.report import Report
from otel_health.signals.axis import AHEAD_S, DEFAULT_WINDOW_S
from otel_health.signals.base import SignalFactory
from otel_health.signals.board import Board
from otel_health.sources.assembly import Assembler

MOST_WHOLE = 20_000
"""Spans up to which a record is decided as a whole."""

PATIENCE_S = 60.0
"""Seconds of the record's time for which spans wait for their neighbours; events wait twice as long to be in order."""

MOST_SERVICES = 100
"""Services that are listed, and instances of each."""

MOST_HELD = 20_000
"""Events held to be put in order; beyond it the oldest pass early."""


def replay(
    items: Iterable[Span | HealthEvent],
    checks: Iterable[Check],
    assembler: Assembler,
    *,
    clock: Clock,
    window_s: int = DEFAULT_WINDOW_S,
    plug_ins: Iterable[SignalFactory] = (),
) -> Report:
    """Judge everything in `items` together, whatever services emitted it, and report as of the last event.

    Args:
        items: Spans and events in any order; read once, never held as a whole.
        checks: What to judge by.
        assembler: Makes events of the spans. It is used up.
        clock: Its wall time is now: it dates the report of an empty record, and what is stamped later, or not at all,
            counts at the end of the record.
        window_s: The look-back, which ends at the last event; older events show in the status changes alone.
        plug_ins: Further signals.

    Raises:
        ConfigError: the window is out of range, or a check is no good.
        UnknownNameError: a check names a number that no signal declares.
    """
    player = _Player(_Stage(checks, assembler, window_s, plug_ins), assembler, clock.wall())
    for item in items:
        player.take(item)
    return player.finish()


class _Player:
    """Reads items and puts the events that they mean on the stage in the order of their time, as far as room allows.

    No record tells the future: a stamp later than now would move the window past all that really happened.
    """

    def __init__(self, stage: _Stage, assembler: Assembler, now: float) -> None:
        self._stage = stage
        self._assembler = assembler
        self._now = now
        self._held: list[tuple[float, int, HealthEvent]] = []
        self._undated: list[HealthEvent] = []
        self._arrivals = 0
        self._read_until = -math.inf
        self._services: dict[str, set[str]] = {}

    def take(self, item: Span | HealthEvent) -> None:
        if isinstance(item, HealthEvent):
            self._read_to(item.timestamp)
            self._hold([item])
        else:
            self._read_to(item.end_s)
            self._note_emitter(item)
            self._assembler.add(item, self._read_until)
        if 0 < self._assembler.held_spans <= MOST_WHOLE:
            return
        self._hold(self._assembler.due(self._read_until - PATIENCE_S))
        self._play(self._read_until - 2 * PATIENCE_S)

    def finish(self) -> Report:
        """Play what is left and report; as of now if there was nothing at all."""
        self._hold(self._assembler.flush())
        if self._undated:
            self._believe_the_undated()
        self._play(math.inf)
        report = self._stage.report(self._read_until if math.isfinite(self._read_until) else self._now)
        services = ({"service": name, "instances": sorted(ids)} for name, ids in sorted(self._services.items()))
        return msgspec.structs.replace(report, services=tuple(services))

    def _note_emitter(self, span: Span) -> None:
        emitter = span.resource
        if emitter.service_name in self._services or len(self._services) < MOST_SERVICES:
            instances = self._services.setdefault(emitter.service_name, set())
            if emitter.instance_id and len(instances) < MOST_SERVICES:
                instances.add(emitter.instance_id)

    def _is_dated(self, timestamp: float) -> bool:
        return 0 < timestamp <= self._now + AHEAD_S

    def _read_to(self, timestamp: float) -> None:
        if self._is_dated(timestamp):
            self._read_until = max(self._read_until, timestamp)

    def _hold(self, events: Iterable[HealthEvent]) -> None:
        """Keep events for their turn. One that is not stamped, or later than now, counts as of what was just read."""
        for event in events:
            if self._is_dated(event.timestamp):
                self._push(event)
            elif math.isfinite(self._read_until):
                self._stage.undated += 1
                self._push(msgspec.structs.replace(event, timestamp=self._read_until))
            else:
                self._undated.append(event)
        if len(self._undated) > MOST_HELD:
            self._believe_the_undated()

    def _push(self, event: HealthEvent) -> None:
        self._arrivals += 1
        heapq.heappush(self._held, (event.timestamp, self._arrivals, event))

    def _believe_the_undated(self) -> None:
        """Where every stamp lies ahead, it is the clock of this machine that is wrong."""
        ahead = max((event.timestamp for event in self._undated), default=0.0)
        self._now = max(self._now, ahead)
        self._read_until = max(self._read_until, ahead if ahead > 0 else self._now)
        undated, self._undated = self._undated, []
        self._hold(undated)

    def _play(self, until: float) -> None:
        """Play the events stamped at or before `until`, and those there is no room for."""
        while self._held and (self._held[0][0] <= until or len(self._held) > MOST_HELD):
            self._stage.play(heapq.heappop(self._held)[-1])


class _Stage:
    """A monitor on a clock that the events move. It begins with the first of them, at that event's time."""

    def __init__(
        self, checks: Iterable[Check], assembler: Assembler, window_s: int, plug_ins: Iterable[SignalFactory]
    ) -> None:
        self._assembler = assembler
        self._clock = ManualClock(wall=0.0)
        self._board = Board(self._clock, window_s, plug_ins)
        self._checks = validated(checks, self._board.declared)
        self._mishaps = Mishaps(self._clock)
        self._begun: Monitor | None = None
        self.undated = 0
        """Events that count at another moment than their own stamp says."""

    def play(self, event: HealthEvent) -> None:
        """Let time pass until `event`, and take it in."""
        if event.category is Category.HEALTH_CHANGED:  # what somebody else's verdict was
            return
        self._pass_time(self._monitor(event.timestamp), event.timestamp)
        self._board.restore(event)

    def report(self, empty_at: float) -> Report:
        """Report as of the last event; as of `empty_at` if there was none."""
        monitor = self._monitor(empty_at)
        self._judge(monitor)
        counts = {"internal_errors": self._mishaps.count, "events_undated": self.undated}
        return monitor.report({**counts, **self._assembler.totals})

    def _monitor(self, now: float) -> Monitor:
        if self._begun is None:
            self._clock.advance_to(now)
            self._begun = Monitor(self._board, self._checks, clock=self._clock, mishaps=self._mishaps)
        return self._begun

    def _pass_time(self, monitor: Monitor, until: float) -> None:
        """Move on to `until`, and judge as a live monitor would: after every second of events, and as they expire."""
        if floor(until) > floor(self._clock.wall()):
            self._judge(monitor)
            while (expires_at := self._board.expires_at()) is not None and expires_at <= until:
                self._clock.advance_to(expires_at)
                self._judge(monitor)
        self._clock.advance_to(until)

    def _judge(self, monitor: Monitor) -> None:
        monitor.judge(self._assembler.take_counts())
