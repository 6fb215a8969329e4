# SPDX-License-Identifier: Apache-2.0
"""The river, live: takes what was handed over, reads it, folds it, judges it, and publishes the report.

Whatever a room does wrong is caught, counted (`internal_errors`) and logged; the other rooms and the loop go on.

Thread rules: whoever moves the river on holds the lock `_driving`. Normally that is the health thread, around `step`; a
test may do it step by step; a reader who finds the report too old tries to, and takes the last report when that would
keep it waiting. Readers take one reference to immutable values.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import ParamSpec, TypeVar

import msgspec
from msgspec import UNSET

from otel_health.clock import Clock
from otel_health.dialects.span import Span
from otel_health.events.inbox import Inbox
from otel_health.events.model import Category, HealthEvent
from otel_health.events.ring import Ring
from otel_health.monitor.advisor import Advisor
from otel_health.monitor.advisory import advisory_text
from otel_health.monitor.audit import change_event, change_of
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.monitor import Monitor
from otel_health.monitor.report import Report
from otel_health.signals.base import Number
from otel_health.sources.assembly import Assembler

BATCH = 256
"""Most items taken from the inbox in one step."""

JUDGE_EVERY_S = 1.0
"""Seconds between two judgings, whatever happens."""

STALE_AFTER_S = 300.0
"""A report older than this many seconds is judged anew when it is read."""

READER_WAIT_S = 0.1
"""Seconds a reader waits at most for a fresh report before it takes the last one."""

_TURN_ENDS = frozenset(
    (Category.TURN_COMPLETED, Category.TURN_FAILED, Category.TURN_TIMEOUT, Category.TURN_CANCELLED),
)

Listener = Callable[[HealthEvent], None]
Counts = Callable[[], Mapping[str, Number]]
Predecessor = Callable[[], Iterable[HealthEvent]]
P = ParamSpec("P")
R = TypeVar("R")


class Published(msgspec.Struct, frozen=True):
    """What readers take: a report, and what it means to the agent."""

    report: Report
    advisory: str | None
    judged_at: float
    """Monotonic seconds; -inf before the first judging that rests on anything."""


class Engine:
    """Moves spans and events from the inbox to a published report."""

    def __init__(
        self,
        monitor: Monitor,
        *,
        clock: Clock,
        inbox: Inbox[Span | HealthEvent],
        assembler: Assembler,
        ring: Ring,
        advisor: Advisor,
        mishaps: Mishaps,
        listeners: Mapping[str, Listener] | None = None,
        counts: Counts = dict,
        predecessor: Predecessor | None = None,
        check_interval_turns: int = 10,
    ) -> None:
        """Put the rooms together; nothing moves yet.

        Args:
            monitor: Judges.
            clock: The time of everything here.
            inbox: Where agents' threads hand over.
            assembler: Makes events of spans.
            ring: Remembers recent events.
            advisor: Is told of turns and verdicts.
            mishaps: Counts our own failures.
            listeners: By name, who else is told of every live event, such as the journal. Must not block.
            counts: Further counts on ourselves, for the report.
            predecessor: Gives what a dead predecessor recorded, oldest first. Asked once, by the first step.
            check_interval_turns: For the report: `TurnHook` speaks every so many turns.
        """
        self._monitor = monitor
        self._clock = clock
        self._inbox = inbox
        self._assembler = assembler
        self._ring = ring
        self._advisor = advisor
        self._mishaps = mishaps
        self._listeners: Mapping[str, Listener] = {"ring": ring.append, **(listeners or {})}
        self._counts = counts
        self._predecessor = predecessor
        self._check_interval_turns = check_interval_turns
        self._driving = threading.Lock()
        self._seq = 0
        self._news = False
        self._judged_at = -math.inf
        self._published = self._put_together()

    # -- reading: any thread -------------------------------------------------------------------------------------------

    @property
    def last_report(self) -> Report | None:
        """The report as last published; None while nothing has happened and nobody has asked."""
        published = self._published
        return None if published.judged_at == -math.inf else published.report

    def report(self) -> Report:
        """Return the current report, judged anew when it is older than five minutes. Waits 0.1 s at most."""
        self._freshen()
        return self._published.report

    def advisory(self) -> str | None:
        """Return what the current report means to the agent, at most 1 500 characters; None when it is healthy."""
        self._freshen()
        return self._published.advisory

    def refresh(self) -> bool:
        """Take in what waits, at most one batch, and judge now; waits 0.1 s at most.

        Returns:
            False, and nothing is changed, where the health thread is busy, or has not begun and read back the past.
        """
        if self._predecessor is not None or not self._driving.acquire(timeout=READER_WAIT_S):
            return False
        try:
            self._take_batch()
            self._judge()
        finally:
            self._driving.release()
        return True

    def _freshen(self) -> None:
        if self._clock.monotonic() - self._published.judged_at > STALE_AFTER_S:
            self.refresh()

    # -- driving: one thread at a time, under the lock -----------------------------------------------------------------

    def step(self) -> bool:
        """Take one batch through the river, and judge if that is due. Never raises.

        Returns:
            Whether more is waiting already.
        """
        with self._driving:
            self._restore_once()
            self._take_batch()
            if self._is_due():
                self._judge()
        return self._inbox.depth > 0

    def flush(self, timeout_s: float = 5.0, *, final: bool = False) -> bool:
        """Take in and judge everything handed over until now; False where that takes longer than `timeout_s` seconds.

        Spans that wait for their neighbours go on waiting unless this is the `final` flush, which decides them.
        """
        deadline = self._clock.monotonic() + timeout_s
        if not self._driving.acquire(timeout=max(0.0, timeout_s)):
            return False
        try:
            self._restore_once()
            for _ in range(self._inbox.depth // BATCH + 1):
                self._take_batch()
                if self._clock.monotonic() > deadline:
                    return False
            if final:
                self._take_events(self._attempt("assembly", self._assembler.flush) or ())
            self._judge()
        finally:
            self._driving.release()
        return True

    def _restore_once(self) -> None:
        if self._predecessor is not None:
            self._attempt("restoring", self._restore, self._predecessor)
            self._predecessor = None  # only now: until the past is read back, readers are not kept waiting for it

    def _restore(self, predecessor: Predecessor) -> None:
        for record in predecessor():
            self._news = True
            self._ring.append(record)
            self._monitor.board.restore(record)
            if record.seq is not UNSET:
                self._seq = max(self._seq, record.seq)
            if record.category is Category.HEALTH_CHANGED and (change := change_of(record)):
                self._monitor.transitions.restore(change)

    def _take_batch(self) -> None:
        now = self._clock.monotonic()
        for item in self._inbox.drain(BATCH):
            self._news = True
            if isinstance(item, HealthEvent):
                self._take(item)
            else:
                self._attempt("assembly", self._assembler.add, item, now)
        self._take_events(self._attempt("assembly", self._assembler.due, now) or ())

    def _take_events(self, events: Iterable[HealthEvent]) -> None:
        for event in events:
            self._news = True
            self._take(event)

    def _take(self, event: HealthEvent) -> None:
        """Number an event, and give it to everybody."""
        self._seq += 1
        event = msgspec.structs.replace(event, seq=self._seq)
        for name, listener in self._listeners.items():
            self._attempt(name, listener, event)
        self._attempt("signals", self._monitor.board.fold, event)
        if event.category in _TURN_ENDS:
            self._attempt("advisor", self._advisor.turn_ended)

    def _attempt(self, room: str, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R | None:
        """Call into another room; what it raises ends here."""
        try:
            return call(*args, **kwargs)
        except Exception:
            self._mishaps.note(room)
            return None

    # -- judging -------------------------------------------------------------------------------------------------------

    def _is_due(self) -> bool:
        if self._clock.monotonic() - self._judged_at < JUDGE_EVERY_S:
            return False
        expires_at = self._monitor.board.expires_at()
        return self._news or (expires_at is not None and expires_at <= self._clock.wall())

    def _judge(self) -> None:
        self._news = False
        self._judged_at = self._clock.monotonic()
        self._attempt("judging", self._judge_and_publish)

    def _judge_and_publish(self) -> None:
        for change in self._monitor.judge(self._assembler.take_counts()):
            self._take(change_event(change, self._monitor.message(change.subsystem)))
        self._published = self._put_together()
        self._advisor.judged(self._published.report.check.overall)

    def _put_together(self) -> Published:
        report = self._monitor.report(self._own_counts(), self._check_interval_turns)
        return Published(report, advisory_text(report.check), self._judged_at)

    def _own_counts(self) -> dict[str, Number]:
        return {
            "internal_errors": self._mishaps.count,
            "inbox_depth": self._inbox.depth,
            "inbox_dropped": self._inbox.dropped,
            "live_spans": self._assembler.held_spans,
            **self._assembler.totals,
            **(self._attempt("counts", self._counts) or {}),
        }
