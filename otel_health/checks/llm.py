# SPDX-License-Identifier: Apache-2.0
"""LLM Provider: model calls that fail by the provider's fault."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="llm",
    name="LLM Provider",
    summary=(
        "Model calls that fail by the provider's fault: rate limits, server errors, time-outs, authentication, "
        "network. Requests that the provider rightly refuses are not among them."
    ),
    observed=("llm_calls", "embedding_calls"),
    unobserved="No model calls",
    healthy="LLM errors by the provider: {llm_errors}, calls: {llm_calls}",
    rules=(
        Rule(
            stat="llm_errors",
            unit="",
            error=at_least(3),
            tripped="{llm_errors} LLM errors by the provider",
            advice="Wait, or switch to another model or provider.",
            blames=(Category.LLM_ERROR,),
        ),
    ),
)
