# SPDX-License-Identifier: Apache-2.0
"""Programs for tests that need other processes: `python -m tests.events.workers NAME FOLDER NUMBER`."""

from __future__ import annotations

import atexit
import sys
import threading
from pathlib import Path

from tests.events.kit import journal, made

THREADS = 4
EVENTS = 400
PAYLOAD = 9_000


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


def burst(folder: Path, worker: int) -> None:
    """Record 400 events of 9 kB from four threads, each event's payload made of its own number."""
    log = journal(folder, segment_bytes=1_000_000)

    def record(thread: int) -> None:
        for number in range(thread, EVENTS, THREADS):
            seq = worker * EVENTS + number
            marker = f"<{seq:06}>"
            log.record(made(seq, extra={"payload": marker * (PAYLOAD // len(marker))}))

    threads = [threading.Thread(target=record, args=(thread,)) for thread in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(0 if log.close(60) else 1)


def steady(folder: Path, _: int) -> None:
    """Record a hundred events, say so, and live on until killed. Nobody flushes."""
    log = journal(folder)
    for seq in range(100):
        log.record(made(seq))
    say("recorded")
    sys.stdin.read()


def leave(folder: Path, code: int) -> None:
    """Record ten events and end the program in the way that `code` says, with nothing but `atexit` to close."""
    log = journal(folder, flush_interval_s=60)
    atexit.register(log.close)
    for seq in range(10):
        log.record(made(seq))
    if code == 1:
        raise ZeroDivisionError
    if code:
        sys.exit(code)


def cramped(folder: Path, limit: int) -> None:
    """Write to files that may not grow beyond `limit` bytes, then to files that may; print what was left waiting."""
    import resource  # noqa: PLC0415 - not on every platform
    import signal  # noqa: PLC0415

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, most))
    log = journal(folder)
    for seq in range(1_000):
        log.record(made(seq))
    cramped_ok = log.flush()
    state = log.state
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    say(cramped_ok, state.written, state.waiting, state.write_errors, bool(state.degraded), log.flush())
    sys.exit(0 if log.close() else 1)


if __name__ == "__main__":
    name, folder, *number = sys.argv[1:]
    {"burst": burst, "steady": steady, "leave": leave, "cramped": cramped}[name](Path(folder), int(number[0]))
