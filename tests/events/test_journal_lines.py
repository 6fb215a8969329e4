# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import math
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.journal_lines import (
    LINE_LIMIT,
    Flaw,
    Header,
    decode_line,
    encode_events,
    encode_header,
    is_known,
)
from otel_health.events.kinship import Kin
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent
from tests.events.kit import made, sayable_events


@settings(deadline=None, max_examples=200)
@given(sayable_events)
def test_any_event_comes_back_from_its_line_as_it_was(event: HealthEvent) -> None:
    line = encode_events([event])
    assert line.index(b"\n") == len(line) - 1
    assert decode_line(line) == event
    assert json.loads(line)["category"] == event.category


@settings(deadline=None, max_examples=50)
@given(st.lists(sayable_events, max_size=5))
def test_each_event_has_a_line_of_its_own_in_order(events: list[HealthEvent]) -> None:
    lines = encode_events(events).splitlines(keepends=True)
    assert [decode_line(line) for line in lines] == events


@settings(deadline=None, max_examples=300)
@given(st.binary() | st.text().map(str.encode) | sayable_events.map(lambda e: encode_events([e])[:-9]))
def test_no_line_whatever_makes_the_reader_raise(line: bytes) -> None:
    assert isinstance(decode_line(line), HealthEvent | Header | Flaw)


def test_a_header_says_how_to_read_and_who_wrote() -> None:
    header = Header(
        journal_schema=SCHEMA_VERSION, pid=4711, instance_id="a1", service_name="prax", started=5.5, predecessor="a0"
    )
    line = encode_header(header)
    assert line.endswith(b"\n")
    assert decode_line(line) == header
    assert is_known(header)
    assert not is_known(Header(journal_schema=SCHEMA_VERSION + 1))
    assert set(json.loads(line)) == {
        "journal_schema",
        "pid",
        "instance_id",
        "service_name",
        "program",
        "started",
        "predecessor",
        "standing",
    }


def test_a_header_restates_what_stands_and_leaves_out_what_cannot_be_said() -> None:
    change = made(3, category=Category.HEALTH_CHANGED, component="llm", extra={"from": "healthy", "to": "error"})
    header = Header(journal_schema=SCHEMA_VERSION, program="p", standing=(change,))
    assert decode_line(encode_header(header)) == header
    assert header.kin == Kin(program="p")
    unsayable = msgspec.structs.replace(header, standing=(made(3, details="\ud800"),))
    assert decode_line(encode_header(unsayable)) == msgspec.structs.replace(header, standing=())


EVENT = '{"category":"retry","severity":"warning","timestamp":1750000000'


@pytest.mark.parametrize(
    ("line", "flaw"),
    [
        (EVENT, Flaw.TORN),
        (EVENT + "}" + EVENT + "}", Flaw.TORN),
        ("\x00\x00", Flaw.TORN),
        ('{"category":"retry","severity":"warning","timestamp":NaN}', Flaw.TORN),
        ("[1, 2]", Flaw.FOREIGN),
        ("null", Flaw.FOREIGN),
        ('"text"', Flaw.FOREIGN),
        ('{"severity":"warning","timestamp":1750000000}', Flaw.FOREIGN),
        ('{"category":"weather","severity":"warning","timestamp":1750000000}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning","timestamp":"noon"}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning","timestamp":null}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning","timestamp":1e999}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning","timestamp":-5}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning","timestamp":1750000000000}', Flaw.FOREIGN),
        ('{"category":"retry","severity":"warning"}', Flaw.FOREIGN),
        ('{"journal_schema":"one"}', Flaw.FOREIGN),
        ('{"level":"info","message":"a log line of somebody else"}', Flaw.FOREIGN),
    ],
)
def test_a_bad_line_is_torn_or_foreign(line: str, flaw: Flaw) -> None:
    assert decode_line(line.encode()) is flaw


def test_nesting_that_goes_on_and_on_is_survived() -> None:
    deep = EVENT + ',"extra":{"x":' + "[" * 100_000 + "]" * 100_000 + "}}"
    assert decode_line(deep.encode()) is Flaw.TORN


@pytest.mark.parametrize("end", ["}", "}\n", "}\r\n", ', "a_later_key": [1]}\n'])
def test_line_ends_and_later_keys_do_not_matter(end: str) -> None:
    event = decode_line((EVENT + end).encode())
    assert isinstance(event, HealthEvent)
    assert event.category == "retry"


class Mute:
    """An object without words."""

    def __str__(self) -> str:
        raise RuntimeError("no words")


ring_of_itself: dict[str, Any] = {}
ring_of_itself["self"] = ring_of_itself


@pytest.mark.parametrize(
    ("extra", "kept"),
    [
        ({"model": "m", "odd": "\ud800"}, {"model": "m"}),
        ({"model": "m", "odd": ring_of_itself}, {"model": "m"}),
        ({"model": "m", "odd": {(1, 2): 3}}, {"model": "m", "odd": {"(1, 2)": 3}}),
        ({"model": "m", "odd": {"\ud800": 3}}, {"model": "m"}),
        ({"model": "m", "odd": "x" * 2_000_000, "n": 3}, {"model": "m", "n": 3}),
        ({"model": "m", "odd": Mute()}, {"model": "m", "odd": "<Mute>"}),
        ({"model": "m", "odd": {1, 2}}, {"model": "m", "odd": [1, 2]}),
        ({"model": "m", "odd": math.nan}, {"model": "m", "odd": None}),
        ({f"key{number}": "x" * 1000 for number in range(100)} | {"n": 2}, None),
    ],
)
def test_what_json_cannot_say_costs_no_more_than_itself(extra: dict[Any, Any], kept: dict[str, Any] | None) -> None:
    lines = encode_events([made(1), made(2, extra=extra, component="c"), made(3)]).splitlines()
    events = [decode_line(line) for line in lines]
    assert events == [made(1), made(2, extra=extra if kept is None else kept, component="c"), made(3)]


def test_of_a_crowd_of_extras_the_first_hundred_are_kept_when_there_is_too_much() -> None:
    crowd: dict[str, Any] = {f"n{number:05}": number for number in range(90_000)}
    (line,) = encode_events([made(1, extra=crowd)]).splitlines()
    event = decode_line(line)
    assert isinstance(event, HealthEvent)
    assert event.extra == {f"n{number:05}": number for number in range(100)}


def test_an_event_that_cannot_be_said_at_all_has_no_line() -> None:
    unsayable = made(2, component="\ud800")
    endless = made(3, component="x" * (LINE_LIMIT + 1))
    assert encode_events([unsayable, endless]) == b""
    lines = encode_events([made(1), unsayable, endless, made(4)]).splitlines()
    assert [decode_line(line) for line in lines] == [made(1), made(4)]


def test_no_events_are_no_lines() -> None:
    assert encode_events([]) == b""


def test_many_big_events_all_keep_what_they_have() -> None:
    events = [made(seq, extra={"payload": "p" * 9_000}) for seq in range(128)]
    assert [decode_line(line) for line in encode_events(events).splitlines()] == events
