# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from otel_health.events.locks import Hold, open_to_lock, try_lock


def test_a_file_is_one_open_files_until_that_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    first, second = open_to_lock(path), open_to_lock(path)
    assert [try_lock(first), try_lock(second), try_lock(first)] == [Hold.MINE, Hold.TAKEN, Hold.MINE]
    os.close(first)
    assert try_lock(second) is Hold.MINE
    os.close(second)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_child_that_closes_its_copy_leaves_the_lock_with_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    held, other = open_to_lock(path), open_to_lock(path)
    try_lock(held)
    child = os.fork()
    if child == 0:
        os.close(held)
        os._exit(0)
    os.waitpid(child, 0)
    assert try_lock(other) is Hold.TAKEN
    os.close(held)
    os.close(other)


@pytest.mark.parametrize("code", [errno.EACCES, errno.EPERM, errno.EROFS])
def test_a_file_that_may_only_be_read_can_be_locked_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    path = tmp_path / "file"
    path.touch()
    opened = os.open

    def refuse_to_write(path: Path, flags: int) -> int:
        if flags & os.O_RDWR:
            raise OSError(code, os.strerror(code))
        return opened(path, flags)

    monkeypatch.setattr(os, "open", refuse_to_write)
    first, second = open_to_lock(path), open_to_lock(path)
    assert [try_lock(first), try_lock(second)] == [Hold.MINE, Hold.TAKEN]
    os.close(first)
    os.close(second)
    with pytest.raises(FileNotFoundError):
        open_to_lock(tmp_path / "none")


def test_a_file_system_without_locks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int, __: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("otel_health.events.locks.fcntl.flock", refuse)
    (tmp_path / "file").touch()
    descriptor = open_to_lock(tmp_path / "file")
    assert try_lock(descriptor) is Hold.UNKNOWN
    os.close(descriptor)
