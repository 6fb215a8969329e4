# SPDX-License-Identifier: Apache-2.0
"""Read what lies in files: OTLP/JSON, OTLP/protobuf and journals, plain or gzipped, of any size.

What a file is, is told by its content. Reading streams: spans come out while bytes go in, and memory holds about one
line or one span. Damage costs what is damaged: it is counted, and the rest is read.
"""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from otel_health.dialects.span import Span
from otel_health.errors import DecodeError, MissingExtraError
from otel_health.events import journal_reader
from otel_health.events.model import HealthEvent
from otel_health.sources import otlp_json
from otel_health.sources.proto_cursor import Framing
from otel_health.sources.sniff import HEAD_BYTES, Format, sniff
from otel_health.sources.stats import ReadStats, quoted
from otel_health.sources.unpack import GZIP_MAGIC, OnBytes, gunzip, open_pieces, pieces_of

Items = Iterator[Span | HealthEvent]

ALLOWED = "OTLP/JSON, OTLP/protobuf or a journal, plain or gzipped"
"""What a file may hold, for messages."""

_DATA_NAME = re.compile(
    r".+\.(?:jsonl?|ndjson|pb|binpb|bin|otlp)(?:\.\d+)?(?:\.(?:gz|zst))?|[^.]+\.(?:gz|zst)", re.IGNORECASE
)
"""What captures and journals are called, a rotated one by its number."""

_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_WITHIN = 8  # the Collector may write the length before it
_FRAMING = {
    Format.PROTO: Framing.NONE,
    Format.PROTO_VARINT: Framing.VARINT,
    Format.PROTO_FIXED32: Framing.FIXED32,
}
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read(path: str | Path, stats: ReadStats | None = None, on_bytes: OnBytes | None = None) -> Items:
    """Yield the spans of captures and the events of journals, in the order in which they stand.

    Args:
        path: A file, `-` for standard input, or a folder: then all in it that `files_in` finds, in the order of their
            names; a folder of journal segments thus reads from the oldest on.
        stats: Filled while reading.
        on_bytes: Told of bytes as they are read, for a progress bar; they are those on disk, before unpacking.

    Raises:
        DecodeError: the file cannot be opened, is no such format, or nothing in it made sense. Of a folder, only if
            that is so of all its files. An empty file is no error.
        MissingExtraError: the file is protobuf and the extra `otlp` is not installed.
    """
    stats = stats or ReadStats()
    if str(path) == "-":
        return read_stream(sys.stdin.buffer, "standard input", stats, on_bytes)
    return _read_path(Path(path), stats, on_bytes)


def files_in(folder: Path) -> list[Path]:
    """Return the files below `folder` that are named like data (`.json`, `.jsonl`, `.pb`, gzipped or not ...), sorted.

    Hidden ones, and what lies in hidden folders, are left out.
    """
    found = (path for path in folder.rglob("*") if _DATA_NAME.fullmatch(path.name) and path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def read_stream(stream: BinaryIO, name: str, stats: ReadStats, on_bytes: OnBytes | None = None) -> Items:
    """Yield what an open stream holds; `name` stands for it in messages. Else as `read`.

    Raises:
        DecodeError: as of `read`.
        MissingExtraError: as of `read`.
    """
    stats.begin(name)
    understood = stats.understood
    head, pieces = _look_ahead(pieces_of(stream, stats, on_bytes))
    if head.startswith(GZIP_MAGIC):
        head, pieces = _look_ahead(gunzip(pieces, stats))
    if head and not head.isspace():
        yield from _read_format(head, pieces, stats)
    if stats.source_error and stats.understood == understood:
        raise DecodeError(f"{stats.source_error}; allowed: {ALLOWED}")


def _read_path(path: Path, stats: ReadStats, on_bytes: OnBytes | None) -> Items:
    try:
        file = path.open("rb", buffering=0)
    except IsADirectoryError:
        yield from _read_folder(path, stats, on_bytes)
        return
    except (OSError, ValueError) as error:
        stats.begin(str(path))
        stats.reject("cannot be opened", getattr(error, "strerror", None) or str(error))
        raise DecodeError(stats.source_error) from None
    with file:
        yield from read_stream(file, str(path), stats, on_bytes)


def _read_folder(folder: Path, stats: ReadStats, on_bytes: OnBytes | None) -> Items:
    understood = stats.understood
    malformed = stats.malformed
    for path in files_in(folder):
        with suppress(DecodeError):  # it was counted
            yield from _read_path(path, stats, on_bytes)
    if stats.malformed > malformed and stats.understood == understood:
        raise DecodeError(
            f"{folder}: not one of its files could be read; the last: {stats.source_error}; allowed: {ALLOWED}"
        )


def _look_ahead(pieces: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the beginning of `pieces`, enough to tell the format, and all of them (but for a byte order mark)."""
    pieces = iter(pieces)
    head = b""
    while len(head) < HEAD_BYTES and (piece := next(pieces, b"")):
        head += piece
    head = head.removeprefix(_BYTE_ORDER_MARK)
    return head, itertools.chain([head] if head else [], pieces)


def _read_format(head: bytes, pieces: Iterator[bytes], stats: ReadStats) -> Items:
    match sniff(head):
        case Format.JSON_LINES:
            yield from otlp_json.read_lines(open_pieces(pieces), stats)
        case Format.JSON_DOCUMENTS:
            yield from otlp_json.read_documents(pieces, stats)
        case Format.JOURNAL:
            yield from _read_journal(open_pieces(pieces), stats)
        case None if _ZSTD_MAGIC in head[:_ZSTD_WITHIN]:
            stats.reject("byte 0", "found zstd-compressed data, which must be unpacked first (zstd -d)")
        case None:
            stats.reject("byte 0", f"found {quoted(head)}")
        case proto:
            yield from _read_proto(proto, open_pieces(pieces), stats)


def _read_proto(layout: Format, stream: BufferedReader, stats: ReadStats) -> Iterator[Span]:
    try:
        from otel_health.sources import otlp_proto  # noqa: PLC0415 - optional, and heavy to import
    except ModuleNotFoundError as error:
        raise MissingExtraError("reading OTLP/protobuf needs an extra: pip install 'otel-health[otlp]'") from error
    yield from otlp_proto.read(stream, stats, _FRAMING[layout])


def _read_journal(stream: BufferedReader, stats: ReadStats) -> Iterator[HealthEvent]:
    tally = journal_reader.ReadTally()
    stats.documents += 1
    for event in journal_reader.read_stream(stream, tally):
        stats.events += 1
        yield event
    if tally.cut_short:
        stats.reject("last line", "cut short", cut_short=True)
    if torn_or_foreign := tally.skipped - tally.cut_short:
        what = f"{tally.torn - tally.cut_short} torn, {tally.foreign} foreign"
        stats.reject("journal lines", what, times=torn_or_foreign)
