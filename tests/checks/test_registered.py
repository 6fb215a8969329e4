# SPDX-License-Identifier: Apache-2.0
"""Which checks there are, and what a new one takes."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import otel_health
from otel_health import checks
from otel_health.checks import CHECKS, ORDER, all_checks
from otel_health.checks.base import Check
from otel_health.errors import DuplicateNameError

PACKAGE = Path(otel_health.__file__).parent

EIGHTH = """
from otel_health.checks.base import Check, Rule, at_least

CHECK = Check(
    key="patience",
    name="Patience",
    summary="Users who give up.",
    observed=("turns",),
    unobserved="No turn has ended",
    healthy="{turn_cancellations} of {turns} turns cancelled",
    rules=(
        Rule(
            stat="turn_cancellations",
            unit="",
            warning=at_least(2),
            tripped="{turn_cancellations} of {turns} turns cancelled: users give up",
        ),
    ),
)
"""

JUDGED = """
from otel_health.checks import all_checks
from otel_health.checks.judge import judge
from otel_health.checks.validation import validated
from otel_health.clock import ManualClock
from otel_health.events.model import event
from otel_health.signals.board import Board

board = Board(ManualClock(1.75e9))
for _ in range(2):
    board.fold(event("turn_cancelled", "prax", timestamp=1.75e9))
for check in validated(all_checks(), board.declared):
    verdict = judge(check, board.read())
    print(check.key, verdict.status, verdict.message, sep="|")
"""


def test_an_eighth_check_is_one_file_and_one_line(tmp_path: Path) -> None:
    copy = tmp_path / "otel_health"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "checks" / "patience.py").write_text(EIGHTH)
    listing = copy / "checks" / "__init__.py"
    before = listing.read_text()
    after = before.replace("\n)\n", '\n    "patience",\n)\n', 1)
    assert len(after.splitlines()) == len(before.splitlines()) + 1
    listing.write_text(after)

    judged = subprocess.run(
        [sys.executable, "-c", JUDGED],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    lines = judged.stdout.splitlines()
    assert [line.split("|")[0] for line in lines] == [*ORDER, "patience"]
    assert lines[-1] == "patience|warning|2 of 2 turns cancelled: users give up"


def test_every_file_that_holds_a_check_is_listed() -> None:
    modules = {path.stem for path in Path(checks.__file__).parent.glob("*.py")} - {"__init__"}
    holding = {name for name in modules if hasattr(import_module(f"otel_health.checks.{name}"), "CHECK")}
    assert holding == set(ORDER)


def test_the_built_in_checks_begin_with_the_seven_in_their_order() -> None:
    assert all_checks().names == ORDER
    assert ORDER[:7] == ("tools", "spokes", "context", "llm", "latency", "reliability", "budget")
    assert [check.name for check in CHECKS[:7]] == [
        "Tool Execution",
        "Spoke Delegation",
        "Context Management",
        "LLM Provider",
        "Response Latency",
        "Reliability",
        "Tool Budget",
    ]


@pytest.mark.parametrize("check", CHECKS, ids=ORDER)
def test_every_check_explains_itself_and_advises(check: Check) -> None:
    assert check.key == ORDER[CHECKS.index(check)]
    assert check.summary.endswith(".")
    for rule in check.rules:
        assert rule.advice.endswith(".")
        assert rule.warning or rule.error


class _Entry:
    name = "patience"

    def __init__(self, check: Check) -> None:
        self._check = check

    def load(self) -> object:
        return self._check


def _offer(monkeypatch: pytest.MonkeyPatch, check: Check) -> None:
    found = [_Entry(check)]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: found * (group == "otel_health.checks"))


def test_third_parties_checks_are_found_by_entry_point_and_come_last(monkeypatch: pytest.MonkeyPatch) -> None:
    namespace: dict[str, Check] = {}
    exec(EIGHTH, namespace)
    _offer(monkeypatch, namespace["CHECK"])
    assert all_checks().names == (*ORDER, "patience")


def test_a_third_party_cannot_take_a_built_in_key(monkeypatch: pytest.MonkeyPatch) -> None:
    _offer(monkeypatch, CHECKS[0])
    with pytest.raises(DuplicateNameError, match="check 'tools' is registered twice"):
        all_checks()
