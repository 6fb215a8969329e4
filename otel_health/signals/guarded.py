# SPDX-License-Identifier: Apache-2.0
"""A third party's signal behind a fence: whatever it raises, even a panic, the other numbers are unaffected."""

from __future__ import annotations

import logging

from otel_health.errors import is_hosts
from otel_health.events.model import HealthEvent
from otel_health.signals.base import Number, Signal, SignalFactory, Stat

_log = logging.getLogger(__name__)


class Guarded:
    """Passes on to a signal, counts its failures, and reports its numbers as unknown where it gives none."""

    def __init__(self, signal: Signal) -> None:
        self.name = signal.name
        self.stats: tuple[Stat, ...] = tuple(signal.stats)
        self.failures = 0
        """Exceptions that the signal raised; the first is logged."""
        self._signal = signal

    def fold(self, event: HealthEvent, at_s: int) -> None:
        """Let the signal take in `event`."""
        try:
            self._signal.fold(event, at_s)
        except BaseException as error:
            self._failed(error)

    def read(self, now_s: int) -> dict[str, Number]:
        """Return every declared stat; None where the signal says nothing."""
        try:
            found = self._signal.read(now_s)
            return {stat.name: found.get(stat.name) for stat in self.stats}
        except BaseException as error:
            self._failed(error)
            return dict.fromkeys((stat.name for stat in self.stats), None)

    def _failed(self, error: BaseException) -> None:
        if is_hosts(error):
            raise error
        self.failures += 1
        if self.failures == 1:
            _log.warning("signal %s failed; the other numbers are unaffected", self.name, exc_info=True)


def guarded(make: SignalFactory, window_s: int) -> Guarded | None:
    """Make a third party's signal; None, with a line in the log, when it cannot be made."""
    try:
        return Guarded(make(window_s))
    except BaseException as error:
        if is_hosts(error):
            raise
        _log.warning("a signal could not be made from %r and is left out", make, exc_info=True)
        return None
