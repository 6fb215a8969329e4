# SPDX-License-Identifier: Apache-2.0
"""Make foreign text safe to keep: one line, nothing invisible, secrets masked, bounded."""

from __future__ import annotations

import re

DETAILS_LIMIT = 500
"""Most characters of an event's details."""

_READ_LIMIT = 4 * DETAILS_LIMIT
"""Text beyond this is not even looked at, so a megabyte of stack trace costs what a line costs."""

_PLAIN_LIMIT = 16
"""An identifier up to this length is too short to hold a key: most tool and provider names need no closer look."""

_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]+"
)
"""Characters that Unicode calls printable and that show nothing: fillers, blanks, and variation selectors, which can
carry a hidden message. Format, control, bidirectional, private and surrogate characters are unprintable anyway."""

_HINTS = (
    "key",
    "secret",
    "token",
    "pass",
    "auth",
    "cred",
    "bearer",
    "://",
    "eyj",
    "akia",
    "asia",
    "aiza",
    "sk-",
    "k_",
    "xox",
    "gh",
    "glpat",
    "hf_",
    "_pat_",
)
"""What every pattern below contains, in lower case: text without any of these holds nothing to mask."""

_KEY = re.compile(
    r"\b(?:"
    r"(?:[spr]k[-_]|xox[abeoprs]-|gh[opsur]_|github_pat_|glpat-|hf_)(?=[\w-]{0,60}\d)[\w-]{16,}"  # known prefixes
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}"  # AWS
    r"|AIza[\w-]{30,}"  # Google
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"  # JSON web tokens
    r")"
)
_PEM = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)")
_BEARER = re.compile(r"(?i)(\bbearer |\bauthorization[\"']?\s?[=:]\s?[\"']?(?:\w{1,20} )?)[^\s\"',;}]{4,}")
_USERINFO = re.compile(r"(?<=://)[^/\s:@]{1,100}:[^/\s@]{1,100}(?=@)")
_ASSIGNED = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?key|private[_-]?key|secret|passw(?:or)?d|passphrase|credential)s?"
    r"|token(?!s?[\"']?\s?[=:]\s?[\"']?\d{1,9}\b)s?)"  # a short number is a count of tokens
    r"([\"']?\s?[=:]\s?[\"']?)(?!bearer )[^\s\"',;&}]{4,}"
)


def mask(line: str) -> str:
    """Replace what looks like a key, token, password or credential in `line` with `***`. Linear in its length."""
    lowered = line.lower()
    for hint in _HINTS:
        if hint in lowered:
            break
    else:
        return line
    line = _PEM.sub("***", _KEY.sub("***", line))
    return _ASSIGNED.sub(r"\1\2***", _USERINFO.sub("***", _BEARER.sub(r"\1***", line)))


def one_line(text: object, limit: int = DETAILS_LIMIT) -> str:
    """Return `str(text)` as one masked line of at most `limit` characters; `None` gives "".

    Runs of white space, control, bidirectional, invisible and otherwise unprintable characters become one space. An
    object whose `str` raises gives its type's name.
    """
    if type(text) is str and len(text) <= _PLAIN_LIMIT <= limit and text.isascii() and text.isidentifier():
        return text
    if not isinstance(text, str):
        text = "" if text is None else _spoken(text)
    return mask(_visible(text[: max(limit, _READ_LIMIT)]))[:limit]


def _spoken(thing: object) -> str:
    try:
        return str(thing)
    except Exception:
        return f"<{type(thing).__name__}>"


def _visible(text: str) -> str:
    if text.isprintable() and text.isascii() and "  " not in text:
        return text.strip()
    line = " ".join(text.split())
    if line.isprintable() and line.isascii():
        return line
    line = _INVISIBLE.sub(" ", line)
    return " ".join("".join(char if char.isprintable() else " " for char in line).split())
