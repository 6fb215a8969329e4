# SPDX-License-Identifier: Apache-2.0
"""Fold events into numbers: windows and counts, no thresholds.

`Board` holds the built-in signals: the window, the guilty, the agents. Third parties add numbers of their own by an
entry point of the group `otel_health.signals` that names a `SignalFactory`.
"""

from __future__ import annotations

from otel_health.registry import plugins
from otel_health.signals.base import SignalFactory


def plug_in_signals() -> list[SignalFactory]:
    """Return the factories of third-party signals, sorted by entry name; hand them to `Board`."""
    return plugins("otel_health.signals", SignalFactory)  # type: ignore[type-abstract]
