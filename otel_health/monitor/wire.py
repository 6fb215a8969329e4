# SPDX-License-Identifier: Apache-2.0
"""The report as JSON: what `otel-health check --format json` prints."""

from __future__ import annotations

from typing import Any

import msgspec

from otel_health.monitor.report import Report
from otel_health.monitor.rounding import all_rounded


def report_json(report: Report) -> bytes:
    """Return `report` as one JSON object; a disabled one says only that. Numbers that are not finite become null."""
    return msgspec.json.encode(report_object(report))


def report_object(report: Report) -> dict[str, Any]:
    """Return `report` as plain dicts, lists, strings and numbers, the stats rounded for showing."""
    if not report.enabled:
        return {"enabled": False}
    plain: dict[str, Any] = msgspec.to_builtins(report)
    plain["stats"] = all_rounded(report.stats)
    plain["agents"] = {agent: all_rounded(stats) for agent, stats in report.agents.items()}
    return plain
