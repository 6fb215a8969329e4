# SPDX-License-Identifier: Apache-2.0
"""The health thread: a loop around the engine's step, and nothing else."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from otel_health.monitor.mishaps import Mishaps

_log = logging.getLogger(__name__)

NAME = "otel-health"
"""The thread's name."""

_AFTER_MISHAP_S = 1.0
"""Seconds of rest after a step that failed, lest a failure for ever become a busy loop."""


class HealthThread:
    """Runs `step` again and again on a daemon thread. Its methods may be called from any other thread."""

    def __init__(
        self, step: Callable[[], bool], *, wait: Callable[[], object], wake: Callable[[], None], mishaps: Mishaps
    ) -> None:
        """Prepare; `start` starts.

        Args:
            step: Does what is to be done; tells whether there is more to do at once.
            wait: Waits for something to do, a moment at most.
            wake: Ends that wait.
            mishaps: Counts the steps that failed.
        """
        self._step = step
        self._wait = wait
        self._wake = wake
        self._mishaps = mishaps
        self._gate = threading.Lock()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def start(self) -> None:
        """Begin; does nothing while it runs."""
        with self._gate:
            if self._thread is not None:
                return
            self._stopping = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(self._stopping,), name=NAME, daemon=True)
            self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> bool:
        """End it, and wait for that `timeout_s` seconds at most; False where it is stuck and was left behind."""
        with self._gate:
            thread, self._thread = self._thread, None
        if thread is None:
            return True
        self._stopping.set()
        self._wake()
        thread.join(max(0.0, timeout_s))
        if thread.is_alive():
            _log.warning("the health thread did not stop within %g seconds; it is left behind", timeout_s)
        return not thread.is_alive()

    def _run(self, stopping: threading.Event) -> None:
        while not stopping.is_set():
            try:
                if not self._step():
                    self._wait()
            except Exception:
                self._mishaps.note("health thread")
                stopping.wait(_AFTER_MISHAP_S)
