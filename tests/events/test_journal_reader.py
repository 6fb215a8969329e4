# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import io
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events import journal_reader
from otel_health.events.journal_lines import LINE_LIMIT, Header, encode_header
from otel_health.events.journal_reader import ReadTally, query, read_events, read_segment, read_stream
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent
from tests.events.kit import NOON_S, left_behind, line_of, made, sayable_events, segment_at, segment_bytes, seqs

BAD_LINES = {
    "binary garbage": b"\x00\xff\xfe\x93\n",
    "a number": b"42\n",
    "a list": b"[1, 2]\n",
    "no category": b'{"severity":"info","timestamp":1750000000}\n',
    "a stamp that is no number": b'{"category":"retry","severity":"info","timestamp":NaN}\n',
    "a half line": line_of(made(99))[:40] + b"\n",
    "two halves run together": line_of(made(98))[:40] + line_of(made(97))[60:],
    "somebody else's": b'{"level":"info","message":"hello"}\n',
    "too long": b"x" * (LINE_LIMIT + 10) + b"\n",
    "far too long": b"x" * (3 * LINE_LIMIT) + b"\n",
}


def read(content: bytes) -> tuple[list[object], ReadTally]:
    tally = ReadTally()
    return [event.seq for event in read_stream(io.BytesIO(content), tally)], tally


@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_a_bad_line_is_counted_and_costs_its_neighbours_nothing(bad: bytes) -> None:
    content = segment_bytes(bad, line_of(made(1)), bad, bad, line_of(made(2)), bad)
    found, tally = read(content)
    assert found == [1, 2]
    assert (tally.events, tally.skipped) == (2, 4)


def test_what_is_skipped_is_told_apart() -> None:
    _, tally = read(b"".join(BAD_LINES.values()))
    assert (tally.torn, tally.foreign, tally.unreadable) == (6, 4, 0)
    assert tally.cut_short == 0


@settings(deadline=None, max_examples=100)
@given(st.lists(sayable_events, max_size=6), st.integers(0, 400))
def test_a_torn_tail_costs_only_the_torn_line(events: list[HealthEvent], cut: int) -> None:
    content = b"".join(line_of(event) for event in events)
    rest = content[: max(0, len(content) - cut)]
    tally = ReadTally()
    found = list(read_stream(io.BytesIO(rest), tally))
    assert found == events[: len(found)]
    assert len(found) >= rest.count(b"\n")
    assert tally.skipped == tally.torn == tally.cut_short <= 1


@settings(deadline=None, max_examples=100)
@given(st.lists(sayable_events | st.sampled_from(sorted(BAD_LINES.values())[:7]), max_size=12))
def test_any_mixture_gives_all_events_in_order(mixture: list[HealthEvent | bytes]) -> None:
    content = b"".join(line if isinstance(line, bytes) else line_of(line) for line in mixture)
    assert list(read_stream(io.BytesIO(content))) == [line for line in mixture if isinstance(line, HealthEvent)]


def test_line_ends_may_be_missing_or_of_another_system_and_lines_empty() -> None:
    found, tally = read(b"\n" + line_of(made(1)).replace(b"\n", b"\r\n") + b"\r\n\n" + line_of(made(2)).rstrip(b"\n"))
    assert found == [1, 2]
    assert tally.skipped == 0


def test_a_line_of_the_greatest_length_is_read() -> None:
    short = len(line_of(made(1, component="")))
    longest = line_of(made(1, component="c" * (LINE_LIMIT - short)))
    assert len(longest) == LINE_LIMIT
    assert read(longest + line_of(made(2)))[0] == [1, 2]
    assert read(longest[:-2] + b" }\n" + line_of(made(2)))[0] == [2]


def test_events_under_a_schema_of_the_future_are_counted_and_not_guessed_at() -> None:
    future = encode_header(Header(journal_schema=SCHEMA_VERSION + 1))
    ours = encode_header(Header(journal_schema=SCHEMA_VERSION))
    content = line_of(made(1)) + future + line_of(made(2)) + line_of(made(3)) + ours + line_of(made(4))
    found, tally = read(content)
    assert found == [1, 4]
    assert (tally.events, tally.foreign, tally.torn) == (2, 2, 0)


