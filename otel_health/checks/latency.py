# SPDX-License-Identifier: Apache-2.0
"""Response Latency: how long completed turns take."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, above

CHECK = Check(
    key="latency",
    name="Response Latency",
    summary="The mean time that a completed turn takes. Slow turns are what users notice first.",
    observed=("turns_measured",),
    unobserved="No completed turn was measured",
    healthy="Turns take {avg_latency_ms:,.0f} ms on average (p95 {p95_latency_ms:,.0f} ms)",
    rules=(
        Rule(
            stat="avg_latency_ms",
            unit="ms",
            warning=above(60_000),
            samples="turns_measured",
            least_samples=3,
            tripped="High latency: turns take {avg_latency_ms:,.0f} ms on average (p95 {p95_latency_ms:,.0f} ms)",
            advice="Look at the slowest model and tool calls of a turn, and take fewer steps.",
        ),
    ),
)
