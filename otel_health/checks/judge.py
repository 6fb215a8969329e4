# SPDX-License-Identifier: Apache-2.0
"""Hold a check against the numbers of one moment."""

from __future__ import annotations

from collections.abc import Iterable

from otel_health.checks.base import Check, Evidence, Rule, Status, Verdict
from otel_health.signals.base import Stats


def judge(check: Check, stats: Stats) -> Verdict:
    """Return what `check` says of `stats`, as `Board.read` returns them. Never raises once the check is `validated`.

    The worst rule decides, the earlier where two are equally bad. A number that is unknown trips nothing.
    """
    rule = max(check.rules, key=lambda rule: _status(rule, stats).rank)
    status = _status(rule, stats)
    evidence = _evidence(check, status, stats)
    bound = rule.bound(status)
    return Verdict(
        status=status,
        message=_message(check, rule, status, evidence, stats),
        metric_value=stats[rule.stat],
        threshold=bound.value if bound else 0.0,
        evidence=evidence,
        rule=rule,
    )


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of `statuses`; healthy when there are none."""
    return max(statuses, key=lambda status: status.rank, default=Status.HEALTHY)


def _status(rule: Rule, stats: Stats) -> Status:
    number = stats[rule.stat]
    if number is None or _short_of_samples(rule, stats):
        return Status.HEALTHY
    if rule.error and rule.error.tripped(number):
        return Status.ERROR
    return Status.WARNING if rule.warning and rule.warning.tripped(number) else Status.HEALTHY


def _short_of_samples(rule: Rule, stats: Stats) -> bool:
    return bool(rule.samples) and (stats[rule.samples] or 0) < rule.least_samples


def _evidence(check: Check, status: Status, stats: Stats) -> Evidence:
    if status is not Status.HEALTHY:
        return Evidence.OK
    if not any(stats[name] for name in check.observed):
        return Evidence.NONE
    return Evidence.THIN if any(_short_of_samples(rule, stats) for rule in check.rules) else Evidence.OK


def _message(check: Check, rule: Rule, status: Status, evidence: Evidence, stats: Stats) -> str:
    if status is not Status.HEALTHY:
        return _say(rule.tripped, stats)
    if evidence is Evidence.NONE:
        return _say(check.unobserved, stats)
    return _say(check.healthy, stats) + (" (too few to judge)" if evidence is Evidence.THIN else "")


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
