# SPDX-License-Identifier: Apache-2.0
"""The report as JSON: the body of `GET /health` and of `otel-health check --format json`.

Only here are numbers rounded: milliseconds to one decimal place, rates and money to four. Verdicts rest on exact ones.
Numbers that are not finite become null, so the output is JSON for every reader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from otel_health.monitor.report import Report
from otel_health.signals.base import Number

_FINE, _COARSE = 4, 1


def report_json(report: Report) -> bytes:
    """Return `report` as one JSON object; a disabled one says only that."""
    return msgspec.json.encode(report_object(report))


def report_object(report: Report) -> dict[str, Any]:
    """Return `report` as plain dicts, lists, strings and finite numbers, rounded for display."""
    if not report.enabled:
        return {"enabled": False}
    plain: dict[str, Any] = msgspec.to_builtins(report)
    plain["stats"] = rounded(report.stats)
    plain["agents"] = {agent: rounded(stats) for agent, stats in report.agents.items()}
    for subsystem in plain["check"]["subsystems"].values():
        for key in ("metric_value", "threshold"):
            subsystem[key] = _rounded(subsystem[key], _FINE)
    return plain


def rounded(stats: Mapping[str, Number]) -> dict[str, Number]:
    """Return `stats` rounded for display: keys that end in `_ms` to one decimal place, the rest to four."""
    return {key: _rounded(value, _COARSE if key.endswith("_ms") else _FINE) for key, value in stats.items()}


def _rounded(value: Number, places: int) -> Number:
    if not isinstance(value, float):
        return value
    return round(value, places) if math.isfinite(value) else None
