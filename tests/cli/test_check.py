# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from otel_health.cli import NO_VERDICT, main
from otel_health.events.journal_lines import encode_events
from otel_health.events.model import Category, event
from otel_health.testing import EPOCH_S, make_span, otlp_json
from tests.house.tree import ROOT

ILL = str(ROOT / "examples" / "captures" / "ill-agent.jsonl.gz")
Capsys = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OTEL_HEALTH_CONFIG", raising=False)
    monkeypatch.setenv("COLUMNS", "100")


def _tool_calls(failed: int, ok: int, start_s: float = EPOCH_S) -> bytes:
    operation = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    errors = ["boom"] * failed + [None] * ok
    return otlp_json(
        *(
            make_span("execute_tool search", operation, error=error, start_s=start_s + i)
            for i, error in enumerate(errors)
        )
    )


def _file(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    return str(path)


def _json(capsys: Capsys) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(capsys.readouterr().out)
    return report


@pytest.mark.parametrize(("failed", "code", "overall"), [(0, 0, "healthy"), (2, 1, "degraded")])
def test_the_exit_code_is_the_verdict(tmp_path: Path, capsys: Capsys, failed: int, code: int, overall: str) -> None:
    assert main(["check", "--format", "json", _file(tmp_path / "a.jsonl", _tool_calls(failed, 8))]) == code
    report = _json(capsys)
    assert report["check"]["overall"] == overall
    assert (report["stats"]["tool_calls"], report["stats"]["tool_errors"]) == (8 + failed, failed)


def test_the_bundled_agent_is_really_ill(capsys: Capsys) -> None:
    assert main(["check", ILL]) == 2
    text = capsys.readouterr().out
    assert "UNHEALTHY   12 turns in the 60 minutes up to 2026-11-30 07:55:51 UTC" in text
    assert "LLM Provider        error" in text
    assert "openai x 4" in text
    assert "\x1b" not in text


def test_several_files_are_judged_together(tmp_path: Path, capsys: Capsys) -> None:
    first = _file(tmp_path / "a.jsonl", _tool_calls(1, 3))
    second = _file(tmp_path / "b.jsonl.gz", gzip.compress(_tool_calls(1, 3)))
    assert main(["check", "--format", "json", first, second]) == 1
    assert _json(capsys)["stats"]["tool_calls"] == 8


def test_a_journal_is_judged_as_spans_are(tmp_path: Path, capsys: Capsys) -> None:
    events = [event(Category.TOOL_ERROR, "search", timestamp=EPOCH_S + i) for i in range(6)]
    assert main(["check", "--format", "json", _file(tmp_path / "j.jsonl", encode_events(events))]) == 1
    assert _json(capsys)["stats"]["tool_errors"] == 6


def test_standard_input_is_a_dash(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(_tool_calls(0, 5))))
    assert main(["check", "--format", "json", "-"]) == 0
    assert _json(capsys)["stats"]["tool_calls"] == 5


def test_the_window_ends_at_the_last_event(tmp_path: Path, capsys: Capsys) -> None:
    old, new = _tool_calls(5, 0), _tool_calls(0, 5, EPOCH_S + 1200)
    file = _file(tmp_path / "a.jsonl", old + new)
    assert main(["check", "--window", "10", "--format", "json", file]) == 0
    report = _json(capsys)
    assert (report["stats"]["tool_calls"], report["window_minutes"]) == (5, 10)
    assert [change["to"] for change in report["changes"]] == ["warning", "healthy"]


def test_thresholds_come_from_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("OTEL_HEALTH_CHECKS__TOOLS__ERROR", "0.5")
    assert main(["check", "--format", "json", _file(tmp_path / "a.jsonl", _tool_calls(5, 5))]) == 2
    assert _json(capsys)["check"]["subsystems"]["tools"]["threshold"] == 0.5


@pytest.mark.parametrize("content", [b'{"resourceSpans":[]}\n', b'{"resourceMetrics":[]}\n'])
def test_no_evidence_is_no_verdict(tmp_path: Path, capsys: Capsys, content: bytes) -> None:
    assert main(["check", _file(tmp_path / "a.jsonl", content)]) == NO_VERDICT
    assert capsys.readouterr() == (" NO EVIDENCE   nothing happened\n", "")


def test_spans_of_others_are_counted_and_their_explanation_is_offered(tmp_path: Path, capsys: Capsys) -> None:
    file = _file(tmp_path / "web.jsonl", otlp_json(make_span("GET /"), make_span("SELECT")))
    assert main(["check", file]) == NO_VERDICT
    said = "2 spans read, none from an agent"
    assert capsys.readouterr() == (f" NO EVIDENCE   {said}; --explain shows what they are\n", "")
    assert main(["check", "--explain", file]) == NO_VERDICT
    assert capsys.readouterr().out.endswith(f"not about an agent\n\n NO EVIDENCE   {said}\n")
    assert main(["check", "--format", "json", file]) == NO_VERDICT
    assert _json(capsys)["self"]["spans_read"] == 2


