# SPDX-License-Identifier: Apache-2.0
"""Documents that cannot lie: their programs run, their commands exist, their links lead somewhere, nothing is stale."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from docs.generate import NOT_YET, pages
from docs.generate import main as generate
from otel_health.cli import main
from otel_health.cli.app import app
from otel_health.cli.console import PLAIN_WIDTH
from otel_health.config import load
from otel_health.events.model import Category, HealthEvent
from tests.house.tree import ROOT, relative, text

PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("[!.]*/README.md"),
        *(ROOT / "examples").rglob("*.md"),
    ]
)
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
MAKE_TARGETS = set(re.findall(r"^(\w[\w-]*):", text(ROOT / "Makefile"), re.MULTILINE))
OTHERS = {"export", "git", "cd", "python3", "."}


def _blocks(path: Path, *languages: str) -> Iterator[str]:
    for indent, language, body in BLOCK.findall(text(path)):
        if language in languages:
            yield "\n".join(line.removeprefix(indent) for line in body.splitlines()) + "\n"


def _commands() -> Iterator[tuple[str, list[str]]]:
    for path in PAGES:
        for block in _blocks(path, "sh"):
            for line in block.splitlines():
                yield relative(path), shlex.split(line, comments=True)


COMMANDS = [(place, command) for place, command in _commands() if command]


def _documents_with(language: str) -> list[Path]:
    return [path for path in PAGES if any(True for _ in _blocks(path, language))]


@pytest.mark.parametrize("path", _documents_with("python"), ids=relative)
def test_python_programs_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for block in _blocks(path, "python"):
        _run_program(block, path)


def _run_program(block: str, path: Path) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(block, relative(path), "exec"), names)
    return names


def test_the_exporter_shown_writes_a_file_that_is_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "getting-started.md"
    (block,) = (block for block in _blocks(page, "python") if "FileSpanExporter" in block)
    for _ in range(2):  # each run appends
        provider = _run_program(block, page)["provider"]
        attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "bot"}
        provider.get_tracer("t").start_span("invoke_agent bot", attributes=attributes).end()
        provider.shutdown()
    assert main(["check", "--format", "json", "traces.jsonl"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["stats"]["turns_completed"] == 2


def test_the_journal_written_by_hand_is_shown_and_judged_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "events-and-journal.md"
    (block,) = _blocks(page, "python")
    _run_program(block, page)
    assert capsys.readouterr().out.startswith("unhealthy ## Health Advisory")
    (shown,) = (block for block in _blocks(page, "sh") if "--path journal" in block)
    results = [(main(shlex.split(line)[1:]), capsys.readouterr().out) for line in shown.splitlines()]
    (events_code, events), (check_code, report) = results
    assert (events_code, events.count("llm_error"), events.count("health_changed")) == (0, 3, 1)
    assert check_code == 2
    assert "3 LLM errors by the provider" in report


@pytest.mark.parametrize("path", _documents_with("yaml"), ids=relative)
def test_yaml_examples_are_valid_settings_or_a_collector_that_writes_a_file(path: Path, tmp_path: Path) -> None:
    for number, block in enumerate(_blocks(path, "yaml")):
        tree = yaml.safe_load(block)
        if "service" in tree:
            assert tree["service"]["pipelines"]["traces"] == {
                key: list(tree[key]) for key in ("receivers", "exporters")
            }
            assert tree["exporters"]["file"].get("format", "json") == "json"
            continue
        file = tmp_path / f"{number}.yaml"
        file.write_text(block, encoding="utf-8")
        assert tree
        load({"OTEL_HEALTH_CONFIG": str(file), "HOME": "/"})


def test_json_examples_are_events() -> None:
    examples = [block for path in PAGES for block in _blocks(path, "json")]
    assert [msgspec.json.decode(example, type=HealthEvent).component for example in examples]


@pytest.mark.parametrize(
    ("place", "command"), COMMANDS, ids=[f"{place}: {shlex.join(line)}" for place, line in COMMANDS]
)
def test_commands_exist(place: str, command: list[str], tmp_path: Path) -> None:
    program, *arguments = command
    match program:
        case "make":
            assert {argument for argument in arguments if "=" not in argument} <= MAKE_TARGETS
        case "otel-health":
            _parse(arguments)
        case "pip":
            assert arguments[0] == "install"
            assert re.fullmatch(r"(otel-health|\.)(\[(all|cli|otlp)(,(all|cli|otlp))*\])?", arguments[1])
        case ".venv/bin/pytest":
            assert all((ROOT / argument).is_dir() for argument in arguments)
        case _:
            assert program in OTHERS, place


def _parse(arguments: list[str]) -> None:
    """Parse without running: click refuses unknown verbs, options and values."""
    with app.make_context("otel-health", list(arguments)) as group:
        _, verb, rest = app.resolve_command(group, [*group._protected_args, *group.args])
        assert verb is not None
        verb.make_context(verb.name, rest, parent=group)


def test_exported_settings_are_settings() -> None:
    said = dict(one.split("=", 1) for _, line in COMMANDS if line[0] == "export" for one in line[1:])
    said.pop("OTEL_HEALTH_CONFIG")
    assert load(said | {"HOME": "/"}).enabled


@pytest.mark.parametrize("path", PAGES, ids=relative)
def test_links_lead_somewhere(path: Path) -> None:
    inside = [link.partition("#")[0] for link in LINK.findall(text(path)) if "://" not in link]
    assert [link for link in inside if not (path.parent / link).exists()] == []


def test_the_readme_shows_what_to_do_before_line_fifteen() -> None:
    assert "make demo" in "\n".join(text(ROOT / "README.md").splitlines()[:15])


def test_the_report_shown_in_the_readme_is_what_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(PLAIN_WIDTH))
    main(["check", str(ROOT / "examples" / "captures" / "ill-agent.jsonl.gz")])
    printed = capsys.readouterr().out
    (shown,) = (block for block in _blocks(ROOT / "README.md", "text") if block.startswith(" UNHEALTHY"))
    assert printed.startswith(shown)


def test_the_reference_marks_the_categories_that_nothing_emits_yet() -> None:
    emitting = [*(ROOT / "otel_health" / "sources").glob("*.py"), ROOT / "otel_health" / "monitor" / "audit.py"]
    emitted = {Category[name] for path in emitting for name in re.findall(r"Category\.([A-Z_]+)", text(path))}
    assert emitted == set(Category) - NOT_YET


def test_the_reference_is_fresh() -> None:
    stale = [relative(path) for path, content in pages().items() if text(path) != content]
    assert stale == [], "run: make docs"


def test_checking_the_reference_writes_nothing_and_succeeds_when_fresh() -> None:
    before = {path: path.stat().st_mtime_ns for path in pages()}
    assert generate(["--check"]) == 0
    assert {path: path.stat().st_mtime_ns for path in pages()} == before
