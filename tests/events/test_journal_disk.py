# SPDX-License-Identifier: Apache-2.0
"""The journal on disks that really are full, too small or read-only (field report F2)."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from otel_health.clock import ManualClock
from otel_health.events.journal_reader import ReadTally
from otel_health.events.ring import Ring
from otel_health.events.segments import list_segments
from tests.events.kit import NOON_S, eventually, journal, left_behind, made, seqs

ROOT = Path(__file__).parents[2]
FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")


class Diverted:
    """Writes to `/dev/full` while `full`, and to where it should otherwise."""

    def __init__(self, descriptor: int) -> None:
        self.full = True
        self._descriptor = descriptor

    def write(self, descriptor: int, data: bytes) -> int:
        return os.write(self._descriptor if self.full else descriptor, data)


@pytest.fixture
def disk() -> Iterator[Diverted]:
    descriptor = os.open(FULL, os.O_WRONLY)
    yield Diverted(descriptor)
    os.close(descriptor)


@needs_full
def test_f2_a_full_disk_hurts_nobody_and_writing_resumes_by_itself(
    tmp_path: Path, disk: Diverted, caplog: pytest.LogCaptureFixture
) -> None:
    """Field report F2: the agent's call returns, memory goes on, the reason is told, and afterwards all is whole."""
    caplog.set_level(logging.WARNING)
    ring, clock = Ring(), ManualClock(NOON_S)
    log = journal(tmp_path, clock=clock, write=disk.write, flush_interval_s=0.01, queue_size=100)
    for seq in range(50):
        ring.append(made(seq))
        log.record(made(seq))
    assert eventually(lambda: log.state.write_errors >= 5)
    assert log.state.degraded == f"No space left on device: {tmp_path}"
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert len(ring.recent(NOON_S)) == 50
    assert list_segments(tmp_path) == []
    disk.full = False
    assert eventually(lambda: not log.state.degraded)
    log.record(made(50))
    assert log.flush()
    disk.full = True
    log.record(made(51))
    assert not log.flush()
    disk.full = False
    assert log.close()
    tally = ReadTally()
    assert seqs(tmp_path, tally=tally) == list(range(52))
    assert (tally.skipped, log.state.dropped, len(list_segments(tmp_path))) == (0, 0, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="no limits here")
@pytest.mark.parametrize("limit", [50, 1_000, 10_000, 33_333])
def test_where_the_system_itself_writes_short_no_half_line_is_left(tmp_path: Path, limit: int) -> None:
    command = [sys.executable, "-m", "tests.events.workers", "cramped", str(tmp_path), str(limit)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    flushed, written, waiting, write_errors, degraded, resumed = done.stdout.split()
    assert (flushed, degraded, resumed) == ("False", "True", "True")
    assert int(written) + int(waiting) == 1_000
    assert (int(written) > 0) == (limit >= 1_000)
    assert int(write_errors) >= 1
    tally = ReadTally()
    assert seqs(tmp_path, tally=tally) == list(range(1_000))
    assert tally.skipped == 0


def _mounted(folder: Path, options: str) -> bool:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


@pytest.fixture
def mount(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a memory disk, where the machine lets us."""
    folder = tmp_path / "disk"

    def make(options: str) -> Path:
        if not _mounted(folder, options):
            pytest.skip("only root may mount a disk")
        return folder

    yield make
    subprocess.run(["umount", str(folder)], capture_output=True, check=False)


def test_a_disk_of_one_megabyte_fills_up_and_takes_more_once_there_is_room(mount: Callable[[str], Path]) -> None:
    disk = mount("size=1m")
    ballast = disk / "ballast"
    ballast.write_bytes(b"x" * 700_000)
    log = journal(disk / "journal", flush_interval_s=0.01)
    for seq in range(200):
        log.record(made(seq, extra={"payload": "p" * 9_000}))
    assert not log.flush()
    assert "No space left on device" in log.state.degraded
    on_disk = log.state.written
    tally = ReadTally()
    assert seqs(disk, tally=tally) == []
    assert seqs(disk / "journal", tally=tally) == list(range(on_disk))
    assert 0 < on_disk < 200
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=8m", str(disk)], check=True)
    assert eventually(lambda: log.state.written == 200)
    assert log.close()
    assert seqs(disk / "journal", tally=tally) == list(range(200))
    assert tally.skipped == 0


def test_a_disk_that_is_read_only_for_a_while_is_written_to_afterwards(mount: Callable[[str], Path]) -> None:
    disk = mount("size=1m")
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    log = journal(disk / "journal", flush_interval_s=0.01)
    log.record(made(1))
    assert not log.flush()
    assert log.state.degraded == f"Read-only file system: {disk / 'journal'}"
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert eventually(lambda: log.state.written == 1)
    assert log.close()
    assert seqs(disk / "journal") == [1]


def test_what_lies_on_a_disk_that_is_read_only_is_restored_from_there(mount: Callable[[str], Path]) -> None:
    disk = mount("size=1m")
    left_behind(disk / "journal", made(1), made(2))
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    heir, neighbour = journal(disk / "journal"), journal(disk / "journal")
    assert [event.seq for event in heir.restore(0)] == [1, 2]
    assert list(neighbour.restore(0)) == []
    heir.close()
    neighbour.close()
