# SPDX-License-Identifier: Apache-2.0
"""The one question asked of past events, whether they lie in memory or on disk: which were the newest of a kind?"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from msgspec import UNSET

from otel_health.events.model import Category, HealthEvent, Severity


def newest(
    events: Iterable[HealthEvent],
    *,
    now: float,
    minutes: float = 60,
    category: Category | str | None = None,
    severity: Severity | str | None = None,
    limit: int = 200,
) -> list[HealthEvent]:
    """Return the newest events that fit, the newest first, whatever order they come in.

    Args:
        events: Any number, in any order; at most `limit` of them are held.
        now: Unix seconds.
        minutes: How far to look back, edge inclusive. Events stamped after `now` are not hidden.
        category: Only this one; None for all.
        severity: Only this one; None for all.
        limit: Most events returned, counted after filtering; 0 or less returns none.
    """
    oldest = now - minutes * 60
    fitting = (
        event
        for event in events
        if event.timestamp >= oldest
        and (category is None or event.category == category)
        and (severity is None or event.severity == severity)
    )
    return heapq.nlargest(limit, fitting, key=_moment)


def _moment(event: HealthEvent) -> tuple[float, int]:
    return event.timestamp, -1 if event.seq is UNSET else event.seq
