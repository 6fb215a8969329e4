# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from otel_health.clock import ManualClock
from otel_health.events.journal_lines import Header, decode_line
from otel_health.events.kinship import Kin
from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.segment_writer import GROUP_BYTES, MOST_STANDING, SegmentWriter, Writer
from otel_health.events.segments import list_segments
from tests.events.kit import NOON_S, changed, line_of, made, seqs

WHO = Writer(pid=4711, instance_id="abcdef0123", kin=Kin(service_name="prax"), predecessor="dead")


class Watched:
    """A segment writer, its clock, and what it wrote in one go."""

    def __init__(self, folder: Path, segment_bytes: int = 1 << 20) -> None:
        self.clock = ManualClock(NOON_S)
        self.groups: list[bytes] = []
        self.writer = SegmentWriter(folder, WHO, clock=self.clock, segment_bytes=segment_bytes, write=self._write)

    def _write(self, descriptor: int, data: bytes) -> int:
        self.groups.append(data)
        return os.write(descriptor, data)

    def write(self, lines: bytes) -> None:
        while lines:
            lines = lines[self.writer.write(lines) :]


def contents(folder: Path) -> list[bytes]:
    return [segment.path.read_bytes() for segment in list_segments(folder)]


def test_nothing_is_there_before_the_first_line(tmp_path: Path) -> None:
    watched = Watched(tmp_path / "journal")
    assert not watched.writer.has_begun
    watched.writer.close()
    assert not (tmp_path / "journal").exists()


