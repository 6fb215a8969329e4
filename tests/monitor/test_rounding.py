# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest

from otel_health.monitor.rounding import all_rounded, rounded
from otel_health.signals.base import Number


@pytest.mark.parametrize(
    ("number", "unit", "shown"),
    [
        (2 / 3, "1", 0.6667),
        (61_000.1234, "ms", 61_000.1),
        (0.000_123_456_7, "USD", 0.000_123),
        (2.345_678, "", 2.345_678),
        (7, "1", 7),
        (True, "1", True),
        (None, "ms", None),
        (math.nan, "", None),
        (math.inf, "ms", None),
        (-math.inf, "1", None),
    ],
)
def test_a_number_is_shown_as_its_unit_asks(number: Number, unit: str, shown: Number) -> None:
    assert rounded(number, unit) == shown
    assert type(rounded(number, unit)) is type(shown)


def test_stats_tell_their_unit_by_their_name() -> None:
    stats = {"tool_error_rate": 1 / 3, "avg_latency_ms": 1 / 3, "cost_usd": 1 / 3, "hit_ratio": 1 / 3, "turns": 3}
    assert all_rounded(stats) == {
        "tool_error_rate": 0.3333,
        "avg_latency_ms": 0.3,
        "cost_usd": 0.333333,
        "hit_ratio": 0.3333,
        "turns": 3,
    }
