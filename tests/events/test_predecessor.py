# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from otel_health.clock import ManualClock
from otel_health.events import predecessor
from otel_health.events.journal import Journal
from otel_health.events.journal_reader import ReadTally, read_events
from otel_health.events.kinship import Kin
from otel_health.events.locks import Hold, open_to_lock, try_lock
from otel_health.events.model import Category, HealthEvent
from otel_health.events.predecessor import claim_predecessor
from otel_health.events.segments import Segment, list_segments
from tests.events.kit import NOON_S, changed, journal, left_behind, line_of, made, segment_at, segment_bytes

PATIENCE_S = 20.0


def numbers(events: Iterable[HealthEvent]) -> list[object]:
    return [event.seq for event in events]


def restored(folder: Path, **settings: object) -> tuple[Journal, list[object]]:
    """Begin a new process: its journal and what it took over."""
    new = journal(folder, **settings)  # type: ignore[arg-type]
    return new, numbers(new.restore(0))


def aged(folder: Path, instance_id: str, by_s: float) -> None:
    """Let a process have written its segments `by_s` seconds earlier."""
    for segment in list_segments(folder):
        if instance_id[:8] in segment.path.name:
            os.utime(segment.path, (segment.modified - by_s,) * 2)


def test_a_new_process_takes_over_what_the_dead_one_left(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1), made(2))
    new, found = restored(tmp_path)
    assert found == [1, 2]
    new.close()


def test_all_segments_of_the_dead_one_are_taken_over_in_order(tmp_path: Path) -> None:
    left_behind(tmp_path, *(made(seq, component="c" * 900) for seq in range(200)), segment_bytes=65_536)
    assert len(list_segments(tmp_path)) > 2
    new, found = restored(tmp_path)
    assert found == list(range(200))
    new.close()


def test_a_living_neighbours_events_are_never_taken_over(tmp_path: Path) -> None:
    neighbour = journal(tmp_path)
    neighbour.record(made(1))
    assert neighbour.flush()
    assert restored(tmp_path)[1] == []
    assert neighbour.close()
    assert restored(tmp_path)[1] == [1]


def test_another_services_events_are_never_taken_over(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1), service="missy")
    assert restored(tmp_path)[1] == []


def test_what_is_too_old_is_left_out(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1, at=NOON_S - 1), made(2, at=NOON_S))
    new = journal(tmp_path)
    assert numbers(new.restore(NOON_S)) == [2]
    new.close()


def test_a_nameless_program_takes_over_its_own_events_and_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["agent.py"])
    left_behind(tmp_path, made(1), service="")
    assert restored(tmp_path)[1] == []
    monkeypatch.setattr("sys.argv", ["other.py"])
    assert restored(tmp_path, service="")[1] == []
    monkeypatch.setattr("sys.argv", ["agent.py"])
    own, found = restored(tmp_path, service="")
    assert found == [1]
    own.close()


def test_nobody_is_the_heir_of_those_who_cannot_be_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", [""])
    left_behind(tmp_path, made(1), service="")
    assert restored(tmp_path, service="")[1] == []


def test_of_who_wrote_nothing_lately_only_the_changes_of_status_are_taken_over(tmp_path: Path) -> None:
    ill = changed("error", seq=2)
    aged(tmp_path, left_behind(tmp_path, made(1), ill, made(3)), by_s=1_000)
    claim = claim_predecessor(tmp_path, Kin(service_name="prax"))
    assert claim is not None
    assert list(claim.events(NOON_S + 1)) == [ill]
    assert [event.seq for event in claim.events(0)] == [1, 2, 3]
    claim.release()


def test_an_illness_is_handed_down_however_long_ago_it_began(tmp_path: Path) -> None:
    """Segment after segment and life after life: the row that tells of it is long deleted."""
    clock = ManualClock(NOON_S)
    ill = changed("error")
    heir = journal(tmp_path, clock=clock)
    heir.record(ill)
    heir.record(changed("error", component="tools"))
    for _ in range(5):
        for _ in range(3):
            clock.advance(3_600)
            heir.record(made(1, at=clock.wall()))
            assert heir.flush()
        assert heir.close()
        for segment in list_segments(tmp_path)[:-1]:
            segment.path.unlink()
        heir = journal(tmp_path, clock=clock)
        told = [event for event in heir.restore(clock.wall() - 60) if event.category is Category.HEALTH_CHANGED]
        assert told == [ill, changed("error", component="tools")]
    heir.record(changed("healthy", at=clock.wall(), component="tools"))
    clock.advance(3_600)
    heir.record(made(1, at=clock.wall()))
    assert heir.flush()
    assert heir.close()
    last, _ = restored(tmp_path)
    claim = last._claim
    assert claim is not None
    assert [event.component for event in claim.events(clock.wall() + 1_000)][:1] == ["llm"]
    last.close()


