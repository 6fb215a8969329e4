# SPDX-License-Identifier: Apache-2.0
"""What an import drags in: the agent's process pays for it."""

from __future__ import annotations

import sys

import pytest

from tests.house.tree import run

RIM = ("click", "google.protobuf", "grpc", "opentelemetry.proto", "prometheus_client", "rich", "starlette", "yaml")
CORE = ("checks", "clock", "dialects", "errors", "events", "monitor", "registry", "signals")


def _loaded(*modules: str) -> set[str]:
    statements = "; ".join(f"import {module}" for module in modules)
    return set(run(sys.executable, "-c", f"import sys; {statements}; print(*sys.modules)").split())


def test_importing_the_package_loads_nothing_of_the_rim() -> None:
    assert _loaded("otel_health").isdisjoint(RIM)


def test_importing_the_package_leaves_its_own_rooms_for_later() -> None:
    assert {name for name in _loaded("otel_health") if name.startswith("otel_health.")} == set()


@pytest.mark.parametrize("module", RIM)
def test_the_core_rooms_never_need(module: str) -> None:
    assert module not in _loaded(*(f"otel_health.{room}" for room in CORE))
