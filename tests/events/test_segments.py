# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from otel_health.events import segments
from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.segments import OpenSegment, Segment, list_segments, segment_name
from tests.events.kit import NOON_S, segment_at

HEADER = b'{"journal_schema":1}\n'
NAME = segment_name(NOON_S, 1, "abcdef0123456789", 1)


class Disk:
    """Writes for real, but only as many bytes as it is told it has room for."""

    def __init__(self, room: int = 1 << 40) -> None:
        self.room = room

    def write(self, descriptor: int, data: bytes) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(descriptor, data[: self.room])
        self.room -= written
        return written


def opened(folder: Path, write: Callable[[int, bytes], int] = os.write) -> OpenSegment:
    return OpenSegment(folder / NAME, HEADER, opened_at=0.0, write=write)


def hold_of(path: Path) -> Hold:
    descriptor = open_to_lock(path)
    try:
        return try_lock(descriptor)
    finally:
        os.close(descriptor)


def test_a_name_tells_when_who_and_which() -> None:
    assert NAME == "health-20250615T150640Z-1-abcdef01-0001.jsonl"
    assert segment_name(NOON_S, 1, "a", 12345).endswith("-12345.jsonl")


def test_only_segments_are_listed_the_oldest_first(tmp_path: Path) -> None:
    late = segment_at(tmp_path, b"12345", started=NOON_S + 5)
    early = segment_at(tmp_path, b"1", started=NOON_S)
    (tmp_path / "health.jsonl").touch()
    (tmp_path / f"{NAME}.gz").touch()
    (tmp_path / segment_name(NOON_S, 1, "folder", 1)).mkdir()
    (tmp_path / segment_name(NOON_S, 1, "link", 1)).symlink_to(early)
    os.mkfifo(tmp_path / segment_name(NOON_S, 1, "pipe", 1))
    assert list_segments(tmp_path) == [Segment(early, 1, NOON_S), Segment(late, 5, NOON_S + 5)]
    assert [segment.number for segment in list_segments(tmp_path)] == [1, 1]


def test_a_missing_folder_has_no_segments_nor_has_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert list_segments(tmp_path / "none") == list_segments(tmp_path / "file") == []


def test_a_segment_deleted_while_the_folder_is_read_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    segment_at(tmp_path, b"1")

    class Vanished:
        name = NAME
        path = NAME

        def is_file(self, *, follow_symlinks: bool) -> bool:
            return not follow_symlinks

        def stat(self, *, follow_symlinks: bool) -> os.stat_result:
            raise FileNotFoundError(NAME, follow_symlinks)

    class Scan(list[object]):
        def __enter__(self) -> list[object]:
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr("otel_health.events.segments.os.scandir", lambda _: Scan([Vanished()]))
    assert list_segments(tmp_path) == []


def test_a_new_segment_and_its_folder_are_their_owners_alone(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        opened(tmp_path / "state" / "journal").close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "state" / "journal").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "state" / "journal" / NAME).stat().st_mode) == 0o600


def test_a_segment_is_locked_until_it_is_closed(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    assert hold_of(segment.path) is Hold.TAKEN
    segment.close()
    assert hold_of(segment.path) is Hold.MINE


def test_nothing_that_is_there_already_is_written_to(tmp_path: Path) -> None:
    segment_path = tmp_path / NAME
    segment_path.write_bytes(b"somebody's")
    with pytest.raises(FileExistsError):
        opened(tmp_path)
    segment_path.unlink()
    segment_path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        opened(tmp_path)
    assert not (tmp_path / "elsewhere").exists()


def test_lines_follow_the_header(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    assert segment.append(b"one\ntwo\n") == 8
    assert segment.append(b"three\n") == 6
    segment.close()
    content = segment.path.read_bytes()
    assert content == HEADER + b"one\ntwo\nthree\n"
    assert segment.size == len(content)


@pytest.mark.parametrize("room", range(1, len(HEADER)))
def test_a_segment_whose_header_finds_no_room_leaves_nothing_behind(tmp_path: Path, room: int) -> None:
    with pytest.raises(OSError, match="No space left"):
        opened(tmp_path, Disk(room).write)
    assert list(tmp_path.iterdir()) == []


def test_a_new_segment_that_somebody_else_locked_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "try_lock", lambda _: Hold.TAKEN)
    with pytest.raises(BlockingIOError):
        opened(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_where_nobody_can_lock_a_segment_is_written_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(segments, "try_lock", lambda _: Hold.UNKNOWN)
    segment = opened(tmp_path)
    segment.append(b"one\n")
    segment.close()
    assert segment.path.read_bytes() == HEADER + b"one\n"


@pytest.mark.parametrize("room", range(13))
def test_when_the_disk_fills_up_whole_lines_stay_and_the_half_one_goes(tmp_path: Path, room: int) -> None:
    disk = Disk()
    segment = opened(tmp_path, disk.write)
    lines = b"one\ntwo\nfour\n"
    whole = lines.rfind(b"\n", 0, room) + 1
    disk.room = room
    if whole:
        assert segment.append(lines) == whole
    else:
        with pytest.raises(OSError, match="No space left"):
            segment.append(lines)
    assert segment.path.read_bytes() == HEADER + lines[:whole]
    disk.room = 1 << 20
    assert segment.append(lines[whole:]) == len(lines) - whole
    assert segment.path.read_bytes() == HEADER + lines
    assert segment.size == len(HEADER + lines)
    segment.close()


@pytest.mark.parametrize("room", [*range(1, 4), *range(5, 8)])
def test_a_half_line_that_cannot_be_cut_off_spoils_nothing_but_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int
) -> None:
    def refuse(_: int, __: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("otel_health.events.segments.os.ftruncate", refuse)
    disk = Disk()
    segment = opened(tmp_path, disk.write)
    lines = b"one\ntwo\n"
    done = lines.rfind(b"\n", 0, room) + 1
    disk.room = room
    if done:
        assert segment.append(lines) == done
    else:
        with pytest.raises(OSError, match="No space left"):
            segment.append(lines)
    disk.room = 1
    with pytest.raises(OSError, match="No space left"):
        segment.append(lines[done:])
    disk.room = 1 << 20
    assert segment.append(lines[done:]) == len(lines) - done
    content = segment.path.read_bytes()
    assert content == HEADER + lines[:done] + lines[done:room] + b"\n" + lines[done:]
    assert segment.size == len(content)
    segment.close()


def test_a_disk_that_takes_nothing_and_says_nothing_is_full(tmp_path: Path) -> None:
    segment = opened(tmp_path)
    segment._write = lambda *_: 0
    with pytest.raises(OSError, match="No space left"):
        segment.append(b"one\n")
    segment.close()


def test_a_segment_knows_when_its_file_is_no_longer_there(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    segment = opened(folder)
    assert segment.is_there()
    folder.rename(tmp_path / "moved")
    assert not segment.is_there()
    folder.mkdir()
    segment.path.write_bytes(HEADER)
    assert not segment.is_there()
    segment.close()
    segment.close()
