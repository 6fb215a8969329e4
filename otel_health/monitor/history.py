# SPDX-License-Identifier: Apache-2.0
"""The alert history: what was wrong, since when, until when. One line per illness, not per look at it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from otel_health.monitor.report import Alert

MOST_ALERTS = 50
"""Alerts remembered; the oldest resolved ones are forgotten first."""


class AlertHistory:
    """Raises, refreshes and resolves alerts. Touched by one thread at a time; `alerts` is a copy anyone may keep."""

    def __init__(self, most: int = MOST_ALERTS) -> None:
        """Remember up to `most` (≥ 1) alerts."""
        self._most = most
        self._alerts: list[Alert] = []

    @property
    def alerts(self) -> tuple[Alert, ...]:
        """The alerts, the oldest first."""
        return tuple(self._alerts)

    def update(self, raised: Iterable[Alert], now: float) -> None:
        """Take the alerts `raised` at the moment `now` (Unix seconds), at most one for each subsystem.

        A subsystem that is ill already has its line refreshed, one that got ill gets a line, and the line of one that
        is well again is resolved, once.
        """
        fresh = {alert.subsystem: alert for alert in raised}
        self._alerts = [_renewed(alert, fresh, now) for alert in self._alerts]
        standing = {alert.subsystem for alert in self._alerts if alert.resolved_at is None}
        self._alerts += [alert for subsystem, alert in fresh.items() if subsystem not in standing]
        while len(self._alerts) > self._most:
            self._forget_one()

    def _forget_one(self) -> None:
        oldest = next((i for i, alert in enumerate(self._alerts) if alert.resolved_at is not None), 0)
        del self._alerts[oldest]


def _renewed(alert: Alert, fresh: dict[str, Alert], now: float) -> Alert:
    if alert.resolved_at is not None:
        return alert
    renewal = fresh.get(alert.subsystem)
    if renewal is None:
        return msgspec.structs.replace(alert, resolved_at=now)
    return msgspec.structs.replace(renewal, timestamp=alert.timestamp)
