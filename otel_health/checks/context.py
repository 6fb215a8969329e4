# SPDX-License-Identifier: Apache-2.0
"""Context Management: requests too long for the model, and histories that keep being summarised."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="context",
    name="Context Management",
    summary=(
        "Requests that exceed the model's context, and how often the history has to be summarised. Both mean that the "
        "agent carries more than it can hold, and forgets."
    ),
    observed=("llm_calls", "compactions"),
    unobserved="No model calls",
    healthy="Context overflows: {context_overflows}, compactions: {compactions}",
    rules=(
        Rule(
            stat="context_overflows",
            unit="",
            warning=at_least(3),
            tripped="{context_overflows} context overflows",
            advice="Shorten the history, keep tool results small, or split the task.",
            blames=(Category.CONTEXT_OVERFLOW,),
        ),
        Rule(
            stat="compactions",
            unit="",
            warning=at_least(5),
            tripped="{compactions} context compactions",
            advice="Keep tool results small and begin a new conversation for a new task.",
            blames=(Category.CONTEXT_COMPACTION,),
        ),
    ),
)