def test_each_segment_begins_with_who_wrote_it(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.write(line_of(made(1)))
    assert watched.writer.has_begun
    (content,) = contents(tmp_path)
    header, event = content.splitlines()
    assert decode_line(header) == Header(
        journal_schema=1, pid=4711, instance_id="abcdef0123", service_name="prax", started=NOON_S, predecessor="dead"
    )
    assert decode_line(event) == made(1)
    watched.writer.close()


def test_lines_go_out_in_whole_groups_of_bounded_size(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    lines = b"".join(line_of(made(seq, component="c" * 900)) for seq in range(300))
    watched.write(lines)
    groups = watched.groups[1:]
    assert b"".join(groups) == lines
    assert all(len(group) <= GROUP_BYTES and group.endswith(b"\n") for group in groups)
    assert all(len(group) > GROUP_BYTES - 2_000 for group in groups[:-1])
    watched.writer.close()


def test_a_line_longer_than_a_group_goes_out_alone(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    long, short = line_of(made(1, component="c" * 2 * GROUP_BYTES)), line_of(made(2))
    watched.write(short + long + short)
    assert watched.groups[1:] == [short, long, short]
    watched.writer.close()


def test_a_segment_that_is_full_is_followed_by_another(tmp_path: Path) -> None:
    watched = Watched(tmp_path, segment_bytes=2_000)
    for seq in range(20):
        watched.write(line_of(made(seq, component="c" * 400)))
    assert len(contents(tmp_path)) == 7
    assert all(len(content) <= 2_000 for content in contents(tmp_path))
    assert seqs(tmp_path) == list(range(20))
    assert [segment.number for segment in list_segments(tmp_path)] == list(range(1, 8))
    watched.writer.close()


def test_a_segment_is_written_for_an_hour_at_most(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    for wait_s in (0, 3599, 1, 10):
        watched.clock.advance(wait_s)
        watched.write(line_of(made(1)))
    assert [content.count(b"\n") for content in contents(tmp_path)] == [3, 3]
    watched.writer.close()


class Fragile:
    """A disk on which the files opened so far can be made to fail for good, with one error."""

    def __init__(self) -> None:
        self.error = 0
        self.broken: set[int] = set()
        self.seen: set[int] = set()

    def break_down(self, error: int) -> None:
        self.error = error
        self.broken = set(self.seen)

    def write(self, descriptor: int, data: bytes) -> int:
        if descriptor in self.broken:
            raise OSError(self.error, os.strerror(self.error))
        self.seen.add(descriptor)
        return os.write(descriptor, data)


@pytest.mark.parametrize("error", [errno.ESTALE, errno.EIO, errno.EFBIG, errno.EBADF])
def test_a_file_that_fails_for_good_is_given_up_for_a_new_one(tmp_path: Path, error: int) -> None:
    disk = Fragile()
    writer = SegmentWriter(tmp_path, WHO, clock=ManualClock(NOON_S), segment_bytes=1 << 20, write=disk.write)
    writer.write(line_of(made(1)))
    disk.break_down(error)
    with pytest.raises(OSError, match=os.strerror(error)):
        writer.write(line_of(made(2)))
    writer.write(line_of(made(2)))
    writer.write(line_of(made(3)))
    assert seqs(tmp_path) == [1, 2, 3]
    assert (writer.begun, len(contents(tmp_path))) == (2, 2)
    writer.close()


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_on_a_full_disk_the_same_file_is_kept(tmp_path: Path, error: int) -> None:
    disk = Fragile()
    writer = SegmentWriter(tmp_path, WHO, clock=ManualClock(NOON_S), segment_bytes=1 << 20, write=disk.write)
    writer.write(line_of(made(1)))
    disk.break_down(error)
    for _ in range(3):
        with pytest.raises(OSError, match=os.strerror(error)):
            writer.write(line_of(made(2)))
    disk.broken.clear()
    writer.write(line_of(made(2)))
    assert seqs(tmp_path) == [1, 2]
    assert writer.begun == 1
    writer.close()


def standing(content: bytes) -> list[str]:
    header = decode_line(content.splitlines()[0])
    assert isinstance(header, Header)
    return [change.component for change in header.standing]


def test_each_segment_restates_the_changes_of_status_that_hold(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    for component, to in (("llm", "error"), ("tools", "warning"), ("llm", "healthy"), ("spokes", "error")):
        watched.write(line_of(made(1, details="health_changed")) + line_of(changed(to, component=component)))
        watched.clock.advance(3_600)
    watched.write(line_of(made(1)))
    assert [standing(content) for content in contents(tmp_path)] == [
        [],
        ["llm"],
        ["llm", "tools"],
        ["tools"],
        ["tools", "spokes"],
    ]
    watched.writer.close()


def test_a_header_stays_of_bounded_size(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    for number in range(MOST_STANDING + 5):
        watched.writer.restate(changed("error", component=f"check {number}"))
    watched.write(line_of(made(1)))
    assert standing(contents(tmp_path)[0]) == [f"check {number}" for number in range(5, MOST_STANDING + 5)]
    watched.writer.close()


def test_only_the_newest_segment_is_locked(tmp_path: Path) -> None:
    watched = Watched(tmp_path, segment_bytes=200)
    for seq in range(3):
        watched.write(line_of(made(seq)))
    holds = []
    for segment in list_segments(tmp_path):
        descriptor = open_to_lock(segment.path)
        holds.append(try_lock(descriptor))
        os.close(descriptor)
    assert holds == [Hold.MINE, Hold.MINE, Hold.TAKEN]
    watched.writer.close()


def test_when_the_folder_is_cleared_away_it_is_made_again(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    watched = Watched(folder)
    watched.write(line_of(made(1)))
    shutil.rmtree(folder)
    watched.write(line_of(made(2)))
    assert seqs(folder) == [2]
    watched.writer.close()


def test_while_no_new_segment_can_be_begun_the_old_one_stays_locked(tmp_path: Path) -> None:
    folder = tmp_path / "journal"
    watched = Watched(folder)
    watched.write(line_of(made(1)))
    folder.rename(tmp_path / "moved")
    folder.touch()
    with pytest.raises(OSError, match="exists"):
        watched.writer.write(line_of(made(2)))
    (moved,) = list_segments(tmp_path / "moved")
    descriptor = open_to_lock(moved.path)
    assert try_lock(descriptor) is Hold.TAKEN
    os.close(descriptor)
    folder.unlink()
    watched.write(line_of(made(2)))
    assert seqs(folder) == [2]
    watched.writer.close()
