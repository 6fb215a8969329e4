# SPDX-License-Identifier: Apache-2.0
"""The user's folder, and paths that begin there."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def home(environ: Mapping[str, str]) -> Path:
    """Return the user's folder as `environ` says; where it does not, as the account does."""
    return Path(environ.get("HOME") or environ.get("USERPROFILE") or os.path.expanduser("~"))  # noqa: PTH111 - no raise


def expanded(path: str, environ: Mapping[str, str]) -> Path:
    """Return `path` with a leading `~/` made the user's folder."""
    return home(environ) / path[2:] if path.startswith("~/") else Path(path)
