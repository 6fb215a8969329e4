# SPDX-License-Identifier: Apache-2.0
"""Checks held against events or numbers of the test's choice."""

from __future__ import annotations

from otel_health.checks import all_checks
from otel_health.checks.base import Verdict
from otel_health.checks.judge import judge
from otel_health.events.model import HealthEvent
from otel_health.signals.base import Number
from otel_health.signals.window import Window
from tests.signals.occurrences import NOW_S, board_after

EMPTY = Window(3600).read(int(NOW_S))
"""The numbers of an agent to which nothing happened."""


def verdicts(*events: HealthEvent) -> dict[str, Verdict]:
    """Return what every check says after `events`."""
    stats = board_after(*events).read()
    return {check.key: judge(check, stats) for check in all_checks()}


def verdict(key: str, **stats: Number) -> Verdict:
    """Return what one check says of an empty window in which `stats` are different."""
    return judge(all_checks()[key], EMPTY | stats)
