# SPDX-License-Identifier: Apache-2.0
"""What is shipped: the package, typed, and nothing else."""

from __future__ import annotations

import sys
from email.parser import HeaderParser
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.house.tree import files, relative, run


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    (path,) = folder.glob("*.whl")
    return ZipFile(path)


def test_the_wheel_holds_the_whole_package_and_only_that(wheel: ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert shipped == {relative(path) for path in files("otel_health")}
    assert "otel_health/py.typed" in shipped


def test_the_wheel_says_what_it_needs(wheel: ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    head = HeaderParser().parsestr(wheel.read(name).decode())
    assert head["Requires-Python"] == ">=3.11"
    assert head["License-Expression"] == "Apache-2.0"
    assert {"otlp", "cli", "all"} <= set(head.get_all("Provides-Extra") or ())
    assert any(Path(path).name == "LICENSE" for path in wheel.namelist())
