# SPDX-License-Identifier: Apache-2.0
"""Health for AI agents, on OpenTelemetry.

The names below are the public ones; each is loaded from its room when it is first asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from otel_health.checks.base import Check
    from otel_health.errors import ConfigError, OtelHealthError
    from otel_health.events.model import Category, HealthEvent, Severity
    from otel_health.monitor.report import Report

    __version__: str

__all__ = ["Category", "Check", "ConfigError", "HealthEvent", "OtelHealthError", "Report", "Severity", "__version__"]

_ROOMS = {
    "otel_health.checks.base": ("Check",),
    "otel_health.errors": ("ConfigError", "OtelHealthError"),
    "otel_health.events.model": ("Category", "HealthEvent", "Severity"),
    "otel_health.monitor.report": ("Report",),
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("importlib.metadata").version("otel-health")
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(importlib.import_module(room), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
