# SPDX-License-Identifier: Apache-2.0
"""The journal among processes: many at once, killed, forked, and leaving in every way there is."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from otel_health.events.journal_lines import Header, decode_line
from otel_health.events.journal_reader import ReadTally, read_events
from otel_health.events.segments import list_segments
from tests.events.kit import eventually, journal, left_behind, made, seqs
from tests.events.workers import EVENTS, PAYLOAD

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0


def start(name: str, folder: Path, number: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.events.workers", name, str(folder), str(number)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def test_f1_many_processes_and_threads_write_one_folder_and_every_line_is_whole(tmp_path: Path) -> None:
    """Field report F1: 4 processes of 400 events of 9 kB from 4 threads each, a new segment at every megabyte."""
    workers = [start("burst", tmp_path, number) for number in range(4)]
    for worker in workers:
        worker.communicate(timeout=PATIENCE_S)
    assert [worker.returncode for worker in workers] == [0, 0, 0, 0]
    tally = ReadTally()
    found: Counter[object] = Counter()
    for event in read_events(tmp_path, tally=tally):
        marker = f"<{event.seq:06}>"
        assert event.extra["payload"] == marker * (PAYLOAD // len(marker))
        found[event.seq] += 1
    assert found == Counter(range(4 * EVENTS))
    assert (tally.events, tally.skipped, tally.unreadable) == (4 * EVENTS, 0, 0)
    segments = list_segments(tmp_path)
    assert len(segments) >= 4 * EVENTS * PAYLOAD // 1_000_000
    assert max(segment.size for segment in segments) <= 1_000_000


def test_a_killed_process_loses_only_what_was_not_yet_written(tmp_path: Path) -> None:
    worker = start("steady", tmp_path)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "recorded\n"
    assert eventually(lambda: len(seqs(tmp_path)) == 100, PATIENCE_S)
    worker.kill()
    worker.communicate(timeout=PATIENCE_S)
    tally = ReadTally()
    assert seqs(tmp_path, tally=tally) == list(range(100))
    assert tally.skipped == 0
    heir = journal(tmp_path)
    assert [event.seq for event in heir.restore(0)] == list(range(100))
    heir.close()


@pytest.mark.parametrize("code", [0, 1, 3], ids=["falls off the end", "unhandled error", "sys.exit"])
def test_a_process_that_closes_at_exit_loses_nothing_however_it_leaves(tmp_path: Path, code: int) -> None:
    worker = start("leave", tmp_path, code)
    _, errors = worker.communicate(timeout=PATIENCE_S)
    assert worker.returncode == code
    assert ("Traceback" in errors) == (code == 1)
    assert seqs(tmp_path) == list(range(10))


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
may_fork = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def writers(folder: Path) -> dict[object, int]:
    """Return who wrote each event: the pid in the header of its segment, by seq. Fails on an event that is doubled."""
    found: dict[object, int] = {}
    for segment in list_segments(folder):
        header = decode_line(segment.path.read_bytes().splitlines()[0])
        assert isinstance(header, Header)
        for seq in seqs(segment.path):
            assert seq not in found
            found[seq] = header.pid
    return found


@needs_fork
@may_fork
def test_a_forked_child_begins_its_own_journal_and_leaves_the_parents_alone(tmp_path: Path) -> None:
    left_behind(tmp_path, made(100))
    parent = journal(tmp_path, flush_interval_s=60)
    assert [event.seq for event in parent.restore(0)] == [100]
    parent.record(made(1))
    assert parent.flush()
    parent.record(made(2))  # still in memory when the child is made
    child = os.fork()
    if child == 0:
        parent.after_fork_in_child()
        parent.record(made(3))
        os._exit(0 if parent.close() and parent.state.written == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    successor = journal(tmp_path)
    assert [event.seq for event in successor.restore(0)] == [3]  # the child is dead; the parent's lock still holds
    successor.close()
    parent.record(made(4))
    assert parent.close()
    by = writers(tmp_path)
    own = os.getpid()
    assert by == {100: own, 1: own, 2: own, 3: child, 4: own}


@needs_fork
@may_fork
def test_a_child_that_is_not_told_of_the_fork_writes_nothing_of_the_parents(tmp_path: Path) -> None:
    parent = journal(tmp_path, flush_interval_s=60)
    parent.record(made(1))
    assert parent.flush()
    parent.record(made(2))
    child = os.fork()
    if child == 0:
        parent.record(made(3))
        os._exit(0 if not parent.flush() and not parent.close() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert parent.close()
    assert writers(tmp_path) == {1: os.getpid(), 2: os.getpid()}


@needs_fork
@may_fork
def test_a_fork_at_any_moment_leaves_every_event_exactly_once(tmp_path: Path) -> None:
    """Field report A13: a thread records in a loop while the process forks."""
    parent = journal(tmp_path, flush_interval_s=0.01, queue_size=1_000_000)
    stop = threading.Event()
    recorded: list[int] = []

    def record() -> None:
        while not stop.is_set():
            parent.record(made(len(recorded)))
            recorded.append(1)
            stop.wait(0.0001)

    recorder = threading.Thread(target=record)
    recorder.start()
    children = []
    for number in range(10):
        assert eventually(lambda enough=number * 20: len(recorded) > enough)  # type: ignore[misc]
        child = os.fork()
        if child == 0:
            parent.after_fork_in_child()
            parent.record(made(1_000_000 + number))
            os._exit(0 if parent.close() else 1)
        children.append(child)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    recorder.join(PATIENCE_S)
    assert parent.close()
    assert statuses == [0] * 10
    by = writers(tmp_path)
    expected = dict.fromkeys(range(len(recorded)), os.getpid())
    assert by == expected | {1_000_000 + number: child for number, child in enumerate(children)}
