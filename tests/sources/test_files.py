# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import base64
import builtins
import gzip
import io
import json
import os
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf.json_format import Parse
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor

from otel_health.dialects.span import Span
from otel_health.errors import DecodeError, MissingExtraError
from otel_health.events.journal_lines import Header, encode_events, encode_header
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent, event
from otel_health.sources.files import files_in, read, read_stream
from otel_health.sources.stats import ReadStats
from otel_health.sources.unpack import open_pieces
from otel_health.testing import make_span, otlp_json
from tests.scenarios import ROOT, Scenario, scenarios

SPANS = [make_span(str(number)) for number in range(3)]
PROTO = b"\x0a\x10\x12\x0e\x12\x0c\x0a\x0ashort ids."
EVENTS = [event(Category.TOOL_ERROR, "search", timestamp=float(second)) for second in (1, 2)]
HEADER = encode_header(Header(journal_schema=SCHEMA_VERSION))
JOURNAL = HEADER + encode_events(EVENTS)


def packed(data: bytes) -> bytes:
    """Gzip without the time, so that the same test has the same name everywhere."""
    return gzip.compress(data, mtime=0)


def from_bytes(data: bytes, stats: ReadStats | None = None) -> list[Span | HealthEvent]:
    return list(read_stream(io.BytesIO(data), "input", stats or ReadStats()))


def pretty(*spans: Span) -> bytes:
    return json.dumps(json.loads(otlp_json(*spans)), indent=2).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"".join(otlp_json(span) for span in SPANS),
        otlp_json(*SPANS),
        pretty(*SPANS),
        b"\xef\xbb\xbf" + otlp_json(*SPANS),
        packed(otlp_json(*SPANS)),
        b"".join(packed(otlp_json(span)) for span in SPANS),
        packed(pretty(*SPANS)),
    ],
    ids=["lines", "line", "pretty", "marked", "gzip", "members", "pretty gzip"],
)
def test_spans_are_read_from_every_layout(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "named.png"
    path.write_bytes(data)
    stats = ReadStats()
    told: list[int] = []
    assert list(read(path, stats, told.append)) == SPANS
    assert (stats.spans, stats.malformed, stats.bytes_read, sum(told)) == (3, 0, len(data), len(data))


@pytest.mark.parametrize("prefixed", [False, True])
def test_protobuf_is_read_gzipped_and_plain(*, prefixed: bool) -> None:
    (scenario,) = (each for each in scenarios("pydantic_ai") if each.name == "healthy")
    text = scenario.raw.splitlines()[0]
    expected = from_bytes(text)
    message = to_proto(text)
    data = len(message).to_bytes(4, "big") + message if prefixed else message
    assert from_bytes(data) == from_bytes(packed(data)) == expected


def to_proto(text: bytes) -> bytes:
    """Return OTLP/JSON as protobuf. The general parser takes the hex of ids for base64, so they are decoded again."""
    data = Parse(text, TracesData())
    for span in (span for group in data.resource_spans for scoped in group.scope_spans for span in scoped.spans):
        span.trace_id, span.span_id, span.parent_span_id = (
            bytes.fromhex(base64.b64encode(raw).decode()) for raw in (span.trace_id, span.span_id, span.parent_span_id)
        )
    return data.SerializeToString()


@pytest.mark.parametrize("pack", [bytes, packed])
def test_events_are_read_from_journals(pack: Any) -> None:
    stats = ReadStats()
    assert from_bytes(pack(JOURNAL), stats) == EVENTS
    assert (stats.events, stats.documents, stats.malformed) == (2, 1, 0)


def test_bad_lines_of_a_journal_are_counted() -> None:
    stats = ReadStats()
    assert from_bytes(JOURNAL + b'{"torn\n{"foreign": 1}\n' + encode_events(EVENTS[:1]), stats) == [*EVENTS, EVENTS[0]]
    assert stats.malformed == 2
    assert stats.first_error == "input: journal lines: 1 torn, 1 foreign"
    assert stats.cut_short == 0


@pytest.mark.parametrize("data", [b"", b"\n\n", b"{}", b"[]", packed(b""), b'{"resourceMetrics":[]}', HEADER])
def test_a_file_with_nothing_in_it_is_no_error(data: bytes) -> None:
    assert from_bytes(data) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"hello", "input: byte 0: found 'hello'; allowed: OTLP/JSON, OTLP/protobuf or a journal, plain or gzipped"),
        (b"\x89PNG\r\n\x1a\n", "input: byte 0: found '\N{REPLACEMENT CHARACTER}PNG\\r\\n\\x1a\\n'; allowed"),
        (b'{"foo": 1}', "input: line 1, byte 0: an object with the keys 'foo', and without 'resourceSpans'; allowed"),
        (b'{"resourceSpans": [\n', "input: byte 20: '{' expected, found the end; allowed"),
        (b'{"resourceSpans": [7]}', "input: line 1, byte 19: '{' expected, found '7]}'; allowed"),
        (PROTO[:4], "input: byte 4: cut short: 1 of 1 bytes are missing; allowed"),
        (b"\x28\xb5\x2f\xfd...", "input: byte 0: found zstd-compressed data, which must be unpacked first"),
        (b"\0\0\1\0\x28\xb5\x2f\xfd...", "input: byte 0: found zstd-compressed data, which must be unpacked first"),
        (packed(packed(b"x")), "input: byte 0: found '\\x1f"),
        (packed(b"x")[:10], "input: byte 10: the gzip ends before its end: it was cut short; allowed"),
        (b"\x1f\x8b\xff\xff", "input: byte 4 or before: damaged gzip"),
    ],
)
def test_bad_input_is_told_in_one_line_with_place_and_what_is_allowed(data: bytes, message: str) -> None:
    with pytest.raises(DecodeError) as caught:
        from_bytes(data)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("allowed:") <= 1


