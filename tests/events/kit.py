# SPDX-License-Identifier: Apache-2.0
"""Events, journals and patience for the tests of this room."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import UNSET

from otel_health.clock import Clock, SystemClock
from otel_health.events.journal import Journal
from otel_health.events.journal_config import JournalConfig
from otel_health.events.journal_lines import Header, encode_header
from otel_health.events.journal_reader import read_events
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent, Severity
from otel_health.events.segments import segment_name

NOON_S = 1_750_000_000.0
"""When the events of these tests happen, unless they say otherwise."""


def made(seq: int = 0, *, at: float = NOON_S, category: Category = Category.TOOL_ERROR, **fields: Any) -> HealthEvent:
    """Make an event that its `seq` tells from others."""
    fields.setdefault("severity", Severity.WARNING)
    return HealthEvent(category=category, timestamp=at, seq=seq, **fields)


def journal(
    folder: Path,
    *,
    clock: Clock | None = None,
    write: Callable[[int, bytes], int] = os.write,
    service: str = "prax",
    **settings: Any,
) -> Journal:
    """Make a journal in `folder`."""
    config = JournalConfig(path=folder, **settings)
    return Journal(config, clock=clock or SystemClock(), service_name=service, write=write)


def left_behind(folder: Path, *events: HealthEvent, **settings: Any) -> str:
    """Let a process record `events` and end; return its instance id."""
    dead = journal(folder, **settings)
    for event in events:
        dead.record(event)
    assert dead.close()
    return dead.instance_id


def changed(to: str, *, at: float = NOON_S, component: str = "llm", **fields: Any) -> HealthEvent:
    """Make a change of status to `to`: "healthy", "warning" or "error"."""
    severity = Severity.INFO if to == "healthy" else Severity(to)
    extra = {"from": "healthy" if to != "healthy" else "error", "to": to}
    return made(at=at, category=Category.HEALTH_CHANGED, severity=severity, component=component, extra=extra, **fields)


def seqs(path: Path, **question: Any) -> list[object]:
    """Return the `seq` of all events in a journal, in the order read."""
    return [event.seq for event in read_events(path, **question)]


def segment_bytes(*lines: bytes, **header: Any) -> bytes:
    """Put a segment together: a header and whatever follows."""
    return encode_header(Header(journal_schema=SCHEMA_VERSION, **header)) + b"".join(lines)


def segment_at(folder: Path, content: bytes, *, started: float = NOON_S, number: int = 1, pid: int = 1) -> Path:
    """Put `content` into a segment that nobody holds, last written at `started`."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / segment_name(started, pid, "dead0001", number)
    path.write_bytes(content)
    os.utime(path, (started, started))
    return path


def eventually(condition: Callable[[], bool], timeout_s: float = 20.0) -> bool:
    """Wait, looking every few milliseconds, until `condition` holds; False when it never does."""
    pause = threading.Event()
    for _ in range(int(timeout_s / 0.01)):
        if condition():
            return True
        pause.wait(0.01)
    return condition()


_texts = st.text(max_size=40).filter(lambda text: not any("\ud800" <= char <= "\udfff" for char in text))
_numbers = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
_json = st.recursive(
    _numbers | _texts, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3)
)
_known = st.just(UNSET) | _texts

sayable_events = st.builds(
    HealthEvent,
    category=st.sampled_from(Category),
    severity=st.sampled_from(Severity),
    component=_texts,
    details=_texts,
    timestamp=st.floats(1e-3, 4e9),
    latency_ms=st.none() | st.floats(0, 1e12),
    tokens=st.none() | st.integers(0, 2**63 - 1),
    extra=st.dictionaries(_texts, _json, max_size=4),
    trace_id=_known,
    span_id=_known,
    agent=_known,
    session=_known,
    seq=st.just(UNSET) | st.integers(0, 2**63 - 1),
)
"""Every event that JSON can say."""


def line_of(event: HealthEvent) -> bytes:
    """Return the event's line as any JSON writer would write it."""
    return msgspec.json.encode(event) + b"\n"
