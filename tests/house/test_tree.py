# SPDX-License-Identifier: Apache-2.0
"""Small files, small functions, a licence line on each."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.tree import ROOT, relative, sources

MODULE_CAP, MODULE_MEDIAN = 400, 120
FUNCTION_CAP, FUNCTION_MEDIAN = 60, 8


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _functions(path: Path) -> Iterator[tuple[str, int]]:
    """Yield every function's place and its lines, signature and docstring included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{relative(path)}:{node.lineno} {node.name}", (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", sources(), ids=relative)
def test_every_source_begins_with_its_licence(path: Path) -> None:
    assert path.read_text(encoding="utf-8").startswith("# SPDX-License-Identifier: Apache-2.0\n")


def test_modules_are_short() -> None:
    assert [relative(path) for path in sources() if _lines(path) > MODULE_CAP] == []
    assert statistics.median(_lines(path) for path in sources("otel_health")) <= MODULE_MEDIAN


def test_functions_are_short() -> None:
    assert [place for path in sources() for place, lines in _functions(path) if lines > FUNCTION_CAP] == []
    assert (
        statistics.median(lines for path in sources("otel_health") for _, lines in _functions(path)) <= FUNCTION_MEDIAN
    )


def test_every_room_says_what_it_is_for() -> None:
    silent = [relative(path) for path in sources("otel_health") if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_scripts_can_be_run() -> None:
    assert all(path.stat().st_mode & 0o111 for path in (ROOT / ".ci").iterdir())
