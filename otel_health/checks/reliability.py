# SPDX-License-Identifier: Apache-2.0
"""Reliability: turns that run out of time or fail, and things tried again."""

from __future__ import annotations

from otel_health.checks.base import Check, Rule, above, at_least
from otel_health.events.model import Category

CHECK = Check(
    key="reliability",
    name="Reliability",
    summary="Turns that exceed their time or fail, and how often something has to be tried again.",
    observed=("turns", "retries"),
    unobserved="No turn has ended",
    healthy="{turn_failures} of {turns} turns failed, {timeouts} timed out, retries: {retries}",
    rules=(
        Rule(
            stat="timeouts",
            unit="",
            error=at_least(2),
            tripped="{timeouts} of {turns} turns timed out",
            advice="Take smaller steps and report what is done so far.",
            blames=(Category.TURN_TIMEOUT,),
        ),
        Rule(
            stat="turn_failures",
            unit="",
            error=at_least(3),
            tripped="{turn_failures} of {turns} turns failed",
            advice="Look at the last error of a failed turn before beginning another of the same kind.",
            blames=(Category.TURN_FAILED,),
        ),
        Rule(
            stat="retries",
            unit="",
            warning=above(5),
            tripped="{retries} retries",
            advice="Find out why the first attempts fail; trying again only hides it.",
            blames=(Category.RETRY,),
        ),
    ),
)
