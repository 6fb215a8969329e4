# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from pathlib import Path

import pytest

from otel_health.events import retention
from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.retention import prune
from tests.events.kit import NOON_S, segment_at

DAY_S = 86_400.0


def pruned(folder: Path, *, total_bytes: int = 1_000) -> tuple[int, list[Path]]:
    removed = prune(folder, now=NOON_S, retention_s=DAY_S, total_bytes=total_bytes)
    return removed, sorted(folder.iterdir())


def test_what_was_last_written_before_the_retention_goes_and_the_rest_stays(tmp_path: Path) -> None:
    segment_at(tmp_path, b"old", started=NOON_S - DAY_S - 1)
    edge = segment_at(tmp_path, b"edge", started=NOON_S - DAY_S)
    fresh = segment_at(tmp_path, b"new", started=NOON_S)
    assert pruned(tmp_path) == (1, [edge, fresh])
    assert pruned(tmp_path) == (0, [edge, fresh])


def test_a_folder_that_is_too_big_loses_its_oldest_segments(tmp_path: Path) -> None:
    paths = [segment_at(tmp_path, b"x" * 100, started=NOON_S - 10 + age) for age in range(5)]
    assert pruned(tmp_path, total_bytes=500) == (0, paths)
    assert pruned(tmp_path, total_bytes=301) == (2, paths[2:])
    assert pruned(tmp_path, total_bytes=300) == (0, paths[2:])


def test_age_goes_by_the_last_write_and_not_by_the_name(tmp_path: Path) -> None:
    long_lived = segment_at(tmp_path, b"x" * 100, started=NOON_S - 3 * DAY_S)
    os.utime(long_lived, (NOON_S, NOON_S))
    segment_at(tmp_path, b"x" * 100, started=NOON_S - 100)
    assert pruned(tmp_path, total_bytes=100) == (1, [long_lived])


def test_of_two_clocks_that_disagree_the_one_that_calls_it_young_is_believed(tmp_path: Path) -> None:
    copied = segment_at(tmp_path, b"begun a day ago", started=NOON_S - DAY_S)
    impossible = segment_at(tmp_path, b"begun tomorrow", started=NOON_S + DAY_S)
    nonsense = tmp_path / "health-20259999T999999Z-1-dead0001-0001.jsonl"
    nonsense.write_bytes(b"begun never")
    for path in (copied, impossible, nonsense):
        os.utime(path, (0, 0))
    assert pruned(tmp_path) == (2, [copied])


def test_a_living_neighbours_open_segment_stays_however_old_and_big(tmp_path: Path) -> None:
    path = segment_at(tmp_path, b"x" * 2_000, started=NOON_S - 2 * DAY_S)
    neighbour = open_to_lock(path)
    try_lock(neighbour)
    assert pruned(tmp_path) == (0, [path])
    os.close(neighbour)
    assert pruned(tmp_path) == (1, [])


def test_files_of_others_are_none_of_its_business(tmp_path: Path) -> None:
    other = tmp_path / "notes.jsonl"
    other.write_bytes(b"x" * 5_000)
    os.utime(other, (0, 0))
    assert pruned(tmp_path) == (0, [other])


def test_a_missing_folder_is_clean(tmp_path: Path) -> None:
    assert prune(tmp_path / "none", now=NOON_S, retention_s=DAY_S, total_bytes=1) == 0


def test_where_nobody_can_tell_who_lives_segments_go_by_age_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "try_lock", lambda _: Hold.UNKNOWN)
    segment_at(tmp_path, b"old", started=NOON_S - 2 * DAY_S)
    big = segment_at(tmp_path, b"x" * 2_000)
    assert pruned(tmp_path) == (1, [big])


def test_a_segment_that_another_process_deletes_at_the_same_time_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = segment_at(tmp_path, b"old", started=NOON_S - 3 * DAY_S)
    second = segment_at(tmp_path, b"old", started=NOON_S - 2 * DAY_S)

    def delete_both(descriptor: int) -> Hold:
        first.unlink(missing_ok=True)
        second.unlink(missing_ok=True)
        return try_lock(descriptor)

    monkeypatch.setattr(retention, "try_lock", delete_both)
    assert pruned(tmp_path) == (0, [])
