# SPDX-License-Identifier: Apache-2.0
"""Judge numbers: the subsystem checks, declared, one file each.

A new check is a file here with a `CHECK`, and its name in `ORDER`.
"""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter

from otel_health.checks.base import Check
from otel_health.registry import Registry, plugins

ORDER = (
    "tools",
    "spokes",
    "context",
    "llm",
    "latency",
    "reliability",
    "budget",
)
"""The modules of the built-in checks, in the order in which reports and alerts list them."""

CHECKS: tuple[Check, ...] = tuple(import_module(f"{__name__}.{module}").CHECK for module in ORDER)
"""The built-in checks."""


def all_checks() -> Registry[Check]:
    """Return the checks by key: the built-in ones, then plug-ins' (entry points of the group `otel_health.checks`).

    Raises:
        DuplicateNameError: a plug-in takes a key that is taken.
    """
    return Registry("check", (*CHECKS, *plugins("otel_health.checks", Check)), key=attrgetter("key"))
