# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from otel_health.monitor.report import HealthCheck, Overall, Report


@pytest.mark.parametrize(("overall", "code"), [(Overall.HEALTHY, 0), (Overall.DEGRADED, 1), (Overall.UNHEALTHY, 2)])
def test_the_exit_code_follows_the_monitoring_plugins(overall: Overall, code: int) -> None:
    assert overall.exit_code == code


def test_a_report_cannot_be_changed_by_those_who_hold_it() -> None:
    report = Report(check=HealthCheck(timestamp=0.0), stats={})
    with pytest.raises(AttributeError):
        report.enabled = False  # type: ignore[misc]
