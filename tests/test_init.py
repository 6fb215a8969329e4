# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from importlib.metadata import version

import pytest

import otel_health
from otel_health.monitor.report import Report


def test_every_public_name_exists_and_they_are_sorted() -> None:
    assert otel_health.__all__ == sorted(otel_health.__all__)
    assert all(hasattr(otel_health, name) for name in otel_health.__all__)


def test_a_public_name_is_its_rooms_own() -> None:
    assert otel_health.Report is Report
    assert otel_health.__version__ == version("otel-health")


def test_an_unknown_name_is_refused_as_any_module_does() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Reprot'"):
        _ = otel_health.Reprot
