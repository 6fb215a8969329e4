# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from otel_health.events.text import DETAILS_LIMIT, mask, one_line

INVISIBLE = "\u034f\u115f\u1160\u17b4\u180b\u2800\u3164\ufe0f\uffa0\U000e0100\U000e01ef"
HEX = "0123456789abcdef0123"
SECRETS = {
    "OpenAI's": f"sk-proj-{HEX}",
    "Stripe's": f"rk_live_{HEX}",
    "GitHub's": f"ghp_{HEX}",
    "GitHub's newer": f"github_pat_{HEX}",
    "GitLab's": f"glpat-{HEX}",
    "Hugging Face's": f"hf_{HEX}",
    "Slack's": f"xoxb-{HEX}",
    "AWS's": "AKIA" + HEX[:16].upper(),
    "AWS's for a while": "ASIA" + HEX[:16].upper(),
    "Google's": "AIza" + HEX * 2,
    "a web token": "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_well_known_key_is_masked_wherever_it_stands(secret: str) -> None:
    assert one_line(f"401: {secret}, says the provider") == "401: ***, says the provider"
    assert one_line(secret) == "***"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("password=hunter2 for bob", "password=*** for bob"),
        ('{"access_token": "abc123456", "x": 1}', '{"access_token": "***", "x": 1}'),
        ("OPENAI_API_KEY=xyz12345&model=m", "OPENAI_API_KEY=***&model=m"),
        ("client_secret: 'abcd1234'", "client_secret: '***'"),
        ("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ***"),
        ("{'authorization': 'Bearer abcdefgh'}", "{'authorization': 'Bearer ***'}"),
        ("sent Bearer abc.def.ghi", "sent Bearer ***"),
        ("postgresql://bob:pw@db/x refused", "postgresql://***@db/x refused"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- read", "*** read"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE cut off", "***"),
    ],
)
def test_what_is_called_a_secret_is_masked(text: str, masked: str) -> None:
    assert one_line(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "skill_search_documents_v2",
        "task-2024-retry-failed-abcdef-ghijklmn",
        "max_tokens=100000",
        "This model's maximum context length is 128000 tokens: 130001 were sent",
        "Unauthorized: bad request",
        "the secret is out",
        "https://example.com/search?q=keys",
        "KeyError: 'name'",
        "TimeoutError: no answer after 30 s",
    ],
)
def test_what_only_resembles_a_secret_is_kept(text: str) -> None:
    assert one_line(text) == text


def test_runs_of_white_space_become_one_space() -> None:
    assert one_line("  Traceback:\r\n\tline 1\x0b\x0c\x85 \u2028\u2029\xa0end  ") == "Traceback: line 1 end"


def test_nothing_unprintable_or_invisible_survives() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    pieces = [everything[start : start + 400] for start in range(0, len(everything), 400)]
    kept = "".join(one_line(piece) for piece in pieces)
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"} for char in kept)
    assert not set(INVISIBLE) & set(kept)
    assert {"é", "語", "🙂", "ש"} <= set(kept)


def test_a_hidden_message_and_a_reversed_one_lose_their_disguise() -> None:
    assert one_line("ok\U000e0069\U000e0067\U000e006e") == "ok"
    assert one_line("safe\u202etxt.exe\u2066") == "safe txt.exe"
    assert one_line("pass\u200bword") == "pass word"


def test_text_is_cut_to_exactly_its_limit() -> None:
    assert one_line("x" * 501) == "x" * DETAILS_LIMIT
    assert one_line("x" * 500) == "x" * 500
    assert one_line("y" * 300, 200) == "y" * 200
    assert one_line("web_search", 3) == "web"


def test_of_a_huge_text_only_the_beginning_is_looked_at() -> None:
    assert one_line("a " * 10_000_000) == ("a " * 250)


def test_an_object_speaks_for_itself_unless_it_cannot() -> None:
    class Mute:
        def __str__(self) -> str:
            raise RuntimeError("no words")

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no equal")

        __hash__ = None  # type: ignore[assignment]

    assert one_line(None) == ""
    assert one_line("") == ""
    assert one_line(404) == "404"
    assert one_line(ValueError("bad\nvalue")) == "bad value"
    assert one_line(Mute()) == "<Mute>"


@settings(deadline=None, max_examples=200)
@given(st.text() | st.binary().map(str), st.integers(1, 600))
def test_any_text_becomes_one_bounded_printable_line_and_stays_so(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line.isprintable()
    assert "  " not in line
    assert one_line(line, limit) == line.strip() or "***" in line


@pytest.mark.parametrize(
    "piece", ["a-", "sk-", "eyJa.", "token=", "bearer ", "auth: ", "x://", "AIza", "authorization:"]
)
def test_masking_reads_a_hostile_text_to_its_end(piece: str) -> None:
    hostile = piece * 1000
    assert mask(hostile + " password=hunter2").endswith("***")
