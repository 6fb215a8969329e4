# SPDX-License-Identifier: Apache-2.0
"""A change of status as an event: the audit trail in ring and journal, and the way back out of a journal."""

from __future__ import annotations

from otel_health.checks.base import Status
from otel_health.events.model import Category, HealthEvent, Severity, event
from otel_health.monitor.report import Change

_SEVERITY = {Status.HEALTHY: Severity.INFO, Status.WARNING: Severity.WARNING, Status.ERROR: Severity.ERROR}


def change_event(change: Change, message: str) -> HealthEvent:
    """Return the event that records `change`; `message` is what the check said."""
    return event(
        Category.HEALTH_CHANGED,
        change.subsystem,
        timestamp=change.time,
        severity=_SEVERITY[change.to],
        details=message,
        extra={"from": str(change.from_), "to": str(change.to)},
    )


def change_of(record: HealthEvent) -> Change | None:
    """Return the change that a `health_changed` event records; None when it makes no sense."""
    try:
        was, is_ = Status(record.extra["from"]), Status(record.extra["to"])
    except (KeyError, ValueError):
        return None
    return Change(record.timestamp, record.component, was, is_)
