# SPDX-License-Identifier: Apache-2.0
"""One service's verdict: its numbers held against the checks, and what follows from that over time.

A monitor knows no thread and does no I/O. The engine drives it live, the replay drives it through a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from otel_health.checks.base import Check, Evidence, Status, Verdict
from otel_health.checks.judge import judge, worst
from otel_health.clock import Clock
from otel_health.monitor.history import AlertHistory
from otel_health.monitor.mishaps import Mishaps
from otel_health.monitor.report import Alert, Change, HealthCheck, Overall, Report, SubsystemStatus
from otel_health.monitor.rounding import rounded
from otel_health.monitor.transitions import Transitions
from otel_health.signals.base import Number
from otel_health.signals.board import Board
from otel_health.signals.window import TALLIES

_OVERALL = {
    Status.HEALTHY: Overall.HEALTHY,
    Status.WARNING: Overall.DEGRADED,
    Status.ERROR: Overall.UNHEALTHY,
}

_NOTHING: Mapping[str, int] = {}


class Monitor:
    """Judges one service. Touched by one thread at a time."""

    def __init__(self, board: Board, checks: Iterable[Check], *, clock: Clock, mishaps: Mishaps) -> None:
        """Judge the numbers of `board` by `checks` (already validated) for the first time."""
        self.board = board
        self.transitions = Transitions()
        self._checks = {check.key: check for check in checks}
        self._clock = clock
        self._mishaps = mishaps
        self._history = AlertHistory()
        self._numbers: Mapping[str, Number] = {}
        self._verdicts: dict[str, Verdict] = {}
        self._judged_at = 0.0
        self.judge()

    def judge(self, grown: Mapping[str, int] = _NOTHING) -> tuple[Change, ...]:
        """Hold every check against the numbers of this moment; return the changes of status that this brought.

        `grown` says by how much the counts grew that no event carries; those that are no stats are let be.
        """
        now = self._clock.wall()
        for name in TALLIES.names:
            if grown.get(name):
                self.board.count(name, grown[name])
        self._numbers = self.board.read()
        self._verdicts = {key: self._verdict(check) for key, check in self._checks.items()}
        self._judged_at = now
        observed = [self.transitions.observe(key, verdict.status, now) for key, verdict in self._verdicts.items()]
        self._history.update(self._alerts(), now)
        return tuple(change for change in observed if change is not None)

    def message(self, subsystem: str) -> str:
        """Return what the last judging said of `subsystem`."""
        return self._verdicts[subsystem].message

    def report(self, own_counts: Mapping[str, Number], check_interval_turns: int = 10) -> Report:
        """Put the last judging into a report; `own_counts` are the caller's counts on ourselves."""
        return Report(
            check=self._check(),
            stats=self._numbers,
            alert_history=self._history.alerts,
            check_interval_turns=check_interval_turns,
            window_minutes=self.board.window_s / 60,
            agents=self.board.agents(),
            changes=self.transitions.changes,
            self_={**own_counts, **self.board.self_counts()},
        )

    def _verdict(self, check: Check) -> Verdict:
        """Return what `check` says. One that fails keeps its status and says that it rests on nothing."""
        try:
            return judge(check, self._numbers)
        except Exception:
            self._mishaps.note(f"check {check.key}")
            return Verdict(
                status=self.transitions.status(check.key),
                message="Could not be judged",
                metric_value=None,
                threshold=0.0,
                evidence=Evidence.NONE,
                rule=check.rules[0],
            )

    def _ill(self) -> list[tuple[str, Verdict]]:
        return [(key, verdict) for key, verdict in self._verdicts.items() if verdict.status is not Status.HEALTHY]

    @property
    def _overall(self) -> Overall:
        return _OVERALL[worst(verdict.status for verdict in self._verdicts.values())]

    def _alerts(self) -> list[Alert]:
        overall, now = self._overall, self._judged_at
        return [
            Alert(
                timestamp=self.transitions.since(key),
                message=verdict.message,
                overall=overall,
                subsystem=key,
                last_seen=now,
            )
            for key, verdict in self._ill()
        ]

    def _check(self) -> HealthCheck:
        return HealthCheck(
            timestamp=self._judged_at,
            overall=self._overall,
            subsystems={key: self._subsystem(self._checks[key], verdict) for key, verdict in self._verdicts.items()},
            alerts=tuple(verdict.message for _, verdict in self._ill()),
        )

    def _subsystem(self, check: Check, verdict: Verdict) -> SubsystemStatus:
        is_healthy = verdict.status is Status.HEALTHY
        blames = check.blames if is_healthy else verdict.rule.blames
        return SubsystemStatus(
            name=check.name,
            status=verdict.status,
            message=verdict.message,
            metric_value=rounded(verdict.metric_value, verdict.rule.unit),
            threshold=verdict.threshold,
            since=self.transitions.since(check.key),
            evidence=verdict.evidence,
            top=self.board.top(blames) if blames else (),
            advice="" if is_healthy else verdict.rule.advice,
        )