def test_any_stream_that_gives_lines_can_be_read() -> None:
    packed = gzip.compress(segment_bytes(line_of(made(1))))
    with gzip.open(io.BytesIO(packed)) as stream:
        assert [event.seq for event in read_stream(stream)] == [1]


def test_reading_is_lazy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened: list[Path] = []
    real = journal_reader.read_segment

    def watched(path: Path, *, since: float, tally: ReadTally) -> Iterator[HealthEvent]:
        opened.append(path)
        return real(path, since=since, tally=tally)

    monkeypatch.setattr(journal_reader, "read_segment", watched)
    first, _ = (segment_at(tmp_path, line_of(made(number)), number=number) for number in (1, 2))
    events = read_events(tmp_path)
    assert opened == []
    assert next(events).seq == 1
    assert opened == [first]


def test_a_folder_is_read_segment_by_segment_the_oldest_first(tmp_path: Path) -> None:
    segment_at(tmp_path, line_of(made(3)), started=NOON_S + 60)
    segment_at(tmp_path, line_of(made(1)) + line_of(made(2)), started=NOON_S)
    (tmp_path / "health-notes.jsonl").write_bytes(line_of(made(7)))
    (tmp_path / "notes.txt").write_bytes(line_of(made(8)))
    assert seqs(tmp_path) == [1, 2, 3]


def test_one_file_of_any_name_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / ".health_telemetry.jsonl"
    path.write_bytes(line_of(made(1)))
    assert seqs(path) == [1]


def test_a_folder_that_is_not_there_has_no_events(tmp_path: Path) -> None:
    assert seqs(tmp_path / "none") == []


def test_events_and_whole_segments_from_before_are_left_out(tmp_path: Path) -> None:
    old = segment_at(tmp_path, line_of(made(1, at=NOON_S)), started=NOON_S - 1000)
    segment_at(tmp_path, line_of(made(2, at=NOON_S - 1)) + line_of(made(3)), started=NOON_S, number=2)
    tally = ReadTally()
    assert seqs(tmp_path, since=NOON_S, tally=tally) == [3]
    assert tally.events == 2
    os.utime(old, (NOON_S - 200, NOON_S - 200))
    assert seqs(tmp_path, since=NOON_S) == [1, 3]


def test_a_segment_that_is_deleted_meanwhile_simply_ends(tmp_path: Path) -> None:
    paths = [segment_at(tmp_path, line_of(made(number)), number=number) for number in (1, 2, 3)]
    events = read_events(tmp_path, tally=(tally := ReadTally()))
    assert next(events).seq == 1
    paths[1].unlink()
    assert [event.seq for event in events] == [3]
    assert tally.unreadable == 0


def test_a_segment_that_cannot_be_read_is_counted(tmp_path: Path) -> None:
    tally = ReadTally()
    assert list(read_segment(tmp_path, tally=tally)) == []  # a folder opens no better than a file of somebody else's
    assert tally.unreadable == 1


def test_a_query_finds_the_newest_over_all_segments(tmp_path: Path) -> None:
    left_behind(tmp_path, made(1, at=NOON_S), made(3, at=NOON_S + 2, category=Category.RETRY))
    left_behind(tmp_path, made(2, at=NOON_S + 1), made(4, at=NOON_S + 3), made(0, at=NOON_S - 3601))
    now = NOON_S + 3
    assert [event.seq for event in query(tmp_path, now=now)] == [4, 3, 2, 1]
    assert [event.seq for event in query(tmp_path, now=now, minutes=61)] == [4, 3, 2, 1, 0]
    assert [event.seq for event in query(tmp_path, now=now, category="retry")] == [3]
    assert [event.seq for event in query(tmp_path, now=now, severity="warning", limit=2)] == [4, 3]
    assert query(tmp_path, now=now, limit=0) == []


def test_a_query_counts_what_it_skipped(tmp_path: Path) -> None:
    segment_at(tmp_path, segment_bytes(b"garbage\n", line_of(made(1))))
    tally = ReadTally()
    assert [event.seq for event in query(tmp_path, now=NOON_S, tally=tally)] == [1]
    assert tally.torn == 1


@settings(deadline=None, max_examples=30)
@given(st.lists(sayable_events, max_size=8))
def test_any_events_go_through_a_journal_unchanged(events: list[HealthEvent]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        left_behind(Path(folder), *events)
        assert list(read_events(Path(folder))) == events
