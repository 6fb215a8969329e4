# SPDX-License-Identifier: Apache-2.0
"""Spoke Delegation: the share of delegations to sub-agents that fail."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="spokes",
    name="Spoke Delegation",
    summary="The share of delegations to sub-agents that fail. What it is given is lost or done twice.",
    observed=("spoke_calls",),
    unobserved="No spoke delegations",
    healthy="{spoke_failures} of {spoke_calls} spoke delegations failed",
    rules=(
        Rule(
            stat="spoke_failure_rate",
            unit="1",
            warning=at_least(0.20),
            samples="spoke_calls",
            least_samples=5,
            tripped="{spoke_failures}/{spoke_calls} spoke delegations failed ({spoke_failure_rate:.0%} failure rate)",
            advice="Do the failing sub-agent's work directly, or hand it over in smaller pieces.",
            blames=(Category.SPOKE_FAILURE,),
        ),
    ),
)
