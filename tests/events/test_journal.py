# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import errno
import math
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from otel_health.clock import SystemClock
from otel_health.events import journal as journal_module
from otel_health.events.journal import Journal
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_lines import Header, decode_line
from otel_health.events.segments import Segment, list_segments
from otel_health.events.spool import JournalState
from tests.events.kit import eventually, journal, left_behind, made, seqs

PATIENCE_S = 20.0


def header(folder: Path) -> Header:
    (segment,) = list_segments(folder)
    found = decode_line(segment.path.read_bytes().splitlines()[0])
    assert isinstance(found, Header)
    return found


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "otel-health-journal"]


def test_a_journal_nobody_uses_makes_no_thread_and_no_file(tmp_path: Path) -> None:
    unused = journal(tmp_path / "journal")
    assert threads() == []
    assert unused.flush()
    assert unused.close()
    assert threads() == []
    assert list(tmp_path.iterdir()) == []
    assert unused.state == JournalState()


def test_what_is_recorded_is_on_the_disk_after_a_flush(tmp_path: Path) -> None:
    used = journal(tmp_path, flush_interval_s=60)
    for seq in range(5):
        used.record(made(seq))
    assert used.flush()
    assert seqs(tmp_path) == [0, 1, 2, 3, 4]
    assert used.state == JournalState(written=5)
    used.record(made(5))
    assert used.flush()
    assert seqs(tmp_path)[-1] == 5
    used.close()


def test_without_a_flush_it_is_there_after_the_flush_interval(tmp_path: Path) -> None:
    used = journal(tmp_path, flush_interval_s=0.05)
    used.record(made(1))
    assert eventually(lambda: seqs(tmp_path) == [1])
    used.record(made(2))
    assert eventually(lambda: seqs(tmp_path) == [1, 2])
    used.close()


def test_closing_loses_nothing_and_can_be_done_again(tmp_path: Path) -> None:
    used = journal(tmp_path, flush_interval_s=60)
    for seq in range(1_000):
        used.record(made(seq))
    assert used.close()
    assert used.close()
    assert used.flush()
    assert seqs(tmp_path) == list(range(1_000))
    assert threads() == []


def test_what_comes_after_closing_is_dropped_and_counted(tmp_path: Path) -> None:
    used = journal(tmp_path)
    used.record(made(1))
    used.close()
    used.record(made(2))
    unused = journal(tmp_path)
    unused.close()
    unused.record(made(3))
    assert (used.state.dropped, unused.state.dropped) == (1, 1)
    assert seqs(tmp_path) == [1]
    assert threads() == []


def test_many_threads_may_record_at_once_and_one_writer_is_begun(tmp_path: Path) -> None:
    used = journal(tmp_path)
    start = threading.Barrier(8)

    def work(worker: int) -> None:
        start.wait(PATIENCE_S)
        for number in range(100):
            used.record(made(worker * 100 + number))

    workers = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE_S)
    assert len(threads()) == 1
    assert used.close()
    assert sorted(map(str, seqs(tmp_path))) == sorted(map(str, range(800)))


def test_many_threads_may_flush_and_close_at_once(tmp_path: Path) -> None:
    used = journal(tmp_path, flush_interval_s=60)
    used.record(made(1))
    results: list[bool] = []
    ends = [
        threading.Thread(target=lambda end=end: results.append(end())) for end in [used.flush] * 4 + [used.close] * 4
    ]
    for thread in ends:
        thread.start()
    for thread in ends:
        thread.join(PATIENCE_S)
    assert results == [True] * 8
    assert seqs(tmp_path) == [1]


def test_the_header_tells_who_wrote_and_whom_it_succeeded(tmp_path: Path) -> None:
    before = left_behind(tmp_path / "old", made(1))
    heir = journal(tmp_path / "old")
    assert [event.seq for event in heir.restore(0)] == [1]
    heir.record(made(2))
    heir.close()
    (_, own) = sorted(list_segments(tmp_path / "old"), key=lambda s: heir.instance_id[:8] in s.path.name)
    found = decode_line(own.path.read_bytes().splitlines()[0])
    assert isinstance(found, Header)
    assert (found.pid, found.instance_id, found.service_name) == (os.getpid(), heir.instance_id, "prax")
    assert (found.predecessor, found.journal_schema) == (before, 1)


def test_ids_can_be_given(tmp_path: Path) -> None:
    names = iter(["first", "second"])
    used = Journal(JournalConfig(path=tmp_path), clock=SystemClock(), new_id=lambda: next(names))
    assert used.instance_id == "first"
    used.after_fork_in_child()
    assert used.instance_id == "second"
    used.record(made(1))
    used.close()
    assert header(tmp_path).instance_id == "second"