@pytest.mark.parametrize("before", ["", "Hello, how can I help?\n"])
def test_what_the_console_exporter_prints_is_recognised_whatever_was_printed_before_it(before: str) -> None:
    out = io.StringIO(before)
    out.seek(0, io.SEEK_END)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=out)))
    for name in ("one", "two"):
        provider.get_tracer("t").start_span(name).end()
    with pytest.raises(DecodeError) as caught:
        from_bytes(out.getvalue().encode())
    assert str(caught.value) == (
        f"input: byte {len(before)}: what ConsoleSpanExporter prints, which is no OTLP; export by"
        " opentelemetry-exporter-otlp-json-file, or through a Collector to a file;"
        " allowed: OTLP/JSON, OTLP/protobuf or a journal, plain or gzipped"
    )


def test_another_context_is_no_sign_of_the_console_exporter() -> None:
    with pytest.raises(DecodeError, match="an object with the keys 'context', 'name', and without 'resourceSpans'"):
        from_bytes(b'{"context": {"trace_id": "abc"}, "name": "x"}')


def test_a_file_that_cannot_be_opened_is_bad_input(tmp_path: Path) -> None:
    stats = ReadStats()
    with pytest.raises(DecodeError, match="nowhere: cannot be opened: No such file or directory"):
        list(read(tmp_path / "nowhere", stats))
    with pytest.raises(DecodeError, match="cannot be opened: embedded null byte"):
        list(read("a\0b", stats))
    assert stats.malformed == 2


def test_bad_input_after_good_input_is_counted_not_raised() -> None:
    stats = ReadStats()
    assert from_bytes(otlp_json(*SPANS) + b"garbage", stats) == SPANS
    assert from_bytes(packed(otlp_json(*SPANS))[:-4], stats) == SPANS
    assert stats.malformed == 2


LINES = b"".join(otlp_json(span) for span in SPANS)


@pytest.mark.parametrize(
    "data",
    [
        LINES[:-20],
        otlp_json(*SPANS)[:-20],
        pretty(*SPANS)[:-20],
        pretty(*SPANS).rpartition(b"]")[0],
        packed(LINES)[:-4],
        JOURNAL[:-20],
        packed(JOURNAL)[:-20],
        PROTO[:-1],
    ],
    ids=["lines", "line", "pretty", "pretty, whole lines", "gzip", "journal", "gzipped journal", "protobuf"],
)
def test_a_source_that_was_cut_short_is_counted_once(data: bytes) -> None:
    stats = ReadStats()
    with suppress(DecodeError):
        from_bytes(data, stats)
    assert (stats.cut_short, stats.malformed) == (1, 1)


@pytest.mark.parametrize(
    "data",
    [LINES, pretty(*SPANS), packed(LINES), JOURNAL, JOURNAL[:-1], PROTO, b'{"a": [}\n' + LINES],
    ids=["lines", "pretty", "gzip", "journal", "journal without a last line end", "protobuf", "broken"],
)
def test_a_source_that_ends_at_its_end_is_not_cut_short(data: bytes) -> None:
    stats = ReadStats()
    with suppress(DecodeError):
        from_bytes(data, stats)
    assert stats.cut_short == 0


def test_the_error_of_one_file_is_not_told_of_the_next() -> None:
    stats = ReadStats()
    for name in ("first", "second"):
        with pytest.raises(DecodeError, match=f"^{name}: "):
            list(read_stream(io.BytesIO(b"garbage"), name, stats))
    assert stats.first_error.startswith("first: ")


def test_standard_input_is_read_as_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed(otlp_json(*SPANS)))))
    assert list(read("-")) == SPANS
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"garbage")))
    with pytest.raises(DecodeError, match=r"^standard input: "):
        list(read("-"))


def test_a_pipe_is_read_to_its_end() -> None:
    reader, writer = os.pipe()
    with io.FileIO(reader) as stream:
        os.write(writer, otlp_json(SPANS[0]))
        os.write(writer, otlp_json(SPANS[1])[:50])
        os.write(writer, otlp_json(SPANS[1])[50:])
        os.close(writer)
        assert list(read_stream(stream, "pipe", ReadStats())) == SPANS[:2]


