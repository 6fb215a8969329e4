# SPDX-License-Identifier: Apache-2.0
"""A check is a declared value: which number, which bound, how many samples, and what to say.

From one declaration follow the verdict in the process, the advisory sentence, and the fleet's rules and panels, so it
holds no code and knows no state.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from otel_health.events.model import Category
from otel_health.signals.base import Number


class Status(StrEnum):
    """A subsystem's traffic light."""

    HEALTHY = "healthy"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """0 healthy, 1 warning, 2 error: the worse, the higher."""
        return _RANK[self]


_RANK = {status: rank for rank, status in enumerate(Status)}


class Evidence(StrEnum):
    """How much a verdict rests on."""

    NONE = "none"
    """Nothing of the kind happened in the window."""
    THIN = "thin"
    """Fewer samples than the check asks for."""
    OK = "ok"


class Bound(msgspec.Struct, frozen=True):
    """A threshold: tripped when the number is ≥ `value`, or > `value` where `strict`."""

    value: float
    strict: bool = False

    def tripped(self, number: float) -> bool:
        """Tell whether `number` lies beyond the bound."""
        return number > self.value if self.strict else number >= self.value


def at_least(value: float) -> Bound:
    """Trip when the number is ≥ `value`."""
    return Bound(value)


def above(value: float) -> Bound:
    """Trip when the number is > `value`."""
    return Bound(value, strict=True)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One condition of a check."""

    stat: str
    """The number judged, by its key in the stats."""
    unit: str
    """UCUM unit of the number: "1" for a ratio, "ms", or "" for a count."""
    warning: Bound | None = None
    error: Bound | None = None
    samples: str = ""
    """The stat that counts the samples behind a rate or mean; "" where every occurrence speaks for itself."""
    least_samples: int = 0
    """Below this many samples the rule cannot trip."""
    tripped: str
    """What to say when it trips; a format string over the stats."""
    advice: str = ""
    """What the agent or its operator can do about it; one sentence."""
    blames: tuple[Category, ...] = ()
    """Events whose components are the guilty."""


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One subsystem's judgement: the worst of its rules, the earlier rule where two are equally bad."""

    key: str
    """Key in the report (`tools`)."""
    name: str
    """Title for people (`Tool Execution`)."""
    summary: str
    """What it watches and why that matters; one or two sentences, for docs and runbooks."""
    rules: tuple[Rule, ...]
    """At least one; the first gives the number shown while all is well."""
    observed: tuple[str, ...]
    """The stats that tell whether anything of the kind happened at all: nothing did while all are 0."""
    healthy: str
    """What to say when no rule trips; a format string over the stats."""
    unobserved: str
    """What to say when nothing of the kind happened; a format string over the stats."""

    @property
    def blames(self) -> tuple[Category, ...]:
        """Every category that one of its rules blames."""
        return tuple(dict.fromkeys(category for rule in self.rules for category in rule.blames))


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What a check says of the numbers of one moment."""

    status: Status
    message: str
    metric_value: Number
    """The number judged, unrounded; None while unknown."""
    threshold: float
    """The threshold that tripped; while healthy the one nearest to trip."""
    evidence: Evidence
    rule: Rule
    """The rule that tripped; while healthy the check's first."""
