# SPDX-License-Identifier: Apache-2.0
"""The command line: one file per verb."""

from __future__ import annotations

import sys
from collections.abc import Sequence

NO_VERDICT = 3
"""Exit code when there is no evidence, or the input is bad; 0, 1 and 2 are healthy, degraded and unhealthy."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `otel-health` with `arguments` (by default the process's own) and return its exit code."""
    try:
        from otel_health.cli.app import run  # noqa: PLC0415 - the libraries it needs are an extra
    except ModuleNotFoundError as missing:
        if str(missing.name).partition(".")[0] not in ("click", "rich"):
            raise
        sys.stderr.write("otel-health: the command line is not installed; run: pip install 'otel-health[cli]'\n")
        return NO_VERDICT
    return run(arguments)
