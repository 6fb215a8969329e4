# SPDX-License-Identifier: Apache-2.0
"""What an import drags in: the agent's process pays for it."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from tests.house.tree import ROOT, relative, run, sources

RIM = ("click", "google.protobuf", "grpc", "opentelemetry.proto", "prometheus_client", "rich", "starlette", "yaml")
AT_THE_RIM = (
    "otel_health.__main__",
    "otel_health.cli",
    "otel_health.config.yaml_file",
    "otel_health.sources.otlp_proto",
)
"""Our own modules that may need them."""


def _modules() -> list[str]:
    """Return every module of ours that an agent's process may come to load."""
    names = [relative(path).removesuffix(".py").replace("/", ".") for path in sources("otel_health")]
    return [name.removesuffix(".__init__") for name in names if not name.startswith(AT_THE_RIM)]


@cache
def _loaded(*modules: str) -> frozenset[str]:
    statements = "; ".join(f"import {module}" for module in modules)
    return frozenset(run(sys.executable, "-c", f"import sys; {statements}; print(*sys.modules)").split())


def test_importing_the_package_loads_nothing_of_the_rim() -> None:
    loaded = _loaded("otel_health")
    assert "otel_health" in loaded
    assert loaded.isdisjoint(RIM)


@pytest.mark.parametrize("module", ["opentelemetry", "importlib.metadata", "msgspec"])
def test_importing_the_package_loads_nothing_that_is_slow(module: str) -> None:
    assert module not in _loaded("otel_health")


def test_importing_the_package_leaves_its_own_rooms_for_later() -> None:
    assert {name for name in _loaded("otel_health") if name.startswith("otel_health.")} == set()


def test_the_rim_can_be_loaded_here_so_that_its_absence_says_something() -> None:
    assert {"click", "rich", "yaml"} <= _loaded("otel_health.cli.app", "otel_health.config.yaml_file")


@pytest.mark.parametrize("module", RIM)
def test_no_module_but_those_at_the_rim_ever_needs(module: str) -> None:
    modules = _modules()
    assert len(modules) > 70
    assert {path.name for path in (ROOT / "otel_health").iterdir() if (path / "__init__.py").exists()} - {"cli"} <= {
        name.split(".")[1] for name in modules if "." in name
    }
    loaded = _loaded(*modules)
    assert set(modules) <= loaded
    assert module not in loaded
