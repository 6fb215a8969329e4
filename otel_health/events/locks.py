# SPDX-License-Identifier: Apache-2.0
"""Who still lives: a process locks the file it writes, and the system lets go of the lock when the process ends.

Locks are of the open file, not of the process id, which may have been given to somebody else. A forked child shares its
parent's lock; closing the child's copy does not let go of it.
"""

from __future__ import annotations

import errno
import os
from enum import Enum, auto

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


_NOT_TO_BE_WRITTEN = (errno.EACCES, errno.EPERM, errno.EROFS)


class Hold(Enum):
    """What came of trying to lock a file."""

    MINE = auto()
    """Nobody held it; now this open file does, until it is closed."""
    TAKEN = auto()
    """Somebody alive holds it."""
    UNKNOWN = auto()
    """This file system or platform knows no such locks."""


def try_lock(descriptor: int) -> Hold:
    """Lock an open file for good, without waiting."""
    if fcntl is None:  # pragma: no cover - Windows
        return Hold.UNKNOWN
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return Hold.TAKEN
    except OSError:
        return Hold.UNKNOWN
    return Hold.MINE


def open_to_lock(path: str | os.PathLike[str]) -> int:
    """Open an existing file for locking: for writing where we may, since some file systems lock nothing else.

    Raises:
        OSError: it is gone, or not ours to read.
    """
    try:
        return os.open(path, os.O_RDWR)
    except OSError as error:
        if error.errno not in _NOT_TO_BE_WRITTEN:
            raise
    return os.open(path, os.O_RDONLY)
