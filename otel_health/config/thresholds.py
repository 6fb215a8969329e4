# SPDX-License-Identifier: Apache-2.0
"""Every threshold is a setting: where it stands in the tree, and how a check takes the values it was given.

A check of one rule has its levels directly (`checks.tools.warning`); where a check has several rules, each has them
under the name of its number (`checks.context.compactions.warning`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from otel_health.checks.base import Bound, Check, Rule
from otel_health.config.setting import Kind, Setting
from otel_health.errors import ConfigError

Path = tuple[str, ...]

_LEVELS = ("warning", "error")


def threshold_settings(checks: Iterable[Check]) -> Iterator[Setting]:
    """Yield the settings of every rule of `checks`: its levels, and its least samples where it counts samples."""
    for check in checks:
        for rule in check.rules:
            yield from (_level_setting(check, rule, level) for level in _LEVELS)
            if rule.samples:
                yield _samples_setting(check, rule)


def with_thresholds(check: Check, values: Mapping[Path, Any], names: Mapping[Path, str]) -> Check:
    """Return `check` with the thresholds that `values` holds for it; `names` says what to call those in a message.

    Raises:
        ConfigError: a warning level lies above its error level.
    """
    return msgspec.structs.replace(check, rules=tuple(_with_levels(check, rule, values, names) for rule in check.rules))


def _place(check: Check, rule: Rule) -> Path:
    return ("checks", check.key) if len(check.rules) == 1 else ("checks", check.key, rule.stat)


def _level_setting(check: Check, rule: Rule, level: str) -> Setting:
    bound: Bound | None = getattr(rule, level)
    word = "above" if _is_strict(rule) else "at or above"
    return Setting(
        path=(*_place(check, rule), level),
        kind=Kind.NUMBER,
        default=bound.value if bound else None,
        unit=rule.unit,
        most=1 if rule.unit == "1" else math.inf,
        above_least=True,
        can_be_none=True,
        help=f"{check.name}: {level} while `{rule.stat}` is {word} this.",
    )


def _samples_setting(check: Check, rule: Rule) -> Setting:
    return Setting(
        path=(*_place(check, rule), "least_samples"),
        kind=Kind.WHOLE,
        default=rule.least_samples,
        help=f"{check.name}: with fewer `{rule.samples}` than this, `{rule.stat}` is not judged.",
    )


def _is_strict(rule: Rule) -> bool:
    return any(bound.strict for bound in (rule.warning, rule.error) if bound)


def _with_levels(check: Check, rule: Rule, values: Mapping[Path, Any], names: Mapping[Path, str]) -> Rule:
    place = _place(check, rule)
    warning, error = (values[*place, level] for level in _LEVELS)
    if warning is not None and error is not None and warning > error:
        said = next(name for level in _LEVELS if (name := names.get((*place, level))))
        raise ConfigError(
            f"{said} puts the warning level of {check.key} ({warning:g}) above its error level ({error:g}); "
            "allowed: warning at most error, or none for either"
        )
    return msgspec.structs.replace(
        rule,
        warning=None if warning is None else Bound(warning, strict=_is_strict(rule)),
        error=None if error is None else Bound(error, strict=_is_strict(rule)),
        least_samples=values.get((*place, "least_samples"), rule.least_samples),
    )