@pytest.mark.parametrize("content", [b"", b"\n", gzip.compress(b"")], ids=["empty", "blank", "gzip"])
def test_an_empty_file_is_one_line_and_no_evidence(tmp_path: Path, capsys: Capsys, content: bytes) -> None:
    empty = _file(tmp_path / "empty.jsonl", content)
    assert main(["check", empty]) == NO_VERDICT
    assert capsys.readouterr() == ("", f"otel-health: {empty} is empty\n")
    assert main(["check", empty, _file(tmp_path / "good.jsonl", _tool_calls(0, 5))]) == 0
    assert capsys.readouterr().err == f"otel-health: {empty} is empty\n"


def test_nothing_on_standard_input_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO()))
    assert main(["check", "-"]) == NO_VERDICT
    assert capsys.readouterr() == ("", "otel-health: standard input is empty\n")


def test_where_nothing_could_be_read_only_that_is_said(tmp_path: Path, capsys: Capsys) -> None:
    noise = _file(tmp_path / "noise.txt", b"what is this?\n")
    assert main(["check", noise, str(tmp_path / "missing")]) == NO_VERDICT
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 2)
    assert main(["check", "--format", "json", noise]) == NO_VERDICT
    report = _json(capsys)
    assert report["stats"]["total_events"] == 0
    assert report["self"]["sources_unreadable"] == 1


def test_a_folder_gives_only_what_is_named_like_data(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "README.md").write_text("# Hello")
    assert main(["check", str(tmp_path)]) == NO_VERDICT
    assert capsys.readouterr().err == (
        f"otel-health: {tmp_path} holds no file that is named like data (.json, .jsonl, .pb ..., gzipped or not)\n"
    )
    _file(tmp_path / "a.jsonl", _tool_calls(0, 5))
    assert main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def test_bad_input_is_one_line_each_and_the_rest_is_judged(tmp_path: Path, capsys: Capsys) -> None:
    good = _file(tmp_path / "good.jsonl", _tool_calls(0, 5))
    noise = _file(tmp_path / "noise.txt", b"what is this?\n")
    missing = str(tmp_path / "missing.jsonl")
    assert main(["check", "--format", "json", missing, good, noise]) == NO_VERDICT
    out, err = capsys.readouterr()
    assert json.loads(out)["stats"]["tool_calls"] == 5
    first, second = err.splitlines()
    assert first == f"otel-health: {missing}: cannot be opened: No such file or directory"
    assert second.startswith(f"otel-health: {noise}: ")
    assert "allowed: OTLP/JSON" in second


def test_a_broken_line_is_said_and_costs_no_verdict(tmp_path: Path, capsys: Capsys) -> None:
    file = _file(tmp_path / "a.jsonl", _tool_calls(0, 5) + b'{"resourceSpans": [{]}\n')
    assert main(["check", "--format", "json", file]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["stats"]["tool_calls"] == 5
    assert err.startswith("otel-health: 1 place made no sense and was passed over; the first: ")
    assert err.count("\n") == 1


@pytest.fixture
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")


def _torn_journal() -> bytes:
    return encode_events([event(Category.TOOL_SUCCESS, "search", timestamp=EPOCH_S + i) for i in range(6)])[:-9]


@pytest.mark.usefixtures("_wide")
@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("head.jsonl", gzip.decompress(Path(ILL).read_bytes())[:9000], "line 1, byte 7870: a value is cut short"),
        ("cut.gz", Path(ILL).read_bytes()[:3000], "byte 3000: the gzip ends before its end: it was cut short"),
        ("journal.jsonl", _torn_journal(), "last line: cut short"),
    ],
    ids=["head", "gzip", "journal"],
)
def test_what_was_cut_short_stands_in_the_report_and_costs_no_verdict(
    tmp_path: Path, capsys: Capsys, name: str, content: bytes, place: str
) -> None:
    file = _file(tmp_path / name, content)
    assert main(["check", file]) == 0
    out, err = capsys.readouterr()
    told = " ".join(out.split())
    assert f"malformed places 1, the first: {file}: {place}" in told.partition("Not understood, or lost")[2]
    assert "sources cut short 1" in told
    assert err == ""
    assert main(["check", "--format", "json", file]) == 0
    out, err = capsys.readouterr()
    own = json.loads(out)["self"]
    assert (own["malformed_places"], own["sources_cut_short"], own["sources_unreadable"]) == (1, 1, 0)
    assert err.startswith(f"otel-health: 1 place made no sense and was passed over; the first: {file}: {place}")


