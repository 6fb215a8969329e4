# SPDX-License-Identifier: Apache-2.0
"""OpenInference on smolagents.

A managed agent is called as a tool without a tool span; when it fails its own span is never exported either, and only
the step that called it tells, by its error text. So does the step that asked for a tool which does not exist. A run
that reaches `max_steps` ends OK after a forced model call outside any step.
"""

from __future__ import annotations

import re

import msgspec

from otel_health import semconv
from otel_health.dialects import fields
from otel_health.dialects import openinference as oi
from otel_health.dialects.ending import ending, marked_failed
from otel_health.dialects.reading import Kind, Reading
from otel_health.dialects.span import Span

_MEMBER = re.compile(r"request to team member '([^']{1,200})'")
_TOOL = re.compile(r"[Uu]nknown tool '?([\w.-]{1,200})|tool '([^']{1,200})'")


class OpenInferenceSmolagents:
    """Scope `openinference.instrumentation.smolagents`."""

    name = "openinference_smolagents"

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope == oi.SCOPE + "smolagents"

    def read(self, span: Span) -> Reading | None:
        """Read runs with their step limit, and failed steps for the calls that left no span."""
        kind = oi.kind_of(span)
        why = f"{semconv.OPENINFERENCE_SPAN_KIND} is {kind!r}"
        if kind == "AGENT":
            limit, _ = fields.count(span.attributes, semconv.SMOLAGENTS_MAX_STEPS)
            reading = oi.run(span, Kind.AGENT, why, oi.agent_name(span) or span.name.removesuffix(".run"))
            return msgspec.structs.replace(reading, step_limit=limit, called_as_tool=True)
        if kind == "CHAIN" and marked_failed(span) and (lost := _lost_call(span)) is not None:
            return lost
        return oi.plain(span, kind, why)


def _lost_call(span: Span) -> Reading | None:
    """The failed tool or team member that a step's error tells of; a step failing for another reason is a step."""
    exception_type, message = fields.exception(span) or ("", "")
    if not exception_type.endswith("ToolExecutionError"):
        return None
    member, tool = _MEMBER.search(message), _TOOL.search(message)
    named = member.group(1) if member else next(filter(None, tool.groups()), "unknown") if tool else "unknown"
    reading = Reading(
        kind=Kind.TOOL,
        why="a step that failed in a tool call without a span of its own",
        name=named,
        stand_in=True,
        delegates_to=named if member else "",
    )
    return ending(span, "tool").put_on(reading)
