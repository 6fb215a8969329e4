# SPDX-License-Identifier: Apache-2.0
"""Hold a check against the numbers of one moment."""

from __future__ import annotations

from collections.abc import Iterable

from otel_health.checks.base import Check, Evidence, Rule, Status, Verdict
from otel_health.signals.base import Stats

_STATUSES = tuple(Status)
_NONE, _THIN, _OK = Evidence  # looked up once: a member of an enumeration is slow to reach


def judge(check: Check, stats: Stats) -> Verdict:
    """Return what `check` says of `stats`, as `Board.read` returns them. Never raises once the check is `validated`.

    The worst rule decides, the earlier where two are equally bad. A number that is unknown trips nothing.
    """
    ranks = [_rank(rule, stats) for rule in check.rules]
    rank = max(ranks)
    rule = check.rules[ranks.index(rank)]
    bound = (rule.warning or rule.error, rule.warning, rule.error)[rank]
    evidence = _evidence(check, rank, stats)
    return Verdict(
        status=_STATUSES[rank],
        message=_say(rule.tripped, stats) if rank else _all_is_well(check, evidence, stats),
        metric_value=stats[rule.stat],
        threshold=bound.value if bound else 0.0,
        evidence=evidence,
        rule=rule,
    )


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of `statuses`; healthy when there are none."""
    return max(statuses, key=lambda status: status.rank, default=Status.HEALTHY)


def _rank(rule: Rule, stats: Stats) -> int:
    """Return the rank of the status that the rule alone would give."""
    number = stats[rule.stat]
    if number is None or _short_of_samples(rule, stats):
        return 0
    if rule.error and rule.error.tripped(number):
        return 2
    return 1 if rule.warning and rule.warning.tripped(number) else 0


def _short_of_samples(rule: Rule, stats: Stats) -> bool:
    return rule.samples != "" and (stats[rule.samples] or 0) < rule.least_samples


def _evidence(check: Check, rank: int, stats: Stats) -> Evidence:
    if rank:
        return _OK
    if not any(map(stats.get, check.observed)):
        return _NONE
    for rule in check.rules:
        if _short_of_samples(rule, stats):
            return _THIN
    return _OK


def _all_is_well(check: Check, evidence: Evidence, stats: Stats) -> str:
    if evidence is _NONE:
        return _say(check.unobserved, stats)
    return _say(check.healthy, stats) + (" (too few to judge)" if evidence is _THIN else "")


def _say(template: str, stats: Stats) -> str:
    try:
        return template.format_map(_Facts(stats))
    except (ValueError, TypeError):  # a plug-in's format that does not fit its number must not cost the verdict
        return template


class _Facts:
    """Stats as a format string sees them: what is not known reads "unknown", whatever the format asks for."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats

    def __getitem__(self, name: str) -> object:
        number = self._stats[name]
        return _UNKNOWN if number is None else number


class _Unknown:
    def __format__(self, spec: str) -> str:
        return "unknown"


_UNKNOWN = _Unknown()
