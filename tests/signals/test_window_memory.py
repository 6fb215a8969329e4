# SPDX-License-Identifier: Apache-2.0
"""The window's memory follows its length, not the rate of events."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import cycle, islice

from otel_health.events.model import Category, HealthEvent
from otel_health.signals.window import Window
from tests.signals.occurrences import NOW_S, happening

NOW = int(NOW_S)
SLOTS_OF_AN_HOUR = 3600 + 1 + 5
EXTRA = {"input": 10**9, "output": 10**9, "cached_input": 10**9, "cost_usd": 1e6, "usage_missing": True}


def crowded_second(events: int) -> list[HealthEvent]:
    """Return events of every kind, most of them turns of ever different latency: the fullest a second can be."""
    kinds = [happening(category, extra=EXTRA | {"timeout": True, "level": "block"}) for category in Category]
    turns = [happening("turn_completed", latency_ms=0.2 * 1.02**i, extra=EXTRA) for i in range(1_100)]
    embedding = happening("llm_error", extra={"operation": "embeddings", "fault": "caller"})
    return [*kinds, embedding, *islice(cycle(turns), events)]


def bytes_per_second(events: int, seconds: int = 4) -> float:
    """Measure what each further second of `events` events costs a window."""
    window, crowd = Window(3600), crowded_second(events)
    for event in crowd:
        window.fold(event, NOW)
    gc.collect()
    tracemalloc.start()
    for second in range(seconds):
        for event in crowd:
            window.fold(event, NOW + 1 + second)
    gc.collect()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / seconds


def test_an_hour_of_the_fullest_seconds_there_can_be_takes_less_than_30_megabytes() -> None:
    assert bytes_per_second(5_000) * SLOTS_OF_AN_HOUR < 30e6


def test_a_second_of_500_events_takes_less_than_a_third_of_that() -> None:
    assert bytes_per_second(500) * SLOTS_OF_AN_HOUR < 10e6


def test_a_second_of_many_events_is_about_as_large_as_one_of_four_times_as_many() -> None:
    assert bytes_per_second(10_000, seconds=2) < 1.25 * bytes_per_second(2_500, seconds=2)
