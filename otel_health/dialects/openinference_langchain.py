# SPDX-License-Identifier: Apache-2.0
"""OpenInference on LangChain and LangGraph.

Only agents whose names sound like agents have kind AGENT here; graphs, sub-agents and nodes are all CHAIN. What a chain
is stands in its `metadata` (JSON): `ls_integration`, `lc_agent_name`, `langgraph_node`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from otel_health import semconv
from otel_health.dialects import fields
from otel_health.dialects import openinference as oi
from otel_health.dialects.ending import ending
from otel_health.dialects.reading import Compaction, Kind, Outcome, Reading, Team
from otel_health.dialects.span import Span

_OUTPUT_LIMIT = 65_536


class OpenInferenceLangChain:
    """Scope `openinference.instrumentation.langchain`."""

    name = "openinference_langchain"

    def speaks(self, span: Span) -> bool:
        """Tell by the scope."""
        return span.scope == oi.SCOPE + "langchain"

    def read(self, span: Span) -> Reading | None:
        """Tell graphs, agents, tools, model calls and compactions apart."""
        kind = oi.kind_of(span)
        why = f"{semconv.OPENINFERENCE_SPAN_KIND} is {kind!r}"
        if kind == "TOOL":
            return _tool(span, why)
        if kind not in ("AGENT", "CHAIN"):
            return oi.plain(span, kind, why)
        meta = fields.json_object(span.attributes.get(semconv.OPENINFERENCE_METADATA))
        return _chain(span, kind, meta)


def _chain(span: Span, kind: str, meta: Mapping[str, Any]) -> Reading:
    integration, node = meta.get("ls_integration"), meta.get("langgraph_node")
    agent = fields.text(meta, "lc_agent_name")
    if kind == "AGENT" or (integration == "langchain_create_agent" and agent == span.name):
        why = "an agent by its kind" if kind == "AGENT" else "named as the agent its metadata tells of"
        return oi.run(span, Kind.AGENT, why, agent or span.name)
    if not node and (integration == "langgraph" or not span.parent_id):
        reading = oi.run(span, Kind.WORKFLOW, "a graph or chain that no node of another graph runs", span.name)
        return msgspec.structs.replace(reading, team=Team.PEERS)
    if node == "model" and (lost := _lost_call(span)) is not None:
        return lost
    if "summarization" in span.name.lower() and _removes_messages(span):
        return msgspec.structs.replace(oi.step(span, "a summary replaced the history"), compaction=Compaction())
    return oi.step(span, "a node or part of a graph")


def _lost_call(span: Span) -> Reading | None:
    """A model node that was cancelled: LangChain never ends the model call inside, so the node stands for it."""
    how = ending(span, "llm")
    if how.outcome is not Outcome.CANCELLED:
        return None
    reading = oi.model_call(span, Kind.LLM, "a cancelled model node, whose own call is never exported")
    return msgspec.structs.replace(how.put_on(reading), stand_in=True)


def _tool(span: Span, why: str) -> Reading:
    """A tool whose error LangChain handed to the model is OK by status; the message it became says so."""
    reading = oi.tool_call(span, why)
    if reading.outcome is not Outcome.OK:
        return reading
    message = fields.json_object(span.attributes.get(semconv.OPENINFERENCE_OUTPUT_VALUE), _OUTPUT_LIMIT)
    data = fields.json_object(message.get("data"))
    if message.get("type") == "tool" and data.get("status") == "error":
        return msgspec.structs.replace(
            reading, outcome=Outcome.ERROR, error=fields.text(data, "content", limit=500), reason="handed_to_model"
        )
    return reading


def _removes_messages(span: Span) -> bool:
    output = span.attributes.get(semconv.OPENINFERENCE_OUTPUT_VALUE)
    return isinstance(output, str) and '"type": "remove"' in output[:_OUTPUT_LIMIT]
