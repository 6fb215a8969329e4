# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from otel_health.errors import ConfigError
from otel_health.events.journal_config import BOUNDS, JournalConfig, default_folder

HOME = Path("/home/you")


def test_what_nobody_sets_is_as_documented() -> None:
    config = JournalConfig(path=HOME)
    assert (config.enabled, config.retention_h, config.flush_interval_s) == (True, 24, 0.25)
    assert (config.segment_bytes, config.total_bytes, config.queue_size) == (8 * 2**20, 256 * 2**20, 10_000)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_out_of_range_is_refused_in_one_clear_line(name: str) -> None:
    bounds = BOUNDS[name]
    for edge in (bounds.least, bounds.most):
        assert getattr(JournalConfig(path=HOME, **{name: edge}), name) == edge  # type: ignore[arg-type]
    for beyond in (bounds.least / 2, bounds.most + 1, float("nan")):
        with pytest.raises(ConfigError) as refusal:
            JournalConfig(path=HOME, **{name: beyond})  # type: ignore[arg-type]
        assert str(refusal.value) == f"journal.{name} is {beyond!r}; allowed: {bounds.least:g} to {bounds.most:g}"


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, "/home/you/.local/state/otel-health/journal"),
        ("linux", {"XDG_STATE_HOME": "/var/state"}, "/var/state/otel-health/journal"),
        ("linux", {"XDG_STATE_HOME": "relative"}, "/home/you/.local/state/otel-health/journal"),
        ("linux", {"XDG_STATE_HOME": ""}, "/home/you/.local/state/otel-health/journal"),
        ("freebsd14", {"XDG_STATE_HOME": "/var/state"}, "/var/state/otel-health/journal"),
        ("darwin", {"XDG_STATE_HOME": "/x"}, "/home/you/Library/Application Support/otel-health/journal"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/otel-health/journal"),
        ("win32", {}, "/home/you/AppData/Local/otel-health/journal"),
    ],
)
def test_the_default_folder_is_the_platforms_place_for_state(
    platform: str, environ: dict[str, str], folder: str
) -> None:
    assert default_folder(environ, platform, HOME) == Path(folder)
