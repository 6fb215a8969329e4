# SPDX-License-Identifier: Apache-2.0
"""CONTRIBUTING's check in ten minutes, followed to the letter on a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.house.tree import FOLDERS, ROOT, text

STEPS = text(ROOT / "CONTRIBUTING.md").partition("## A check in ten minutes")[2]
BIN = Path(sys.executable).parent


def _said(pattern: str) -> str:
    (found,) = re.findall(pattern, STEPS, re.DOTALL)
    return str(found)


def _run(repository: Path, *command: str) -> None:
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}
    done = subprocess.run(
        command,
        cwd=repository,
        env=ours | {"PYTHONPATH": str(repository)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def _test(repository: Path, *places: str) -> None:
    _run(repository, str(BIN / "pytest"), "-q", "-m", "not slow", "--ignore=tests/house/test_contributing.py", *places)


@pytest.fixture
def followed(tmp_path: Path) -> Path:
    """Return a copy of the repository in which steps 2 and 3 and `make docs` were done."""
    copy = tmp_path / "repository"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.iterdir():
        if file.is_file() and not file.name.startswith(".cov"):
            shutil.copy(file, copy)
    path, block = _said(r"2\. Write `([\w/.]+)`"), _said(r"```python\n(.*?) *```\n")
    (copy / path).write_text(textwrap.dedent(block), encoding="utf-8")
    line, listing = _said(r"3\. Add its name, `(.+?)`"), copy / _said(r"of `ORDER` in `([\w/.]+)`")
    before = listing.read_text(encoding="utf-8")
    listing.write_text(before.replace("\n)\n", f"\n    {line}\n)\n", 1), encoding="utf-8")
    _run(copy, sys.executable, "-m", "docs.generate")
    return copy


def test_the_quick_loop_is_green_afterwards(followed: Path) -> None:
    _run(followed, str(BIN / "ruff"), "check", "otel_health/checks")
    _run(followed, str(BIN / "ruff"), "format", "--check", "otel_health/checks")
    _run(followed, sys.executable, "-m", "docs.generate", "--check")
    assert "Cancellations" in text(followed / "docs" / "reference" / "checks.md")
    quick = _said_in_the_loop()
    assert quick == ["tests/checks", "tests/monitor", "tests/house"]
    _test(followed, *quick, "--ignore=tests/house/test_wheel.py")


@pytest.mark.slow
def test_everything_is_green_afterwards(followed: Path) -> None:
    _run(followed, str(BIN / "ruff"), "check", ".")
    _run(followed, str(BIN / "ruff"), "format", "--check", ".")
    _run(followed, str(BIN / "mypy"))
    _run(followed, str(BIN / "lint-imports"))
    _test(followed, "-n", "2")


def _said_in_the_loop() -> list[str]:
    (loop,) = re.findall(r"^\.venv/bin/pytest (.+)$", text(ROOT / "CONTRIBUTING.md"), re.MULTILINE)
    return str(loop).split()
