# SPDX-License-Identifier: Apache-2.0
"""What a newcomer's machine is told: which Python is taken, and one line when there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT

OLD = "exit 1"
BARE = 'case "$2" in *ensurepip*) exit 1;; esac'
WHOLE = "exit 0"


def _asked(*pythons: str) -> tuple[int, str, str]:
    command = [str(ROOT / ".ci" / "python")]
    done = subprocess.run(command, env={"PYTHON": " ".join(pythons)}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip(), done.stderr.strip()


@pytest.fixture
def pythons(tmp_path: Path) -> dict[str, str]:
    made = {}
    for name, body in (("old", OLD), ("bare", BARE), ("whole", WHOLE)):
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)
        made[name] = str(path)
    return made


def test_the_first_python_that_will_do_is_taken(pythons: dict[str, str]) -> None:
    assert _asked("/no/such/python", pythons["old"], pythons["bare"], pythons["whole"]) == (0, pythons["whole"], "")


def test_a_python_that_cannot_make_environments_names_the_package_to_install(pythons: dict[str, str]) -> None:
    code, out, said = _asked(pythons["old"], pythons["bare"])
    assert (code, out) == (1, "")
    assert said.endswith("cannot make environments; on Debian or Ubuntu run: apt install python3-venv")
    assert "\n" not in said


def test_no_python_is_said_in_one_line(pythons: dict[str, str]) -> None:
    code, _, said = _asked(pythons["old"])
    assert (code, said) == (
        1,
        "setup: no Python 3.11 or newer found; install one, or name one: make PYTHON=/path/to/python3",
    )


def test_the_python_of_these_tests_will_do() -> None:
    assert _asked(sys.executable)[0] == 0
