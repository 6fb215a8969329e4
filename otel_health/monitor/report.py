# SPDX-License-Identifier: Apache-2.0
"""The published verdict: immutable values that any thread may hold and read without a lock.

Field names are the JSON keys of `otel-health check --format json`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from otel_health.checks.base import Evidence, Status
from otel_health.signals.base import Number
from otel_health.signals.culprits import Culprit

REPORT_SCHEMA_VERSION = 1


class Overall(StrEnum):
    """The agent's state: the worst of its subsystems."""

    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"

    @property
    def exit_code(self) -> int:
        """0, 1 or 2, by the monitoring-plugin convention."""
        return (Overall.HEALTHY, Overall.DEGRADED, Overall.UNHEALTHY).index(self)


class SubsystemStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One check's verdict."""

    name: str
    status: Status = Status.HEALTHY
    message: str = ""
    metric_value: Number = 0
    """The number judged, rounded for showing; null while unknown."""
    threshold: float = 0
    since: float = 0.0
    """Unix seconds at which it took this status."""
    evidence: Evidence = Evidence.NONE
    top: tuple[Culprit, ...] = ()
    """Up to five, the guiltiest first."""
    advice: str = ""
    """What can be done about it, in one sentence; "" while healthy."""


class HealthCheck(msgspec.Struct, frozen=True, kw_only=True):
    """All verdicts of one moment."""

    timestamp: float
    overall: Overall = Overall.HEALTHY
    subsystems: Mapping[str, SubsystemStatus] = {}
    alerts: tuple[str, ...] = ()
    """Messages of the tripped checks, in the order of the checks."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the alert history. A persisting alert is refreshed, a cleared one resolved, never appended again."""

    timestamp: float
    """Unix seconds at which it was first raised."""
    message: str
    """The latest message."""
    overall: Overall
    """The overall status when last refreshed."""
    subsystem: str = ""
    last_seen: float = 0.0
    resolved_at: float | None = None


class Change(msgspec.Struct, frozen=True):
    """A subsystem took another status."""

    time: float
    """Unix seconds."""
    subsystem: str
    from_: Status = msgspec.field(name="from")
    to: Status


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to say of one moment."""

    enabled: bool = True
    schema_version: int = REPORT_SCHEMA_VERSION
    check: HealthCheck
    stats: Mapping[str, Number]
    """Every number of the window, exact here and rounded in JSON."""
    alert_history: tuple[Alert, ...] = ()
    check_interval_turns: int = 10
    window_minutes: float = 60
    circuit_breakers: tuple[Mapping[str, Any], ...] = ()
    loop_detector: Mapping[str, Any] = {}
    budgets: tuple[Mapping[str, Any], ...] = ()
    agents: Mapping[str, Mapping[str, Number]] = {}
    """Per agent: the same counts, for drill-down."""
    services: tuple[Mapping[str, Any], ...] = ()
    open_turns: tuple[Mapping[str, Any], ...] = ()
    changes: tuple[Change, ...] = ()
    """Status changes, the oldest first; the last 200."""
    self_: Mapping[str, Number] = msgspec.field(default={}, name="self")
    """What we dropped, could not write, or did not understand."""
