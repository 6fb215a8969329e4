# SPDX-License-Identifier: Apache-2.0
"""What can be set about the journal, and where it lies when nobody says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from otel_health.errors import ConfigError


class Bounds(msgspec.Struct, frozen=True):
    """An inclusive range of a setting."""

    least: float
    most: float


BOUNDS: Mapping[str, Bounds] = {
    "retention_h": Bounds(1, 8_760),
    "segment_bytes": Bounds(65_536, 1_073_741_824),
    "total_bytes": Bounds(1_048_576, 1_099_511_627_776),
    "flush_interval_s": Bounds(0.01, 60),
    "queue_size": Bounds(100, 1_000_000),
}
"""What each number may be."""


class JournalConfig(msgspec.Struct, frozen=True, kw_only=True):
    """The journal's settings. `BOUNDS` says what each number may be."""

    path: Path
    """The folder; made, readable by its owner alone, at the first write. Several processes may share it."""
    enabled: bool = True
    """Whether anything is written or restored; who builds the journal looks at it."""
    retention_h: float = 24
    """Hours after which a segment is deleted, counted from its last write. The shortest of all who share it wins."""
    segment_bytes: int = 8 * 1024 * 1024
    """Bytes at which a new segment is begun; an hour begins one, too."""
    total_bytes: int = 256 * 1024 * 1024
    """Bytes the whole folder may take; beyond it the oldest segments that nobody writes to go, however young."""
    flush_interval_s: float = 0.25
    """Seconds for which events gather before they are written: a killed process loses what it recorded within them."""
    queue_size: int = 10_000
    """Events kept in memory while the disk refuses them; beyond it the oldest are dropped and counted."""

    def __post_init__(self) -> None:
        """Check the ranges.

        Raises:
            ConfigError: a number lies outside its range.
        """
        for name, bounds in BOUNDS.items():
            value = getattr(self, name)
            if not bounds.least <= value <= bounds.most:
                raise ConfigError(f"journal.{name} is {value!r}; allowed: {bounds.least:g} to {bounds.most:g}")


def default_folder(environ: Mapping[str, str], platform: str, home: Path) -> Path:
    """Return the folder for journals in the platform's place for state that should outlive a restart.

    Args:
        environ: The environment: `XDG_STATE_HOME` counts on Linux, `LOCALAPPDATA` on Windows; relative paths do not.
        platform: As `sys.platform` says it.
        home: The user's home folder.
    """
    if platform == "darwin":
        state = home / "Library" / "Application Support"
    elif platform == "win32":
        state = _absolute(environ.get("LOCALAPPDATA")) or home / "AppData" / "Local"
    else:
        state = _absolute(environ.get("XDG_STATE_HOME")) or home / ".local" / "state"
    return state / "otel-health" / "journal"


def _absolute(path: str | None) -> Path | None:
    return Path(path) if path and Path(path).is_absolute() else None
