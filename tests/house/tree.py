# SPDX-License-Identifier: Apache-2.0
"""What is in the repository, for tests that look at all of it."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
"""The repository."""

FOLDERS = (".ci", "benchmarks", "collector-config", "dashboards", "docs", "examples", "otel_health", "tests")


def sources(*folders: str) -> list[Path]:
    """Return the Python files below `folders`, all folders if none is given, sorted."""
    return sorted(path for path in files(*folders) if path.suffix == ".py")


@cache
def files(*folders: str) -> tuple[Path, ...]:
    """Return every file below `folders`; if none is given, every file that belongs to the repository."""
    inside = [path for folder in folders or FOLDERS for path in (ROOT / folder).rglob("*") if path.is_file()]
    outside = (
        [] if folders else [path for path in ROOT.iterdir() if path.is_file() and not path.name.startswith(".cov")]
    )
    return tuple(path for path in [*inside, *outside] if "__pycache__" not in path.parts)


def relative(path: Path) -> str:
    """Return the path as seen from the repository's top."""
    return path.relative_to(ROOT).as_posix()


def text(path: Path) -> str:
    """Return the file's text, "" for one that holds none."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""


def run(*command: str, cwd: Path = ROOT) -> str:
    """Run a command that must succeed and return what it printed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout
