# SPDX-License-Identifier: Apache-2.0
"""Attribute names that health reads, each once, by the convention that owns it.

The GenAI and MCP names are our own table: their constants in `opentelemetry-semantic-conventions` are frozen and
deprecated, because these conventions moved to a repository of their own
(https://github.com/open-telemetry/semantic-conventions-genai). Names that are stable (`error.type`, `exception.*`,
`http.*`, `service.*`) are that package's, passed on so that a reader needs one import.
"""

from __future__ import annotations

from typing import Final

from opentelemetry.semconv.attributes.error_attributes import ERROR_TYPE
from opentelemetry.semconv.attributes.exception_attributes import EXCEPTION_MESSAGE, EXCEPTION_TYPE
from opentelemetry.semconv.attributes.http_attributes import HTTP_RESPONSE_STATUS_CODE
from opentelemetry.semconv.attributes.service_attributes import SERVICE_INSTANCE_ID, SERVICE_NAME

__all__ = [
    "ERROR_TYPE",
    "EXCEPTION_MESSAGE",
    "EXCEPTION_TYPE",
    "HTTP_RESPONSE_STATUS_CODE",
    "SERVICE_INSTANCE_ID",
    "SERVICE_NAME",
]

EXCEPTION_EVENT: Final = "exception"
"""Name of the span event that records an exception."""
SESSION_ID: Final = "session.id"
HTTP_RESEND_COUNT: Final = "http.request.resend_count"
HTTP_STATUS_CODE_OLD: Final = "http.status_code"

# GenAI, current names -------------------------------------------------------------------------------------------------

GEN_AI_OPERATION_NAME: Final = "gen_ai.operation.name"
GEN_AI_PROVIDER_NAME: Final = "gen_ai.provider.name"
GEN_AI_REQUEST_MODEL: Final = "gen_ai.request.model"
GEN_AI_RESPONSE_ID: Final = "gen_ai.response.id"
GEN_AI_RESPONSE_MODEL: Final = "gen_ai.response.model"
GEN_AI_RESPONSE_FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
GEN_AI_USAGE_INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
GEN_AI_USAGE_OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
GEN_AI_USAGE_CACHE_WRITE_INPUT_TOKENS: Final = "gen_ai.usage.cache_write.input_tokens"
GEN_AI_USAGE_REASONING_OUTPUT_TOKENS: Final = "gen_ai.usage.reasoning.output_tokens"
GEN_AI_TOOL_NAME: Final = "gen_ai.tool.name"
GEN_AI_AGENT_NAME: Final = "gen_ai.agent.name"
GEN_AI_WORKFLOW_NAME: Final = "gen_ai.workflow.name"
GEN_AI_CONVERSATION_ID: Final = "gen_ai.conversation.id"
GEN_AI_CONVERSATION_COMPACTED: Final = "gen_ai.conversation.compacted"

# GenAI, older names and what instrumentations add of their own --------------------------------------------------------

GEN_AI_SYSTEM: Final = "gen_ai.system"
"""Now `gen_ai.provider.name`."""
GEN_AI_USAGE_PROMPT_TOKENS: Final = "gen_ai.usage.prompt_tokens"
"""Now `gen_ai.usage.input_tokens`."""
GEN_AI_USAGE_COMPLETION_TOKENS: Final = "gen_ai.usage.completion_tokens"
"""Now `gen_ai.usage.output_tokens`."""
GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS: Final = "gen_ai.usage.cache_creation.input_tokens"
"""Now `gen_ai.usage.cache_write.input_tokens`."""
GEN_AI_USAGE_CACHE_READ_FLAT: Final = "gen_ai.usage.cache_read_input_tokens"
"""Strands, older OpenLLMetry."""
GEN_AI_USAGE_CACHE_WRITE_FLAT: Final = "gen_ai.usage.cache_write_input_tokens"
"""Strands."""
GEN_AI_USAGE_CACHE_CREATION_FLAT: Final = "gen_ai.usage.cache_creation_input_tokens"
"""Older OpenLLMetry."""
GEN_AI_USAGE_REASONING_TOKENS: Final = "gen_ai.usage.reasoning_tokens"
"""OpenLLMetry."""
GEN_AI_USAGE_COST: Final = "gen_ai.usage.cost"
"""OpenLIT. The conventions have no cost."""
GEN_AI_COST_TOTAL: Final = "gen_ai.cost.total_cost"
"""LiteLLM."""
GEN_AI_TOOL_STATUS: Final = "gen_ai.tool.status"
"""Strands: `error` on a failed tool whose span may be OK."""
GEN_AI_TASK_STATUS: Final = "gen_ai.task.status"
"""OpenLLMetry: `failure`."""
LLM_USAGE_PROMPT_TOKENS: Final = "llm.usage.prompt_tokens"
"""Before GenAI had conventions."""
LLM_USAGE_COMPLETION_TOKENS: Final = "llm.usage.completion_tokens"
"""Before GenAI had conventions."""

