# SPDX-License-Identifier: Apache-2.0
"""The spool, step by step: no thread, a clock that is moved by hand, and a disk that refuses when told to."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from otel_health.clock import ManualClock
from otel_health.events import spool as spool_module
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_reader import ReadTally
from otel_health.events.kinship import Kin
from otel_health.events.segment_writer import SegmentWriter, Writer
from otel_health.events.segments import list_segments
from otel_health.events.spool import JournalState, Spool
from tests.events.kit import NOON_S, eventually, made, segment_at, seqs

PATIENCE_S = 20.0


class Bench:
    """A spool on a disk that can be made to refuse with `error`, or to take only `room` bytes more."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.clock = ManualClock(NOON_S)
        self.error = 0
        self.room = 1 << 40
        self.writes = 0
        config = JournalConfig(path=folder, **settings)
        who = Writer(pid=1, instance_id="a1", kin=Kin())
        segments = SegmentWriter(folder, who, clock=self.clock, segment_bytes=config.segment_bytes, write=self._write)
        self.spool = Spool(config, segments, self.clock)
        self.close = segments.close

    def _write(self, descriptor: int, data: bytes) -> int:
        self.writes += 1
        if self.error or not self.room:
            code = self.error or errno.ENOSPC
            raise OSError(code, os.strerror(code))
        written = os.write(descriptor, data[: self.room])
        self.room -= written
        return written

    def put(self, *numbers: int, **fields: Any) -> None:
        for number in numbers:
            self.spool.inbox.put(made(number, **fields))


