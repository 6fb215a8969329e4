# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from otel_health.cli import NO_VERDICT, main
from otel_health.cli.events import _times
from otel_health.clock import SystemClock
from otel_health.events.journal_lines import Header, encode_events, encode_header
from otel_health.events.model import SCHEMA_VERSION, Category, HealthEvent, Severity, event
from otel_health.events.segments import segment_name
from otel_health.testing import EPOCH_S

Capsys = pytest.CaptureFixture[str]
NOW = SystemClock().wall()


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    folder = tmp_path / "journal"
    folder.mkdir()
    _write(
        folder,
        event(Category.TOOL_SUCCESS, "add", timestamp=NOW - 7200, latency_ms=4),
        event(Category.TOOL_ERROR, "search", timestamp=NOW - 30, details="ValueError: [red]no", latency_ms=1500),
        event(Category.LLM_ERROR, "openai", timestamp=NOW - 20),
        event(Category.TOOL_ERROR, "search", timestamp=NOW - 10),
    )
    return folder


def _write(folder: Path, *events: HealthEvent, tail: bytes = b"") -> None:
    segment = folder / segment_name(NOW, 1, "instance", 1)
    header = encode_header(Header(journal_schema=SCHEMA_VERSION, started=NOW))
    segment.write_bytes(header + encode_events(list(events)) + tail)


def _found(capsys: Capsys) -> list[tuple[str, str]]:
    return [(one["category"], one["component"]) for one in json.loads(capsys.readouterr().out)["events"]]


def test_the_newest_come_first_and_old_ones_not_at_all(journal: Path, capsys: Capsys) -> None:
    assert main(["events", "--path", str(journal), "--format", "json"]) == 0
    assert _found(capsys) == [("tool_error", "search"), ("llm_error", "openai"), ("tool_error", "search")]


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--minutes", "180"], 4),
        (["--category", "tool_error"], 2),
        (["--severity", "error"], 1),
        (["--limit", "1"], 1),
        (["--category", "llm_error", "--severity", "warning"], 0),
    ],
)
def test_each_filter_filters(journal: Path, capsys: Capsys, arguments: list[str], count: int) -> None:
    assert main(["events", "--path", str(journal), "--format", "json", *arguments]) == 0
    assert len(_found(capsys)) == count


def test_people_get_a_line_for_each(journal: Path, capsys: Capsys) -> None:
    assert main(["events", "--path", str(journal), "--category", "tool_error"]) == 0
    head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["time", "(UTC)", "severity", "category", "component", "took", "details"]
    assert re.match(r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d +warning +tool_error +search", first)
    assert "1.5 s  ValueError: [red]no" in second


def test_the_day_is_told_of_all_where_one_is_not_of_today(tmp_path: Path, capsys: Capsys) -> None:
    day_s = 86_400
    _write(tmp_path, *(event(Category.RETRY, "bot", timestamp=NOW - age_s) for age_s in (0, 2 * day_s)))
    assert main(["events", "--path", str(tmp_path), "--minutes", str(4 * 1440)]) == 0
    _, *rows = capsys.readouterr().out.splitlines()
    assert [bool(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  warning", row)) for row in rows] == [True, True]


def test_the_day_is_left_out_where_all_is_of_today() -> None:
    found = [event(Category.RETRY, "bot", timestamp=EPOCH_S + second) for second in (0, 1)]
    assert _times(found, EPOCH_S + 60) == ["15:06:40", "15:06:41"]
    assert _times(found, EPOCH_S + 86_400) == ["2025-06-15 15:06:40", "2025-06-15 15:06:41"]


def test_the_table_fits_eighty_columns(journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _write(journal, event(Category.CONTEXT_COMPACTION, "n" * 60, timestamp=NOW, details="d" * 200, latency_ms=61_234))
    assert main(["events", "--path", str(journal)]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert len(row) == 80
    assert "context_compaction" in row
    assert head.split()[-1] == "details"


def test_nothing_found_is_said(journal: Path, capsys: Capsys) -> None:
    assert main(["events", "--path", str(journal), "--category", "retry"]) == 0
    assert capsys.readouterr().out.startswith("no such event within 60 minutes in ")


def test_the_configured_journal_is_the_default(journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("OTEL_HEALTH_JOURNAL__PATH", str(journal))
    assert main(["events", "--format", "json"]) == 0
    assert len(_found(capsys)) == 3


@pytest.mark.parametrize("folder", ["none", "."])
def test_no_journal_is_one_line_and_no_verdict(tmp_path: Path, capsys: Capsys, folder: str) -> None:
    (tmp_path / "notes.jsonl").write_text("not ours")
    assert main(["events", "--path", str(tmp_path / folder)]) == NO_VERDICT
    assert capsys.readouterr() == (
        "",
        f"otel-health: no journal in {tmp_path / folder}; name a journal's folder, or one file of it, with --path\n",
    )


def test_damage_is_said_and_costs_no_neighbour(journal: Path, capsys: Capsys) -> None:
    _write(journal, event(Category.RETRY, "bot", timestamp=NOW, severity=Severity.WARNING), tail=b'{"torn\n{"a":1}\n')
    assert main(["events", "--path", str(journal), "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert len(json.loads(out)["events"]) == 1
    assert "skipped 1 torn and 1 foreign lines, 0 unreadable segments" in err
