# SPDX-License-Identifier: Apache-2.0
"""The error family. Every message says what is wrong, the offending value, and what is allowed."""

from __future__ import annotations

import threading


class OtelHealthError(Exception):
    """Root of every error raised by this package."""


class ConfigError(OtelHealthError):
    """A setting is unknown, has the wrong type, or lies outside its range. Raised at start, never later."""


class UnknownNameError(OtelHealthError):
    """A name was looked up that nobody registered; the message lists the known ones."""


class DuplicateNameError(OtelHealthError):
    """A name was registered twice."""


class DecodeError(OtelHealthError):
    """Bytes were no OTLP and no journal; the message says where in the input."""


class MissingExtraError(OtelHealthError):
    """A feature needs an optional dependency; the message is the one command that installs it."""


def is_hosts(error: BaseException) -> bool:
    """Tell whether `error`, caught on this thread, is the host's wish to end, which has to go on.

    Ctrl-C, and `sys.exit` in a signal handler, strike whatever happens to run on the main thread, our code too. On any
    other thread, and of any other kind (such as an extension module's panic), what comes out of a plug-in is a failure.
    """
    return isinstance(error, KeyboardInterrupt | SystemExit) and threading.current_thread() is threading.main_thread()
