# SPDX-License-Identifier: Apache-2.0
"""OpenInference on the OpenAI Agents SDK.

The root is an AGENT span named like the trace, doubled by a CHAIN of the same name; both stay OK whatever happens. A
hand-off is a TOOL span that is no tool. Status OK says nothing: cancelled calls have it too.
"""

from __future__ import annotations

import msgspec

from otel_health import semconv
from otel_health.dialects import openinference as oi
from otel_health.dialects.reading import Kind, Reading, Team
from otel_health.dialects.span import Span


class OpenInferenceOpenAIAgents:
    """Scope `openinference.instrumentation.openai_agents`."""

    name = "openinference_openai_agents"

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope == oi.SCOPE + "openai_agents"

    def read(self, span: Span) -> Reading | None:
        """Tell the workflow from its agents, and hand-offs from tools."""
        kind = oi.kind_of(span)
        why = f"{semconv.OPENINFERENCE_SPAN_KIND} is {kind!r}"
        if kind == "AGENT":
            if name := oi.agent_name(span):
                return oi.run(span, Kind.AGENT, why + " with an agent's name", name)
            reading = oi.run(span, Kind.WORKFLOW, why + " without an agent's name: the trace itself", span.name)
            return msgspec.structs.replace(reading, team=Team.SEQUENCE)
        if kind == "LLM":
            return oi.model_call(span, Kind.LLM, why, ok_says_answered=False)
        if kind == "TOOL" and span.name.startswith("handoff to "):
            return oi.step(span, "a hand-off, which is no tool")
        return oi.plain(span, kind, why)
