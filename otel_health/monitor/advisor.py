# SPDX-License-Identifier: Apache-2.0
"""When to speak to the agent: at once when it falls ill, then seldom, and never for ever.

An *episode* lasts from the first report that is not healthy to the next that is. Saying the same every turn costs
tokens and dulls the reader, so within an episode an advisory is due at once, then at most every `every_turns` turns, at
most `most_per_episode` times. Whether it helped is counted: an advisory followed by a healthy report within
`recovery_turns` turns recovered the agent, any other was unheeded.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

import msgspec

from otel_health.monitor.report import Overall


class AdvisorConfig(msgspec.Struct, frozen=True, kw_only=True):
    """How often an advisory may be given."""

    every_turns: int = 10
    """Turns (≥ 1) between two advisories of one episode."""
    most_per_episode: int = 5
    """Advisories (≥ 0) in one episode; 0 gives none."""
    recovery_turns: int = 10
    """Turns (≥ 1) within which a healthy report counts as the advisory's success."""


class Advisor:
    """Keeps the cadence. Safe to call from any thread."""

    def __init__(self, config: AdvisorConfig | None = None) -> None:
        """Start in good health, with the default cadence unless `config` says otherwise."""
        self._config = config or AdvisorConfig()
        self._lock = threading.Lock()
        self._turn = 0
        self._given_in_episode = 0
        self._last_given = 0
        self._awaited_until: int | None = None
        self._given = self._recovered = self._unheeded = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """Advisories given, those after which the agent recovered in time, and those after which it did not."""
        with self._lock:
            return {
                "advisories_given": self._given,
                "advisories_recovered": self._recovered,
                "advisories_unheeded": self._unheeded,
            }

    def turn_ended(self) -> None:
        """Count one turn, whatever its outcome."""
        with self._lock:
            self._turn += 1
            if self._awaited_until is not None and self._turn > self._awaited_until:
                self._settle(recovered=False)

    def judged(self, overall: Overall) -> None:
        """Take the overall status of a new report; a healthy one ends the episode."""
        if overall is not Overall.HEALTHY:
            return
        with self._lock:
            self._given_in_episode = 0
            self._settle(recovered=True)

    def due(self) -> bool:
        """Tell whether an advisory may be given now, and if so count it as given."""
        with self._lock:
            if not self._may_speak():
                return False
            self._note_given()
            return True

    def given(self) -> None:
        """Note that an advisory was given on some other ground than `due`."""
        with self._lock:
            self._note_given()

    def _may_speak(self) -> bool:
        if self._given_in_episode >= self._config.most_per_episode:
            return False
        return self._given_in_episode == 0 or self._turn - self._last_given >= self._config.every_turns

    def _note_given(self) -> None:
        self._settle(recovered=False)
        self._given += 1
        self._given_in_episode += 1
        self._last_given = self._turn
        self._awaited_until = self._turn + self._config.recovery_turns

    def _settle(self, *, recovered: bool) -> None:
        """Close the book on the advisory whose effect is awaited, if any."""
        if self._awaited_until is None:
            return
        self._awaited_until = None
        if recovered:
            self._recovered += 1
        else:
            self._unheeded += 1
