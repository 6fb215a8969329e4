# SPDX-License-Identifier: Apache-2.0
"""Every setting there is, in the order of the tree."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from otel_health.checks.base import Check
from otel_health.config.setting import Kind, Setting
from otel_health.config.thresholds import threshold_settings
from otel_health.events.journal_config import BOUNDS, Bounds, JournalConfig

_UNBOUNDED = Bounds(0, math.inf)
_KINDS = {bool: Kind.SWITCH, int: Kind.WHOLE, float: Kind.NUMBER}


def declared(checks: Iterable[Check]) -> tuple[Setting, ...]:
    """Return every setting, the thresholds of `checks` included."""
    return (*_TOP, *_JOURNAL, *threshold_settings(checks))


_TOP = (
    Setting(
        path=("enabled",),
        variable="HEALTH_MONITOR_ENABLED",
        kind=Kind.SWITCH,
        default=True,
        help="Whether health is watched live. Off: no thread, no file, no metric. Files are judged all the same.",
    ),
    Setting(
        path=("window_minutes",),
        kind=Kind.NUMBER,
        default=60,
        least=1,
        most=1440,
        help="How far back the checks look.",
    ),
    Setting(
        path=("check_interval_turns",),
        kind=Kind.WHOLE,
        default=10,
        least=1,
        most=10_000,
        help="Every how many turns `on_turn_end()` gives its advisory.",
    ),
    Setting(
        path=("ring_size",),
        kind=Kind.WHOLE,
        default=2_000,
        least=1,
        most=1_000_000,
        help="Recent events kept in memory to be looked at. The counts do not depend on it.",
    ),
    Setting(
        path=("inbox_size",),
        kind=Kind.WHOLE,
        default=10_000,
        least=1,
        most=1_000_000,
        help="Spans that may wait to be read; beyond it the oldest is dropped, and counted.",
    ),
)


def _journal(field: str, help: str, name: str = "") -> Setting:  # noqa: A002 - the setting's own word
    """Declare a setting of the journal with its default and bounds from the journal's room."""
    declared_there = next(one for one in msgspec.structs.fields(JournalConfig) if one.name == field)
    bounds = BOUNDS.get(field, _UNBOUNDED)
    return Setting(
        path=("journal", name or field),
        kind=_KINDS[declared_there.type],
        default=declared_there.default,
        least=bounds.least,
        most=bounds.most,
        help=help,
    )


_JOURNAL = (
    _journal("enabled", "Whether events are written to disk, and the verdict restored from there after a restart."),
    Setting(
        path=("journal", "path"),
        kind=Kind.TEXT,
        default=None,
        help="The journal's folder, made when needed; by default the platform's.",
    ),
    _journal("retention_h", "Hours for which events are kept; whole segments are deleted.", "retention_hours"),
    _journal("segment_bytes", "Size at which a segment is closed and the next begun."),
    _journal("total_bytes", "Size of the whole folder beyond which the oldest segments go, however young."),
    _journal("flush_interval_s", "Seconds for which events gather before they are written; a kill loses them."),
    _journal("queue_size", "Events that may wait while the disk refuses them; beyond it the oldest are dropped."),
)