def test_where_nothing_was_left_nothing_is_found(tmp_path: Path) -> None:
    assert restored(tmp_path)[1] == []
    assert restored(tmp_path / "none")[1] == []
    assert not (tmp_path / "none").exists()


def test_a_dead_process_has_one_successor_while_that_lives_and_after_it_began_its_own(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1))
    first, found = restored(tmp_path)
    assert found == [1]
    assert restored(tmp_path)[1] == []
    first.record(made(2))
    assert first.flush()
    assert restored(tmp_path)[1] == []
    first.close()


def test_a_successor_that_dies_before_it_wrote_leaves_the_inheritance_to_the_next(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1))
    restored(tmp_path)[0].close()
    assert restored(tmp_path)[1] == [1]


def test_after_crash_upon_crash_the_whole_chain_is_taken_over_the_oldest_first(tmp_path: Path) -> None:
    for seq in range(4):
        life, found = restored(tmp_path)
        assert found == list(range(seq))
        life.record(made(seq))
        life.close()
    last, found = restored(tmp_path)
    assert found == [0, 1, 2, 3]
    last.close()


def test_of_several_dead_the_one_that_died_last_comes_first_and_each_gets_its_own(tmp_path: Path) -> None:
    for seq in (1, 2, 3):
        aged(tmp_path, left_behind(tmp_path, made(seq)), by_s={1: 900, 2: 0, 3: 600}[seq])
    born = [restored(tmp_path) for _ in range(4)]
    assert [found for _, found in born] == [[2], [3], [1], []]
    for life, _ in born:
        life.close()