def test_a_folder_gives_each_of_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".git").mkdir()
    (tmp_path / "a.jsonl").write_bytes(otlp_json(SPANS[0]))
    (tmp_path / "b" / "inner.gz").write_bytes(packed(otlp_json(SPANS[1])))
    (tmp_path / "c.jsonl").write_bytes(JOURNAL)
    (tmp_path / "package.json").write_text("not ours")
    (tmp_path / ".hidden.json").write_text("not ours")
    (tmp_path / ".git" / "config.json").write_text("not ours")
    stats = ReadStats()
    assert list(read(tmp_path, stats)) == [SPANS[0], SPANS[1], *EVENTS]
    assert stats.malformed == 1
    assert stats.first_error == f"{tmp_path}/package.json: byte 0: found 'not ours'"
    assert [path.name for path in files_in(tmp_path)] == ["a.jsonl", "inner.gz", "c.jsonl", "package.json"]


@pytest.mark.parametrize(
    "name", ["a.json", "a.JSONL", "a.ndjson", "a.pb", "a.json.gz", "a-1.jsonl.3.gz", "a.gz", "a.json.zst"]
)
def test_what_is_named_like_data_is_taken_out_of_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert [path.name for path in files_in(tmp_path)] == [name]


@pytest.mark.parametrize("name", ["README.md", "agent.py", "LICENSE", "notes.txt", "src.tar.gz", "x.json.py", ".json"])
def test_what_is_named_like_anything_else_is_left_in_a_folder(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert files_in(tmp_path) == []


def test_a_folder_in_which_nothing_is_ours_is_bad_input(tmp_path: Path) -> None:
    assert list(read(tmp_path)) == []
    (tmp_path / "package.json").write_text("not ours")
    with pytest.raises(DecodeError, match=r"not one of its files could be read; the last: .*package.json: byte 0"):
        list(read(tmp_path))


def test_every_bundled_capture_is_read() -> None:
    stats = ReadStats()
    assert sum(1 for _ in read(ROOT, stats)) == stats.spans > 1000
    described = [path for path in files_in(ROOT) if not path.name.endswith(".gz")]
    assert stats.malformed == len(described)


@pytest.mark.parametrize("scenario", scenarios("pydantic_ai"), ids=str)
def test_a_capture_cut_anywhere_gives_what_came_before(scenario: Scenario) -> None:
    whole = list(read(scenario.path))
    data = scenario.path.read_bytes()
    for kept in range(18, len(data), 400):
        stats = ReadStats()
        found = []
        try:
            found = from_bytes(data[:kept], stats)
        except DecodeError:
            assert stats.spans == 0
        assert found == whole[: len(found)]
        assert stats.malformed >= 1


def test_protobuf_without_its_extra_says_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    original = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "otel_health.sources" and "otlp_proto" in (rest[2] or ()):
            raise ModuleNotFoundError("No module named 'google'", name="google")
        return original(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"pip install 'otel-health\[otlp\]'"):
        from_bytes(PROTO)


BEGINNINGS = [b"", b"\n", b"{", b'{"a":', b"[{", b"\x0a\x20\x0a", b"\x00\x00\x00\x20\x0a", b"\x1f\x8b\x08\x00"]


@settings(deadline=None, max_examples=150)
@given(st.binary(max_size=200), st.sampled_from(BEGINNINGS))
def test_any_bytes_are_read_or_refused(data: bytes, beginning: bytes) -> None:
    for whole in (beginning + data, packed(beginning + data)):
        stats = ReadStats()
        with suppress(DecodeError):
            assert len(from_bytes(whole, stats)) == stats.spans + stats.events


def giant(spans: int, between: bytes) -> Iterator[bytes]:
    """Yield the pieces of one document with `spans` spans of about a kilobyte each."""
    yield b'{"resourceSpans": [{"scopeSpans": [{"scope": {"name": "s"}, "spans": ['
    text = b'{"key": "text", "value": {"stringValue": "%b"}}' % (b"x" * 900)
    for number in range(1, spans + 1):
        yield b'{"traceId": "%032x", "spanId": "%016x", "attributes": [%b]}' % (number, number, text)
        yield between if number < spans else b"]}]}]}"


@pytest.mark.slow
@pytest.mark.parametrize("between", [b", ", b",\n  "], ids=["one line", "many lines"])
def test_a_document_of_any_size_takes_little_memory(between: bytes) -> None:
    stats = ReadStats()
    tracemalloc.start()
    found = sum(1 for _ in read_stream(open_pieces(giant(140_000, between)), "giant", stats))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == 140_000
    assert stats.malformed == 0
    assert stats.bytes_read > 128 * 1024 * 1024
    assert peak_bytes < 32 * 1024 * 1024