# pydantic-ai ----------------------------------------------------------------------------------------------------------

PYDANTIC_AI_AGENT_NAME: Final = "agent_name"
PYDANTIC_AI_COST: Final = "operation.cost"
PYDANTIC_AI_REASONING_TOKENS: Final = "gen_ai.usage.details.reasoning_tokens"
PYDANTIC_AI_CACHE_READ_TOKENS: Final = "gen_ai.usage.details.cache_read_tokens"
PYDANTIC_AI_CACHE_WRITE_TOKENS: Final = "gen_ai.usage.details.cache_write_tokens"
PYDANTIC_AI_AGGREGATED_INPUT_TOKENS: Final = "gen_ai.aggregated_usage.input_tokens"
PYDANTIC_AI_AGGREGATED_OUTPUT_TOKENS: Final = "gen_ai.aggregated_usage.output_tokens"
PYDANTIC_AI_AGGREGATED_CACHE_READ_TOKENS: Final = "gen_ai.aggregated_usage.cache_read.input_tokens"
PYDANTIC_AI_AGGREGATED_CACHE_WRITE_TOKENS: Final = "gen_ai.aggregated_usage.cache_write.input_tokens"
PYDANTIC_AI_AGGREGATED_REASONING_TOKENS: Final = "gen_ai.aggregated_usage.details.reasoning_tokens"
PYDANTIC_AI_TOOL_RETRY_CAUSE: Final = "pydantic_ai.tool.retry.cause"

# OpenInference (https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md) ---------------------

OPENINFERENCE_SPAN_KIND: Final = "openinference.span.kind"
OPENINFERENCE_AGENT_NAME: Final = "agent.name"
OPENINFERENCE_GRAPH_NODE_ID: Final = "graph.node.id"
OPENINFERENCE_GRAPH_NODE_NAME: Final = "graph.node.name"
OPENINFERENCE_TOOL_NAME: Final = "tool.name"
OPENINFERENCE_OUTPUT_VALUE: Final = "output.value"
OPENINFERENCE_METADATA: Final = "metadata"
OPENINFERENCE_EMBEDDING_MODEL_NAME: Final = "embedding.model_name"
OPENINFERENCE_LLM_MODEL_NAME: Final = "llm.model_name"
OPENINFERENCE_LLM_RESPONSE_MODEL_NAME: Final = "llm.response.model_name"
OPENINFERENCE_LLM_REQUEST_MODEL_NAME: Final = "llm.request.model_name"
OPENINFERENCE_LLM_PROVIDER: Final = "llm.provider"
OPENINFERENCE_LLM_SYSTEM: Final = "llm.system"
OPENINFERENCE_LLM_FINISH_REASON: Final = "llm.finish_reason"
OPENINFERENCE_LLM_COST_TOTAL: Final = "llm.cost.total"
OPENINFERENCE_PROMPT_TOKENS: Final = "llm.token_count.prompt"
OPENINFERENCE_COMPLETION_TOKENS: Final = "llm.token_count.completion"
OPENINFERENCE_CACHE_READ_TOKENS: Final = "llm.token_count.prompt_details.cache_read"
OPENINFERENCE_CACHE_WRITE_TOKENS: Final = "llm.token_count.prompt_details.cache_write"
OPENINFERENCE_REASONING_TOKENS: Final = "llm.token_count.completion_details.reasoning"
SMOLAGENTS_MAX_STEPS: Final = "smolagents.max_steps"

# MCP ------------------------------------------------------------------------------------------------------------------

MCP_METHOD_NAME: Final = "mcp.method.name"