def test_of_many_that_start_at_once_exactly_one_inherits(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1))
    start = threading.Barrier(6)
    results: list[tuple[Journal, list[object]]] = []

    def begin() -> None:
        start.wait(PATIENCE_S)
        results.append(restored(tmp_path))

    workers = [threading.Thread(target=begin) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(PATIENCE_S)
    assert sorted(found for _, found in results) == [[], [], [], [], [], [1]]
    for life, _ in results:
        life.close()


def test_a_neighbour_that_rotates_just_now_is_not_taken_for_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between reading the folder and taking the lock the owner lets go of one segment and holds the next."""
    neighbour = journal(tmp_path, segment_bytes=65_536)
    neighbour.record(made(1, component="c" * 60_000))
    assert neighbour.flush()

    def rotate_first(descriptor: int) -> Hold:
        neighbour.record(made(2, component="c" * 60_000))
        assert neighbour.flush()
        return try_lock(descriptor)

    monkeypatch.setattr(predecessor, "try_lock", rotate_first)
    assert restored(tmp_path)[1] == []
    assert len(list_segments(tmp_path)) == 2
    assert neighbour.close()


def test_a_dead_process_whose_successor_just_wrote_its_name_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_behind(tmp_path, made(1))
    heir, _ = restored(tmp_path)

    def write_first(descriptor: int) -> Hold:
        monkeypatch.undo()
        heir.record(made(2))
        assert heir.flush()
        return try_lock(descriptor)

    monkeypatch.setattr(predecessor, "try_lock", write_first)
    assert restored(tmp_path)[1] == []
    assert heir.close()


def test_the_newest_segment_is_told_by_its_number_even_if_the_clock_was_set_back(tmp_path: Path) -> None:
    clock = ManualClock(NOON_S)
    neighbour = journal(tmp_path, clock=clock, segment_bytes=65_536)
    for seq, step_s in enumerate((0, -500, 0)):
        clock.step_wall(step_s)
        neighbour.record(made(seq, component="c" * 60_000))
        assert neighbour.flush()
    assert [segment.number for segment in list_segments(tmp_path)] == [2, 3, 1]
    assert restored(tmp_path)[1] == []
    assert neighbour.close()
    assert restored(tmp_path)[1] == [0, 1, 2]


def test_a_process_of_which_any_segment_is_still_held_is_not_dead(tmp_path: Path) -> None:
    """As when two processes came to share an id: the one that died must not be taken for both."""
    left_behind(tmp_path, *(made(seq, component="c" * 900) for seq in range(200)), segment_bytes=65_536)
    for segment in list_segments(tmp_path):
        descriptor = open_to_lock(segment.path)
        assert try_lock(descriptor) is Hold.MINE
        assert restored(tmp_path)[1] == []
        os.close(descriptor)
    new, found = restored(tmp_path)
    assert found == list(range(200))
    new.close()


def test_a_long_chain_of_crashes_is_walked_once(tmp_path: Path) -> None:
    before = ""
    for number in range(2_000):
        own = f"life{number:04}"
        content = segment_bytes(line_of(made(number)), service_name="prax", instance_id=own, predecessor=before)
        segment_at(tmp_path, content, number=number)
        before = own
    new, found = restored(tmp_path)
    assert found == list(range(2_000))
    new.close()


def test_a_search_that_fails_under_the_lock_lets_go_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(tmp_path, made(1))
    looks = iter([None])

    def fail_at_the_second_look(folder: Path) -> list[Segment]:
        next(looks)
        return list_segments(folder)

    monkeypatch.setattr(predecessor, "list_segments", fail_at_the_second_look)
    with pytest.raises((StopIteration, RuntimeError)):
        claim_predecessor(tmp_path, Kin(service_name="prax"))
    monkeypatch.undo()
    new, found = restored(tmp_path)
    assert found == [1]
    new.close()


def test_where_nobody_can_tell_who_lives_nothing_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(tmp_path, made(1))
    monkeypatch.setattr(predecessor, "try_lock", lambda _: Hold.UNKNOWN)
    assert restored(tmp_path)[1] == []


def test_segments_that_tell_no_origin_are_let_be(tmp_path: Path) -> None:
    nobody = segment_bytes(line_of(made(1)), service_name="prax")
    future = segment_bytes(line_of(made(2)), service_name="prax", instance_id="f").replace(b'schema":1', b'schema":9')
    for number, content in enumerate((b"", b"garbage\n", line_of(made(3)), nobody, future)):
        segment_at(tmp_path, content, number=number)
    assert claim_predecessor(tmp_path, Kin(service_name="prax")) is None


def test_headers_that_go_round_in_a_circle_end(tmp_path: Path) -> None:
    for number, (own, before) in enumerate((("a", "b"), ("b", "a"), ("c", "b"))):
        content = segment_bytes(line_of(made(number)), service_name="prax", instance_id=own, predecessor=before)
        segment_at(tmp_path, content, number=number)
    claim = claim_predecessor(tmp_path, Kin(service_name="prax"))
    assert claim is not None
    assert claim.instance_id == "c"
    assert sorted(map(str, numbers(claim.events(0)))) == ["0", "1", "2"]
    claim.release()


def test_segments_that_vanish_under_the_search_are_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left_behind(tmp_path, made(1))
    (seen,) = list_segments(tmp_path)

    def vanish(folder: Path) -> object:
        found = list_segments(folder)
        seen.path.unlink(missing_ok=True)
        return found

    monkeypatch.setattr(predecessor, "list_segments", vanish)
    assert claim_predecessor(tmp_path, Kin(service_name="prax")) is None
    content = segment_bytes(line_of(made(1)), service_name="prax", instance_id="a")
    segment_at(tmp_path, content)
    monkeypatch.setattr(predecessor, "list_segments", list_segments)
    monkeypatch.setattr(predecessor, "open_to_lock", lambda path: os.open(f"{path}.gone", os.O_RDWR))
    assert claim_predecessor(tmp_path, Kin(service_name="prax")) is None


def test_bad_lines_left_behind_are_counted(tmp_path: Path) -> None:
    content = segment_bytes(b"garbage\n", line_of(made(1)), b"[]\n", service_name="prax", instance_id="a")
    segment_at(tmp_path, content)
    new, tally = journal(tmp_path), ReadTally()
    assert numbers(new.restore(0, tally)) == [1]
    assert (tally.events, tally.torn, tally.foreign) == (1, 1, 1)
    new.close()


def test_a_folder_that_cannot_be_read_restores_nothing_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(predecessor, "list_segments", refuse)
    assert restored(tmp_path)[1] == []
    assert "cannot be read back: [Errno 13] Permission denied" in caplog.text


def test_the_inheritance_survives_the_folder(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1))
    heir = journal(tmp_path)
    events = heir.restore(0)
    shutil.rmtree(tmp_path)
    assert numbers(events) == []
    heir.record(made(2))
    assert heir.close()
    assert [event.seq for event in read_events(tmp_path)] == [2]
