# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from tests.scenarios import ROOT, expected, folders, scenarios


def test_every_capture_has_a_truth_and_every_truth_a_capture() -> None:
    on_disk = {(path.parent.name, path.name.removesuffix(".jsonl.gz")) for path in ROOT.glob("*/*.jsonl.gz")}
    assert {(one.folder, one.name) for one in scenarios()} == on_disk


def test_every_exclusion_carries_a_reason() -> None:
    for folder in folders():
        for scenario, facts in expected(folder)["not_observable"].items():
            assert scenario == "*" or scenario in expected(folder)["scenarios"]
            assert all(isinstance(reason, str) and len(reason) > 10 for reason in facts.values())


def test_a_named_folder_gives_its_scenarios_alone() -> None:
    assert {one.folder for one in scenarios("crewai__oi")} == {"crewai__oi"}
    assert scenarios("crewai__oi")[0].truth["agent_turns"] >= 0


def test_a_capture_unpacks_to_requests_by_line() -> None:
    assert all(one.raw.startswith(b'{"resourceSpans"') for one in scenarios() if one.raw)
