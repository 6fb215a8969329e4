# SPDX-License-Identifier: Apache-2.0
"""Make foreign text safe to keep: one line, no control characters, secrets masked, bounded."""

from __future__ import annotations

import re

DETAILS_LIMIT = 500
"""Most characters of an event's details."""

_READ_LIMIT = 4 * DETAILS_LIMIT
"""Text beyond this is not even looked at, so a megabyte of stack trace costs what a line costs."""

_UNPRINTABLE = re.compile(r"[\x00-\x20\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_SECRET = re.compile(
    r"(?i)"
    r"\b(?:sk|pk|rk|xox[abpr]|gh[pousr]|glpat|hf|AKIA)[-_]?[A-Za-z0-9_\-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    r"|(?<=bearer )[A-Za-z0-9._~+/=-]{8,}"
    r"|(?<=://)[^/\s:@]{1,100}:[^/\s@]{1,100}(?=@)"
)
_ASSIGNED = re.compile(
    r"(?i)\b((?:[a-z0-9]+[_-])*(?:api[_-]?key|secret|token|password|passwd|authorization|credential)s?)"
    r"""(["']?\s*[=:]\s*["']?)(?!bearer\b)([^\s"',;&}]{6,})"""
)


def mask(text: str) -> str:
    """Replace what looks like a key, token, password or credential in `text` with `***`."""
    return _ASSIGNED.sub(r"\1\2***", _SECRET.sub("***", text))


def one_line(text: object, limit: int = DETAILS_LIMIT) -> str:
    """Return `str(text)` as one masked line of at most `limit` characters; `None` gives "".

    Runs of white space and control, bidirectional and zero-width characters become one space. An object whose `str`
    raises gives its type's name.
    """
    if text is None or text == "":
        return ""
    if not isinstance(text, str):
        try:
            text = str(text)
        except Exception:
            text = f"<{type(text).__name__}>"
    line = mask(_UNPRINTABLE.sub(" ", text[: max(limit, _READ_LIMIT)])).strip()
    return line if len(line) <= limit else line[:limit]
