# SPDX-License-Identifier: Apache-2.0
"""The window as one would write it on paper: keep every event, and count from scratch each time."""

from __future__ import annotations

import math

from otel_health.clock import ManualClock
from otel_health.events.model import HealthEvent
from otel_health.signals.base import Number

_COUNTED: dict[str, str] = {
    "turns": "turn_completed turn_failed turn_timeout turn_cancelled",
    "tool_calls": "tool_success tool_error",
    "tool_errors": "tool_error",
    "spoke_calls": "spoke_success spoke_failure",
    "spoke_failures": "spoke_failure",
    "context_overflows": "context_overflow",
    "compactions": "context_compaction",
    "retries": "retry",
    "llm_errors": "llm_error",
    "timeouts": "turn_timeout",
    "budget_exhaustions": "budget_exhausted",
    "turns_completed": "turn_completed",
    "turn_failures": "turn_failed",
    "turn_cancellations": "turn_cancelled",
    "llm_calls": "llm_success llm_error llm_cancelled context_overflow",
    "llm_cancellations": "llm_cancelled",
    "rejections": "tool_rejected spoke_rejected llm_rejected",
    "distinct_failures": "tool_error spoke_failure llm_error context_overflow turn_failed turn_timeout",
}


class BruteForce:
    """Ages every event by time that passed since it happened, in whole seconds."""

    def __init__(self, clock: ManualClock, window_s: int) -> None:
        self._clock = clock
        self._window_s = window_s
        self._stepped_s = 0
        self._events: list[tuple[int, HealthEvent]] = []
        self.restamped = 0

    def step_wall(self, seconds: int) -> None:
        self._clock.step_wall(seconds)
        self._stepped_s += seconds

    def fold(self, event: HealthEvent) -> None:
        now = self._clock.wall()
        trusted = now - self._window_s <= event.timestamp <= now + 5
        self.restamped += not trusted
        moment = event.timestamp if trusted else now
        self._events.append((math.floor(moment) - self._stepped_s, event))

    def read(self) -> dict[str, Number]:
        oldest = math.floor(self._clock.wall()) - self._stepped_s - self._window_s
        live = [event for second, event in self._events if second >= oldest and event.category != "health_changed"]
        stats: dict[str, Number] = {
            name: sum(event.category in categories.split() for event in live) for name, categories in _COUNTED.items()
        }
        stats["total_events"] = len(live)
        stats["tool_error_rate"] = _ratio(stats["tool_errors"], stats["tool_calls"])
        stats["spoke_failure_rate"] = _ratio(stats["spoke_failures"], stats["spoke_calls"])
        for name, key in (("input_tokens", "input"), ("output_tokens", "output")):
            stats[name] = sum(event.extra.get(key, 0) for event in live)
        return stats | _latencies([event.latency_ms for event in live if event.category == "turn_completed"])


def _ratio(part: Number, whole: Number) -> float:
    return (part or 0) / whole if whole else 0.0


def _latencies(all_ms: list[float | None]) -> dict[str, Number]:
    measured = sorted(one for one in all_ms if one)
    n = len(measured)
    if not n:
        return {"turns_measured": 0, "avg_latency_ms": 0.0, "p95_latency_ms": 0.0}
    p95 = measured[math.ceil(0.95 * n) - 1]
    return {"turns_measured": n, "avg_latency_ms": math.fsum(measured) / n, "p95_latency_ms": p95}
