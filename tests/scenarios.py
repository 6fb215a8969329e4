# SPDX-License-Identifier: Apache-2.0
"""The recorded captures under `tests/captures`, by framework and scenario."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).with_name("captures")
"""One folder for each framework and instrumentation; its README.md tells how they were made."""


@dataclass(frozen=True)
class Scenario:
    """One recorded run."""

    folder: str
    name: str

    @property
    def path(self) -> Path:
        """The capture: gzipped OTLP/JSON, one request a line."""
        return ROOT / self.folder / f"{self.name}.jsonl.gz"

    @property
    def raw(self) -> bytes:
        """The capture, unpacked."""
        return gzip.decompress(self.path.read_bytes())

    @property
    def truth(self) -> dict[str, Any]:
        """What really happened in the run."""
        truth: dict[str, Any] = expected(self.folder)["scenarios"][self.name]
        return truth

    def __str__(self) -> str:
        """Return `folder/name`, for test ids."""
        return f"{self.folder}/{self.name}"


@cache
def expected(folder: str) -> dict[str, Any]:
    """Return the `expected.json` of `folder`; read only."""
    content: dict[str, Any] = json.loads((ROOT / folder / "expected.json").read_text(encoding="utf-8"))
    return content


def folders() -> list[str]:
    """Return the names of all capture folders, sorted."""
    return sorted(path.parent.name for path in ROOT.glob("*/expected.json"))


def scenarios(*names: str) -> list[Scenario]:
    """Return the scenarios of the folders called `names` (all folders if none is given), in order."""
    return [Scenario(folder, name) for folder in names or folders() for name in sorted(expected(folder)["scenarios"])]
