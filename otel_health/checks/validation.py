# SPDX-License-Identifier: Apache-2.0
"""Find out at start, not at three in the morning, that a check names a number nobody computes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from string import Formatter

from otel_health.checks.base import Check
from otel_health.errors import ConfigError
from otel_health.registry import Registry
from otel_health.signals.base import Stat


def validated(checks: Iterable[Check], declared: Registry[Stat]) -> tuple[Check, ...]:
    """Return `checks` once every stat that they name is known to be declared.

    Raises:
        UnknownNameError: a check names a stat that no signal declares; the message suggests the nearest.
        ConfigError: a check has no rule, or a message of it is no format string.
    """
    known = tuple(checks)
    for check in known:
        if not check.rules:
            raise ConfigError(f"check {check.key!r} has no rule; allowed: at least one")
        for name in _stats(check):
            declared[name]
    return known


def _stats(check: Check) -> Iterator[str]:
    """Yield every stat that `check` names."""
    yield from check.observed
    for rule in check.rules:
        yield rule.stat
        if rule.samples:
            yield rule.samples
    for message in (check.healthy, check.unobserved, *(rule.tripped for rule in check.rules)):
        yield from _fields(check, message)


def _fields(check: Check, message: str) -> list[str]:
    try:
        return [field for _, field, _, _ in Formatter().parse(message) if field is not None]
    except ValueError as error:
        raise ConfigError(f"check {check.key!r} says {message!r}, which is no format string: {error}") from None
