# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from otel_health.sources.stats import ReadStats, quoted


def test_only_the_first_error_is_kept_but_all_are_counted() -> None:
    stats = ReadStats()
    stats.begin("a.jsonl")
    stats.reject("line 3", "no JSON")
    stats.reject("line 9", "no JSON either", times=4)
    assert stats.malformed == 5
    assert stats.first_error == stats.source_error == "a.jsonl: line 3: no JSON"


def test_each_source_has_its_own_first_error() -> None:
    stats = ReadStats()
    stats.begin("a")
    stats.reject("byte 1", "x")
    stats.begin("b")
    assert stats.source_error == ""
    stats.reject("byte 2", "y")
    assert (stats.first_error, stats.source_error) == ("a: byte 1: x", "b: byte 2: y")


def test_an_error_without_a_source_begins_with_its_place() -> None:
    stats = ReadStats()
    stats.reject("byte 1", "x")
    assert stats.source_error == "byte 1: x"


def test_a_source_ends_once_however_many_layers_notice() -> None:
    stats = ReadStats()
    for source in ("a", "b"):
        stats.begin(source)
        stats.reject("byte 9", "the gzip ends", cut_short=True)
        stats.reject("line 2", "a value is cut short", cut_short=True)
        stats.reject("line 1", "no JSON")
    assert (stats.cut_short, stats.malformed) == (2, 4)


def test_a_quotation_is_one_short_printable_line() -> None:
    assert quoted(b"ab\n\xff") == "'ab\\n\N{REPLACEMENT CHARACTER}'"
    assert len(quoted(b"a" * 1000)) == 43
