# SPDX-License-Identifier: Apache-2.0
"""Tool Execution: the share of tool calls that fail."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="tools",
    name="Tool Execution",
    summary="The share of tool calls that end in error. An agent whose tools fail guesses, repeats itself or gives up.",
    observed=("tool_calls",),
    unobserved="No tool calls",
    healthy="{tool_errors} of {tool_calls} tool calls failed",
    rules=(
        Rule(
            stat="tool_error_rate",
            unit="1",
            warning=at_least(0.15),
            samples="tool_calls",
            least_samples=5,
            tripped="{tool_errors}/{tool_calls} tool calls failed ({tool_error_rate:.0%} error rate)",
            advice="Look at the last error of the failing tool, and try another tool or other arguments.",
            blames=(Category.TOOL_ERROR,),
        ),
    ),
)
