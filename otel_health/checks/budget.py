# SPDX-License-Identifier: Apache-2.0
"""Tool Budget: how often an agent runs through its budget."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="budget",
    name="Tool Budget",
    summary=(
        "How often a budget of tool calls, steps, tokens or cost is crossed, once per turn and budget. Work that needs "
        "more than it is given is left half done."
    ),
    observed=("turns", "budget_exhaustions"),
    unobserved="No turn has ended",
    healthy="Budget exhaustions: {budget_exhaustions}",
    rules=(
        Rule(
            stat="budget_exhaustions",
            unit="",
            warning=at_least(3),
            tripped="{budget_exhaustions} budget exhaustions",
            advice="Plan before acting and do more with each call, or raise the budget.",
            blames=(Category.BUDGET_EXHAUSTED,),
        ),
    ),
)
