# SPDX-License-Identifier: Apache-2.0
"""All settings: what can be set, and how the YAML file and the environment set it.

The environment wins over the file named by `OTEL_HEALTH_CONFIG`, and the file over the defaults. Whatever is wrong is
said at start, in one line that names the setting, the value and what is allowed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from otel_health.checks import all_checks
from otel_health.checks.base import Check
from otel_health.config.declared import declared
from otel_health.config.given import FILE_VARIABLE, Given, from_environment, from_file
from otel_health.config.places import expanded, home
from otel_health.config.setting import Setting
from otel_health.config.thresholds import with_thresholds
from otel_health.events.journal_config import JournalConfig, default_folder

__all__ = ["Setting", "Settings", "declared", "load"]

_Values = Mapping[tuple[str, ...], Any]


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be set, checked. `declared` tells what each is."""

    enabled: bool
    window_minutes: float
    check_interval_turns: int
    ring_size: int
    inbox_size: int
    journal: JournalConfig
    checks: tuple[Check, ...]
    """The checks with their thresholds as set."""


def load(
    environ: Mapping[str, str] = os.environ,
    *,
    platform: str = sys.platform,
    checks: Iterable[Check] | None = None,
) -> Settings:
    """Read the settings that `environ`, and the file it names, give.

    Args:
        environ: The environment.
        platform: As `sys.platform` says it; decides where the journal lies by default.
        checks: The checks whose thresholds can be set; by default the built-in ones and the plug-ins'.

    Raises:
        ConfigError: something is unknown, of the wrong kind, or out of range.
        MissingExtraError: a YAML file is named, and YAML support is not installed.
    """
    checks = tuple(all_checks() if checks is None else checks)
    known = declared(checks)
    given = {one.setting.path: one for one in _said(environ, known)}
    values = {setting.path: setting.default for setting in known} | {path: one.value() for path, one in given.items()}
    names = {path: one.name for path, one in given.items()}
    return Settings(
        journal=_journal(_section(values, "journal"), environ, platform),
        checks=tuple(with_thresholds(check, values, names) for check in checks),
        **_section(values),
    )


def _said(environ: Mapping[str, str], known: tuple[Setting, ...]) -> Iterator[Given]:
    """Yield all that was said, what counts most last."""
    file = environ.get(FILE_VARIABLE)
    if file:
        yield from from_file(expanded(file, environ), known)
    yield from from_environment(environ, known)


def _section(values: _Values, *place: str) -> dict[str, Any]:
    return {path[-1]: value for path, value in values.items() if path[:-1] == place}


def _journal(values: dict[str, Any], environ: Mapping[str, str], platform: str) -> JournalConfig:
    path, retention_h = values.pop("path"), values.pop("retention_hours")
    folder = expanded(path, environ) if path else default_folder(environ, platform, home(environ))
    return JournalConfig(path=folder, retention_h=retention_h, **values)