def test_what_was_put_in_is_written_out(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.put(*range(300))
    assert not bench.spool.is_empty
    assert bench.spool.write_out()
    assert bench.spool.is_empty
    assert seqs(tmp_path) == list(range(300))
    assert bench.spool.state == JournalState(written=300)
    bench.close()


def test_one_write_serves_a_whole_batch(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.put(*range(128))
    bench.spool.write_out()
    assert bench.writes == 2  # the header and the batch
    bench.close()


def test_writing_nothing_makes_nothing(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "journal")
    assert bench.spool.write_out()
    assert not (tmp_path / "journal").exists()


def test_an_event_that_cannot_be_said_is_counted_and_holds_nobody_up(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.put(1)
    bench.put(2, component="\ud800")
    bench.put(3)
    assert bench.spool.write_out()
    bench.put(4, component="\ud800")
    assert bench.spool.write_out()
    assert seqs(tmp_path) == [1, 3]
    assert bench.spool.state == JournalState(written=2, unencodable=2)
    bench.close()


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
def test_when_the_disk_refuses_events_wait_and_are_written_once_it_is_willing(tmp_path: Path, code: int) -> None:
    bench = Bench(tmp_path)
    bench.put(1)
    bench.spool.write_out()
    bench.error = code
    bench.put(2, 3)
    assert not bench.spool.write_out()
    bench.put(4)
    assert not bench.spool.write_out()
    state = bench.spool.state
    assert state == JournalState(written=1, waiting=3, write_errors=2, degraded=f"{os.strerror(code)}: {tmp_path}")
    assert not bench.spool.is_empty
    bench.error = 0
    assert bench.spool.write_out()
    assert bench.spool.state == JournalState(written=4, write_errors=2)
    assert seqs(tmp_path) == [1, 2, 3, 4]
    bench.close()


@pytest.mark.parametrize("room", range(0, 1500, 37))
def test_wherever_the_disk_fills_up_no_line_is_lost_doubled_or_halved(tmp_path: Path, room: int) -> None:
    bench = Bench(tmp_path)
    bench.room = room
    bench.put(*range(10))
    assert not bench.spool.write_out()
    tally = ReadTally()
    on_disk = seqs(tmp_path, tally=tally)
    assert on_disk == list(range(bench.spool.state.written))
    assert tally.skipped == 0
    bench.room = 1 << 40
    assert bench.spool.write_out()
    assert seqs(tmp_path, tally=tally) == list(range(10))
    assert (tally.skipped, bench.spool.state.written) == (0, 10)
    bench.close()


def test_while_the_disk_refuses_memory_stays_bounded_and_the_oldest_go(tmp_path: Path) -> None:
    bench = Bench(tmp_path, queue_size=100)
    bench.error = errno.ENOSPC
    bench.put(*range(50))
    bench.spool.write_out()
    bench.put(*range(50, 500))
    bench.spool.write_out()
    state = bench.spool.state
    assert (state.waiting, state.dropped, state.written) == (150, 350, 0)
    bench.error = 0
    assert bench.spool.write_out()
    assert seqs(tmp_path) == [*range(50), *range(400, 500)]
    bench.close()


def test_a_warning_a_minute_says_so_and_one_line_says_when_it_is_over(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    bench = Bench(tmp_path)
    bench.error = errno.ENOSPC
    bench.put(1)
    for _ in range(5):
        bench.spool.write_out()
        bench.clock.advance(15)
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    assert caplog.records[0].getMessage() == (
        f"the journal cannot write (No space left on device: {tmp_path}); "
        "it keeps trying while 1 events wait in memory, 0 were dropped"
    )
    caplog.clear()
    bench.error = 0
    bench.spool.write_out()
    bench.put(2)
    bench.spool.write_out()
    assert [record.getMessage() for record in caplog.records] == [
        f"the journal writes again to {tmp_path}; 0 events were dropped"
    ]
    bench.close()


def test_a_disk_that_refuses_every_other_moment_is_spoken_of_once_a_minute(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench(tmp_path)
    for moment in range(120):
        bench.error = 0 if moment % 2 else errno.ENOSPC
        bench.put(moment)
        bench.spool.write_out()
        bench.clock.advance(1)
    said = [record.getMessage().split(" (")[0].split(" to ")[0] for record in caplog.records]
    assert said == ["the journal cannot write", "the journal writes again"] * 2
    assert seqs(tmp_path) == list(range(120))
    bench.close()


def test_a_folder_that_cannot_be_made_degrades_and_is_made_when_it_can(tmp_path: Path) -> None:
    blocker = tmp_path / "state"
    blocker.touch()
    bench = Bench(blocker / "journal")
    bench.put(1)
    assert not bench.spool.write_out()
    assert bench.spool.state.degraded == f"Not a directory: {blocker / 'journal'}"
    blocker.unlink()
    assert bench.spool.write_out()
    assert seqs(blocker / "journal") == [1]
    assert bench.spool.state.degraded == ""
    bench.close()


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    bench = Bench(tmp_path / "journal")
    bench.put(1)
    bench.spool.write_out()
    shutil.rmtree(tmp_path / "journal")
    bench.put(2)
    assert bench.spool.write_out()
    assert seqs(tmp_path / "journal") == [2]
    bench.close()


def test_a_mistake_of_our_own_degrades_like_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench(tmp_path)

    def stumble(_: object) -> bytes:
        raise ZeroDivisionError

    monkeypatch.setattr(spool_module, "encode_events", stumble)
    bench.put(1)
    assert not bench.spool.write_out()
    assert bench.spool.state.degraded == f"ZeroDivisionError(): {tmp_path}"


def test_once_a_minute_what_is_too_old_or_too_much_is_deleted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, retention_h=24, total_bytes=1_048_576)
    bench.spool.prune()
    segment_at(tmp_path, b"old", started=NOON_S - 25 * 3600)
    segment_at(tmp_path, b"x" * 600_000, started=NOON_S - 2)
    fresh = segment_at(tmp_path, b"x" * 600_000, started=NOON_S - 1)
    bench.clock.advance(59)
    bench.spool.prune()
    assert len(list_segments(tmp_path)) == 3
    bench.clock.advance(1)
    bench.spool.prune()
    assert [segment.path for segment in list_segments(tmp_path)] == [fresh]
    assert bench.spool.state.segments_removed == 2


def test_with_each_new_segment_what_is_too_much_is_deleted(tmp_path: Path) -> None:
    bench = Bench(tmp_path, segment_bytes=65_536, total_bytes=1_048_576)
    bench.spool.prune()
    for seq in range(100):
        bench.put(seq, component="c" * 60_000)
        bench.spool.write_out()
        bench.spool.prune()
        assert sum(segment.size for segment in list_segments(tmp_path)) <= 1_048_576
    assert bench.spool.state.segments_removed > 80
    bench.close()


def test_a_clock_that_is_set_forward_makes_nothing_old_before_its_time(tmp_path: Path) -> None:
    bench = Bench(tmp_path, retention_h=24)
    neighbours = segment_at(tmp_path, b"fresh", started=NOON_S)
    bench.clock.step_wall(25 * 3600)
    bench.spool.prune()
    assert neighbours.exists()
    bench.clock.step_wall(-25 * 3600)
    bench.clock.advance(24 * 3600 + 1)
    bench.spool.prune()
    assert not neighbours.exists()


def test_a_folder_that_cannot_be_cleared_is_warned_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(spool_module, "prune", refuse)
    Bench(tmp_path).spool.prune()
    assert f"the journal's folder {tmp_path} cannot be cleared" in caplog.text


class Sleeper:
    """A writer thread that only sleeps, and says each time it wakes."""

    def __init__(self, spool: Spool) -> None:
        self.spool = spool
        self.woke = threading.Event()
        self.thread = threading.Thread(target=self._sleep)
        self.thread.start()

    def _sleep(self) -> None:
        self.spool.sleep()
        self.woke.set()

    def wakes(self) -> bool:
        woke = self.woke.wait(PATIENCE_S)
        if woke:
            self.thread.join(PATIENCE_S)
        return woke


def test_an_idle_writer_sleeps_until_the_first_event_and_then_lets_a_batch_gather(tmp_path: Path) -> None:
    bench = Bench(tmp_path, flush_interval_s=60)
    sleeper = Sleeper(bench.spool)
    assert eventually(lambda: bench.spool.inbox._wake_at == 1)
    bench.put(1)
    assert eventually(lambda: bench.spool.inbox._wake_at == 128)
    bench.put(*range(126))
    assert bench.spool.inbox._wake_at == 128  # it sleeps on: who wakes it takes the mark away
    bench.put(127)
    assert sleeper.wakes()


def test_a_batch_gathers_no_longer_than_the_flush_interval(tmp_path: Path) -> None:
    bench = Bench(tmp_path, flush_interval_s=0.01)
    sleeper = Sleeper(bench.spool)
    bench.put(1)
    assert sleeper.wakes()


@pytest.mark.parametrize("waiting", [0, 1])
def test_who_is_in_a_hurry_ends_the_sleep(tmp_path: Path, waiting: int) -> None:
    bench = Bench(tmp_path, flush_interval_s=60)
    sleeper = Sleeper(bench.spool)
    bench.put(*range(waiting))
    bench.spool.hurry()
    assert sleeper.wakes()


def test_a_hurry_that_comes_before_the_sleep_is_not_lost(tmp_path: Path) -> None:
    bench = Bench(tmp_path, flush_interval_s=60)
    bench.put(1)
    bench.spool.hurry()
    assert Sleeper(bench.spool).wakes()


def test_while_the_disk_refuses_the_writer_waits_however_much_piles_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = Bench(tmp_path, flush_interval_s=60)
    bench.error = errno.ENOSPC
    bench.put(*range(500))
    bench.spool.write_out()
    slept: list[tuple[float, int]] = []
    rung: list[bool] = []
    sleep, ring = bench.spool.inbox.wait, bench.spool.inbox.wake

    def note_sleep(timeout_s: float, at_least: int = 1) -> bool:
        slept.append((timeout_s, at_least))
        return sleep(timeout_s, at_least)

    def note_ring() -> None:
        rung.append(True)
        ring()

    monkeypatch.setattr(bench.spool.inbox, "wait", note_sleep)
    monkeypatch.setattr(bench.spool.inbox, "wake", note_ring)
    sleeper = Sleeper(bench.spool)
    assert eventually(lambda: bool(slept))
    bench.put(*range(500))
    assert rung == []
    bench.spool.hurry()
    assert sleeper.wakes()
    assert (rung, [timeout_s for timeout_s, _ in slept]) == ([True], [60])