def test_each_file_alone_is_a_line_of_json_and_the_worst_decides(tmp_path: Path, capsys: Capsys) -> None:
    well, ill = _file(tmp_path / "well", _tool_calls(0, 5)), _file(tmp_path / "ill", _tool_calls(5, 5))
    assert main(["check", "--per-file", well, ill]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["file"], row["check"]["overall"]) for row in rows] == [(well, "healthy"), (ill, "degraded")]
    assert all(set(row) == {"file", "check", "stats"} for row in rows)


def test_an_empty_file_alone_is_a_row_of_zeros(tmp_path: Path, capsys: Capsys) -> None:
    assert main(["check", "--per-file", "--format", "json", _file(tmp_path / "empty", b"")]) == NO_VERDICT
    stats = _json(capsys)["stats"]
    assert {key: value for key, value in stats.items() if value} == {"window_minutes": 60}


def test_a_file_that_cannot_be_read_has_a_row_that_says_why(tmp_path: Path, capsys: Capsys) -> None:
    missing = str(tmp_path / "missing")
    assert main(["check", "--per-file", missing, ILL]) == NO_VERDICT
    out, err = capsys.readouterr()
    first, second = [json.loads(line) for line in out.splitlines()]
    assert first == {"file": missing, "error": f"{missing}: cannot be opened: No such file or directory"}
    assert second["file"] == ILL
    assert err == f"otel-health: {first['error']}\n"


def test_a_file_of_which_something_was_lost_says_so_in_its_row(tmp_path: Path, capsys: Capsys) -> None:
    assert main(["check", "--per-file", _file(tmp_path / "a.jsonl", _tool_calls(0, 5) + b'{"resourceSpans')]) == 0
    out, err = capsys.readouterr()
    row = json.loads(out)
    assert set(row) == {"file", "check", "stats", "self"}
    assert (row["self"]["malformed_places"], row["self"]["sources_cut_short"]) == (1, 1)
    assert "1 place made no sense" in err


def test_a_folder_has_a_row_for_each_of_its_files(tmp_path: Path, capsys: Capsys) -> None:
    (tmp_path / "README.md").write_text("# Hello")
    assert main(["check", "--per-file", str(tmp_path)]) == NO_VERDICT
    assert capsys.readouterr() == ("", "otel-health: there is no file named like data in what was named\n")
    files = [_file(tmp_path / name, _tool_calls(0, 5)) for name in ("a.jsonl", "b.jsonl")]
    assert main(["check", "--per-file", str(tmp_path)]) == 0
    assert [json.loads(line)["file"] for line in capsys.readouterr().out.splitlines()] == files


def test_each_file_alone_is_a_line_of_text_where_that_is_asked_for(tmp_path: Path, capsys: Capsys) -> None:
    well, ill = _file(tmp_path / "well", _tool_calls(0, 5)), _file(tmp_path / "ill", _tool_calls(5, 5))
    missing = str(tmp_path / "missing")
    assert main(["check", "--per-file", "--format", "text", well, ill, missing]) == NO_VERDICT
    assert capsys.readouterr().out == (
        f"HEALTHY      {well}  0 turns\n"
        f"DEGRADED     {ill}  5/10 tool calls failed (50% error rate)\n"
        f"UNREADABLE   {missing}\n"
    )


def test_every_span_is_explained_in_words(capsys: Capsys) -> None:
    assert main(["check", "--explain", ILL]) == 2
    text = capsys.readouterr().out
    assert (
        "execute_tool boom  tool error (ValueError) → tool_error\n               pydantic_ai, scope pydantic-ai: "
        in text
    )
    assert "  chat gpt-4o-mini  llm timeout (ModelTimeoutError, provider's fault) → llm_error\n" in text
    assert text.count("\ntrace ") == 11  # of twelve, as the first has no line before it
    assert text.index("UNHEALTHY") > text.index("execute_tool boom")


def test_every_span_is_explained_to_programs_before_the_report(tmp_path: Path, capsys: Capsys) -> None:
    file = _file(tmp_path / "a.jsonl", _tool_calls(1, 2))
    assert main(["check", "--explain", "--format", "json", file]) == 0
    *explained, report = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert sorted(one["counted_as"] for one in explained) == ["tool_error", "tool_success", "tool_success"]
    assert all(one["why"] for one in explained)
    assert {"error_type", "fault", "reason"} <= set(explained[0])
    assert report["stats"]["tool_calls"] == 3
