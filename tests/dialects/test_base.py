# SPDX-License-Identifier: Apache-2.0
"""The choice among dialects."""

from __future__ import annotations

import pytest

from otel_health.dialects import DIALECTS, interpreter, registry
from otel_health.dialects.base import Checked, Interpreter, looks_like_genai
from otel_health.dialects.reading import Kind, Reading
from otel_health.dialects.span import Span
from otel_health.testing import make_span


class Speaks:
    """A dialect that takes every span for a step."""

    def __init__(self, name: str, *, raises: bool = False) -> None:
        self.name = name
        self.raises = raises

    def speaks(self, span: Span) -> bool:
        return True

    def read(self, span: Span) -> Reading | None:
        if self.raises:
            raise RuntimeError(span.name)
        return Reading(kind=Kind.STEP, why=self.name)


def test_the_first_dialect_that_speaks_a_span_decides_alone() -> None:
    name, reading = Interpreter([Speaks("first"), Speaks("second")]).read(make_span())
    assert (name, reading and reading.why) == ("first", "first")


def test_a_span_that_nobody_speaks_is_left_unread() -> None:
    assert interpreter().read(make_span("GET /", {"http.request.method": "GET"})) == ("", None)


def test_a_dialect_that_raises_leaves_its_span_unread_and_is_counted() -> None:
    broken = Interpreter([Speaks("broken", raises=True)])
    assert broken.read(make_span()) == ("broken", None)
    assert broken.failures == 1


def test_known_scopes_are_asked_before_the_readers_of_whole_conventions() -> None:
    names = [dialect.name for dialect in DIALECTS]
    assert names.index("pydantic_ai") < names.index("genai")
    assert names.index("openinference_langchain") < names.index("openinference")
    assert names[-1] == "genai"
    assert registry().names[-len(names) :] == tuple(names)


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [({"gen_ai.novelty": 1}, True), ({"llm.something": 1}, True), ({"http.route": "/"}, False), ({}, False)],
)
def test_genai_looking_spans_are_told_by_their_attribute_names(attributes: dict[str, int], *, expected: bool) -> None:
    assert looks_like_genai(make_span("x", attributes)) is expected


@pytest.mark.parametrize(
    "nonsense", [{"session": 123}, {"outcome": None}, {"kind": "novel"}, {"usage": {"input": -1.5}}]
)
def test_what_a_third_partys_dialect_says_is_checked(nonsense: dict[str, object]) -> None:
    class Careless(Speaks):
        def read(self, span: Span) -> Reading | None:
            return Reading(**{"kind": Kind.STEP, "why": ""} | nonsense)  # type: ignore[arg-type]

    careful = Interpreter([Checked(Careless("careless"))])
    assert careful.read(make_span()) == ("careless", None)
    assert careful.failures == 1
    honest = Interpreter([Checked(Speaks("honest"))])
    assert honest.read(make_span())[1] == Reading(kind=Kind.STEP, why="honest")
