# SPDX-License-Identifier: Apache-2.0
"""Every threshold from both sides, by the table of the seven checks."""

from __future__ import annotations

import pytest

from otel_health.checks.base import Evidence, Status
from otel_health.signals.base import Number
from tests.checks.given_stats import verdict

W, E, OK = Status.WARNING, Status.ERROR, Status.HEALTHY


@pytest.mark.parametrize(
    ("key", "stats", "status", "shown"),
    [
        ("tools", {"tool_calls": 20, "tool_error_rate": 0.15}, W, (0.15, 0.15)),
        ("tools", {"tool_calls": 10_000, "tool_error_rate": 0.14996}, OK, (0.14996, 0.15)),
        ("tools", {"tool_calls": 5, "tool_error_rate": 1.0}, W, (1.0, 0.15)),
        ("tools", {"tool_calls": 4, "tool_error_rate": 1.0}, OK, (1.0, 0.15)),
        ("spokes", {"spoke_calls": 5, "spoke_failure_rate": 0.2}, W, (0.2, 0.2)),
        ("spokes", {"spoke_calls": 5, "spoke_failure_rate": 0.19999}, OK, (0.19999, 0.2)),
        ("spokes", {"spoke_calls": 4, "spoke_failure_rate": 0.75}, OK, (0.75, 0.2)),
        ("context", {"context_overflows": 3}, W, (3, 3)),
        ("context", {"context_overflows": 2}, OK, (2, 3)),
        ("context", {"compactions": 5}, W, (5, 5)),
        ("context", {"compactions": 4}, OK, (0, 3)),
        ("llm", {"llm_errors": 3}, E, (3, 3)),
        ("llm", {"llm_errors": 2}, OK, (2, 3)),
        ("llm", {"llm_caller_errors": 300}, OK, (0, 3)),
        ("latency", {"turns_measured": 3, "avg_latency_ms": 60_000.0}, OK, (60_000.0, 60_000)),
        ("latency", {"turns_measured": 3, "avg_latency_ms": 60_000.001}, W, (60_000.001, 60_000)),
        ("latency", {"turns_measured": 2, "turns": 9, "avg_latency_ms": 70_000.0}, OK, (70_000.0, 60_000)),
        ("reliability", {"timeouts": 2}, E, (2, 2)),
        ("reliability", {"timeouts": 1}, OK, (1, 2)),
        ("reliability", {"turn_failures": 3}, E, (3, 3)),
        ("reliability", {"turn_failures": 2}, OK, (0, 2)),
        ("reliability", {"retries": 5}, OK, (0, 2)),
        ("reliability", {"retries": 6}, W, (6, 5)),
        ("reliability", {"retries": 6, "turn_failures": 3}, E, (3, 3)),
        ("budget", {"budget_exhaustions": 3}, W, (3, 3)),
        ("budget", {"budget_exhaustions": 2}, OK, (2, 3)),
    ],
)
def test_a_check_trips_exactly_at_its_threshold_and_shows_it(
    key: str, stats: dict[str, Number], status: Status, shown: tuple[Number, float]
) -> None:
    found = verdict(key, **stats)
    assert (found.status, (found.metric_value, found.threshold)) == (status, shown)


@pytest.mark.parametrize(
    ("key", "stats", "evidence"),
    [
        ("tools", {}, Evidence.NONE),
        ("tools", {"tool_calls": 4}, Evidence.THIN),
        ("tools", {"tool_calls": 5}, Evidence.OK),
        ("spokes", {"spoke_calls": 1}, Evidence.THIN),
        ("context", {"llm_calls": 1}, Evidence.OK),
        ("context", {"compactions": 1}, Evidence.OK),
        ("llm", {"embedding_calls": 1}, Evidence.OK),
        ("llm", {"turns": 1}, Evidence.NONE),
        ("latency", {"turns": 5}, Evidence.NONE),
        ("latency", {"turns_measured": 2}, Evidence.THIN),
        ("latency", {"turns_measured": 3}, Evidence.OK),
        ("reliability", {"turns": 1}, Evidence.OK),
        ("reliability", {"retries": 1}, Evidence.OK),
        ("budget", {"turns": 1}, Evidence.OK),
        ("budget", {"budget_exhaustions": 1}, Evidence.OK),
    ],
)
def test_a_check_says_how_much_its_verdict_rests_on(key: str, stats: dict[str, Number], evidence: Evidence) -> None:
    assert verdict(key, **stats).evidence is evidence


@pytest.mark.parametrize(
    ("key", "stats", "message"),
    [
        ("tools", {}, "No tool calls"),
        ("tools", {"tool_calls": 3, "tool_errors": 2}, "2 of 3 tool calls failed (too few to judge)"),
        ("tools", {"tool_calls": 40, "tool_errors": 2}, "2 of 40 tool calls failed"),
        (
            "tools",
            {"tool_calls": 40, "tool_errors": 8, "tool_error_rate": 0.2},
            "8/40 tool calls failed (20% error rate)",
        ),
        (
            "spokes",
            {"spoke_calls": 5, "spoke_failures": 2, "spoke_failure_rate": 0.4},
            "2/5 spoke delegations failed (40% failure rate)",
        ),
        ("context", {"context_overflows": 4}, "4 context overflows"),
        ("context", {"compactions": 7}, "7 context compactions"),
        ("llm", {"llm_errors": 3}, "3 LLM errors by the provider"),
        (
            "latency",
            {"turns_measured": 3, "avg_latency_ms": 70_000.0, "p95_latency_ms": 71_234.5},
            "High latency: turns take 70,000 ms on average (p95 71,234 ms)",
        ),
        ("reliability", {"turns": 9, "timeouts": 2}, "2 of 9 turns timed out"),
        ("reliability", {"turns": 9, "turn_failures": 3}, "3 of 9 turns failed"),
        ("reliability", {"retries": 6}, "6 retries"),
        ("budget", {"budget_exhaustions": 3}, "3 budget exhaustions"),
    ],
)
def test_a_check_says_it_in_plain_words(key: str, stats: dict[str, Number], message: str) -> None:
    assert verdict(key, **stats).message == message