def test_two_journals_share_a_folder_and_disturb_each_other_in_nothing(tmp_path: Path) -> None:
    one, two = journal(tmp_path), journal(tmp_path)
    for seq in range(10):
        (one if seq % 2 else two).record(made(seq))
    assert one.close()
    assert two.close()
    assert sorted(map(str, seqs(tmp_path))) == sorted(map(str, range(10)))
    assert len(list_segments(tmp_path)) == 2


class Stuck:
    """A disk that hangs until it is let go."""

    def __init__(self) -> None:
        self.reached, self.released = threading.Event(), threading.Event()

    def write(self, descriptor: int, data: bytes) -> int:
        self.reached.set()
        self.released.wait(PATIENCE_S)
        return os.write(descriptor, data)


@pytest.fixture
def stuck() -> Iterator[Stuck]:
    disk = Stuck()
    yield disk
    disk.released.set()


def test_a_disk_that_hangs_holds_up_neither_who_records_nor_who_wants_to_leave(tmp_path: Path, stuck: Stuck) -> None:
    used = journal(tmp_path, write=stuck.write, flush_interval_s=0.01)
    used.record(made(1))
    assert stuck.reached.wait(PATIENCE_S)
    used.record(made(2))
    assert not used.flush(0.01)
    assert not used.close(0.01)
    assert used.state.written == 0
    stuck.released.set()
    assert eventually(lambda: threads() == [])
    assert seqs(tmp_path) == [1, 2]


def test_who_flushes_against_a_disk_that_refuses_is_told_at_once(tmp_path: Path) -> None:
    def refuse(_: int, __: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    used = journal(tmp_path, write=refuse, flush_interval_s=60)
    used.record(made(1))
    assert not used.flush(timeout_s=600)
    assert used.state.degraded.startswith("No space left on device")
    assert not used.close(timeout_s=600)
    assert threads() == []
    assert used.state.waiting == 1
    assert list(tmp_path.iterdir()) == []


def test_when_no_thread_can_be_begun_any_more_closing_writes_what_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    late = journal(tmp_path)
    late.record(made(1))
    late.record(made(2))
    assert not late.flush()
    assert late.close()
    assert seqs(tmp_path) == [1, 2]


def test_who_comes_second_to_the_gate_finds_the_thread_begun_or_the_journal_closed(tmp_path: Path) -> None:
    used = journal(tmp_path)
    used.record(made(1))
    used._open()
    assert len(threads()) == 1
    used.close()
    closed = journal(tmp_path)
    closed.close()
    closed._open()
    assert threads() == []


def test_a_claim_is_let_go_once_it_can_be_read_in_the_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(tmp_path, made(1))
    heir = journal(tmp_path)
    list(heir.restore(0))
    released: list[bool] = []
    claim = heir._claim
    assert claim is not None
    let_go = claim.release

    def release() -> None:
        released.append(heir._writer.has_begun)
        let_go()

    monkeypatch.setattr(claim, "release", release)
    heir.record(made(2))
    assert heir.flush()
    assert heir.flush()
    heir.close()
    assert released == [True]


def test_ids_are_never_the_same_twice() -> None:
    ids = {journal_module._random_id() for _ in range(1_000)}
    assert len(ids) == 1_000
    assert all(name.isalnum() for name in ids)


@pytest.mark.parametrize("timeout_s", [math.inf, math.nan, -1.0, 0.0, 1e300])
def test_no_time_out_whatever_makes_it_raise(tmp_path: Path, timeout_s: float) -> None:
    used = journal(tmp_path, flush_interval_s=60)
    used.record(made(1))
    assert used.flush(timeout_s) is (timeout_s > 0)
    used.close(timeout_s)
    assert eventually(lambda: threads() == [])
    assert used.close()
    assert seqs(tmp_path) == [1]


class Ending(threading.Thread):
    """A writer that lives when it is looked at for the first time, and has ended by the second."""

    def __init__(self) -> None:
        super().__init__()
        self.looks = iter([True, False])

    def is_alive(self) -> bool:
        return next(self.looks)


def test_a_flush_that_the_ending_writer_does_not_see_any_more_tells_whether_all_is_written(tmp_path: Path) -> None:
    used = journal(tmp_path)
    used._thread = Ending()
    assert used.flush(0.001)
    used._spool.inbox.put(made(1))
    used._thread = Ending()
    assert not used.flush(0.001)


def test_files_that_may_not_be_read_are_said_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for seq in range(3):
        left_behind(tmp_path, made(seq), service="missy")
    monkeypatch.setattr(Segment, "is_readable", False)
    assert list(journal(tmp_path).restore(0)) == []
    assert caplog.messages == [f"3 files of the journal in {tmp_path} may not be read back"]
