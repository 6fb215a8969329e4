# SPDX-License-Identifier: Apache-2.0
"""What the errors of providers, clients and frameworks mean: tables only, each row with where it comes from.

Names are kept as *stems*: lower case, without `_`, `-`, blanks and a closing `error` or `exception`. So one row
`ratelimit` stands for `RateLimitError`, `rate_limit_error`, `RATE_LIMIT` and `openai.RateLimitError` alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto


class Cause(Enum):
    """Why a span says that something went wrong."""

    PAUSED = auto()
    """Nothing went wrong: the framework stopped to ask someone, or to be continued elsewhere."""
    HANDOFF = auto()
    """Nothing went wrong: control goes to another agent or node."""
    ENDED = auto()
    """Nothing went wrong: an iteration or run came to its end, by Python's way of saying so."""
    CANCELLED = auto()
    ABANDONED = auto()
    LIMIT = auto()
    """A limit on turns, steps, calls or tokens of a run."""
    BREAKER = auto()
    LOOP = auto()
    BUDGET = auto()
    OVERFLOW = auto()
    """The request exceeded the model's context."""
    DEADLINE = auto()
    """A time limit that somebody set around a piece of work."""
    TIMEOUT = auto()
    """A model provider that did not answer in time."""
    PROVIDER = auto()
    """A model provider's trouble or refusal to serve: rate, quota, overload, outage, credentials."""
    PEER_TIMEOUT = auto()
    """Something that did not answer in time: in a model call the provider, elsewhere anybody."""
    PEER = auto()
    """Trouble with something we talked to: in a model call the provider, elsewhere anybody."""
    CALLER = auto()
    """A request that cannot be right, or that was refused for what it says."""


def _rows(cause: Cause, stems: str) -> Mapping[str, Cause]:
    return dict.fromkeys(stems.split(), cause)


STEMS: Mapping[str, Cause] = {
    # LangGraph, pydantic-ai, Haystack breakpoints
    **_rows(
        Cause.PAUSED, "graphinterrupt nodeinterrupt interrupt graphbubbleup calldeferred approvalrequired breakpoint"
    ),
    # LangGraph's Command for a parent graph; OpenAI Agents, AutoGen
    **_rows(Cause.HANDOFF, "parentcommand handoff"),
    # Python; Agno's order to stop calling tools
    **_rows(Cause.ENDED, "stopiteration stopasynciteration stopagentrun"),
    # asyncio, concurrent.futures, trio, anyio, JavaScript, gRPC; Agno's RunCancelledException
    **_rows(
        Cause.CANCELLED,
        "cancelled canceled keyboardinterrupt abort useraborted aborterr asynciocancelled runcancelled"
        " clientclosedrequest",
    ),
    **_rows(Cause.ABANDONED, "generatorexit"),
    # pydantic-ai, LangGraph, OpenAI Agents, smolagents, Google ADK, LangChain middleware, Claude Agent SDK, Haystack
    **_rows(
        Cause.LIMIT,
        "usagelimitexceeded graphrecursion maxturnsexceeded agentmaxsteps maxsteps maxstepsreached maxturns"
        " maxiterations maxiterationsreached maxiterationsexceeded iterationlimit recursionlimit"
        " llmcallslimitexceeded modelcalllimitexceeded toolcalllimitexceeded errormaxturns"
        " pipelinemaxcomponentruns steplimitexceeded turnlimit stepbudgetexhausted",
    ),
    # Our own guards, and the breakers of pybreaker, circuitbreaker and aiobreaker
    **_rows(Cause.BREAKER, "circuitopen circuitbreaker circuitbreakeropen brokencircuit"),
    **_rows(Cause.LOOP, "toolcallblocked"),
    **_rows(Cause.BUDGET, "budgetexhausted budgetexceeded errormaxbudgetusd"),
    # pydantic-ai, LiteLLM, Strands, LangChain, OpenAI's code, Claude Code, llama.cpp; finish reasons of
    # Anthropic and Mistral
    **_rows(
        Cause.OVERFLOW,
        "contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded contextwindowoverflow contextoverflow"
        " contextlimitexceeded prompttoolong inputtoolong exceedcontextsize maxcontextlengthexceeded modellength",
    ),
    # OpenAI, Anthropic's native spans, LiteLLM, pydantic-ai, Bedrock
    **_rows(Cause.TIMEOUT, "apitimeout modeltimeout clienttimeout"),
    # httpx, requests, aiohttp, urllib3, botocore, google.rpc, Node, HTTP, MCP's request time-out
    **_rows(
        Cause.PEER_TIMEOUT,
        "timeout readtimeout connecttimeout writetimeout pooltimeout servertimeout sockettimeout requesttimeout"
        " gatewaytimeout timedout deadlineexceeded etimedout esockettimedout underrconnecttimeout underrheaderstimeout"
        " underrbodytimeout -32001",
    ),
    # OpenAI, Anthropic, LiteLLM, Claude Code: too much asked, too little paid, or the server's own trouble
    **_rows(
        Cause.PROVIDER,
        "ratelimit ratelimitexceeded toomanyrequests overloaded slowdown engineoverloaded insufficientquota"
        " quotaexceeded billing billinghardlimitreached internalserver server serviceunavailable badgateway"
        " apiconnection apiresponsevalidation authentication authenticationfailed invalidapikey unauthorized forbidden"
        " permissiondenied unsupportedcountryregionterritory",
    ),
    # google.rpc.Code and google.api_core.exceptions
    **_rows(Cause.PROVIDER, "resourceexhausted internal aborted dataloss unknown unauthenticated unavailable retry"),
    # Bedrock and botocore
    **_rows(
        Cause.PROVIDER,
        "throttling throttled servicequotaexceeded modelnotready model modelstream modelthrottled"
        " accessdenied unrecognizedclient expiredtoken invalidsignature nocredentials endpointconnection",
    ),
    # httpx, httpcore, requests, urllib3, aiohttp, anyio, ssl, socket, builtins, Node: network and operating system
    **_rows(
        Cause.PEER,
        "connect connection read write remoteprotocol network proxy ssl sslcertverification chunkedencoding protocol"
        " maxretry newconnection incompleteread clientconnector clientconnection clientos clientpayload"
        " serverdisconnected serverconnection connectionreset connectionrefused connectionaborted brokenpipe gai"
        " nameresolution brokenresource endofstream econnreset econnrefused enotfound eaiagain epipe fetch underrsocket"
        " permission",
    ),
    # OpenAI, Anthropic, google.rpc, Bedrock, pydantic: a request that cannot be right
    **_rows(
        Cause.CALLER,
        "badrequest invalidrequest invalidparams invalidargument invalidprompt failedprecondition outofrange notfound"
        " modelnotfound alreadyexists unimplemented notimplemented unprocessableentity conflict requesttoolarge"
        " validation resourcenotfound unsupportedparams unsupportedparameter unsupportedvalue missingrequiredparameter"
        " stringabovemaxlength user localprotocol invalidurl unsupportedprotocol",
    ),
    # OpenAI, Azure, LiteLLM, pydantic-ai, LangChain, Anthropic's stop reason, Gemini's finish reasons
    **_rows(
        Cause.CALLER,
        "contentfilter contentfilterfinishreason contentpolicyviolation responsibleaipolicyviolation refusal"
        " modelrefusal safety prohibitedcontent blocklist recitation cyberpolicyviolation guardrailtripwiretriggered"
        " inputguardrailtripwiretriggered outputguardrailtripwiretriggered",
    ),
}
"""Cause by the whole stem."""

DEADLINES = frozenset({"TimeoutError", "TurnTimeout", "WorkflowTimeoutError"})
"""Classes of a time limit set around a piece of work (asyncio.timeout, wait_for, concurrent.futures; ours; LlamaIndex).

On an agent they mean that the run itself was given up; a client's own class only that one of its calls was.
"""

ENDINGS: tuple[tuple[str, Cause], ...] = (
    # Wrappers prefix the client's own name: `OpenAIRateLimitError`, `ModelServerError`, `APIUserAbortError` ...
    ("contextwindowexceeded", Cause.OVERFLOW),
    ("contextoverflow", Cause.OVERFLOW),
    ("contextlengthexceeded", Cause.OVERFLOW),
    ("cancelled", Cause.CANCELLED),
    ("canceled", Cause.CANCELLED),
    ("abort", Cause.CANCELLED),
    ("aborted", Cause.CANCELLED),
    ("timeout", Cause.PEER_TIMEOUT),
    ("timedout", Cause.PEER_TIMEOUT),
    ("ratelimit", Cause.PROVIDER),
    ("ratelimitexceeded", Cause.PROVIDER),
    ("throttling", Cause.PROVIDER),
    ("throttled", Cause.PROVIDER),
    ("overloaded", Cause.PROVIDER),
    ("server", Cause.PROVIDER),
    ("unavailable", Cause.PROVIDER),
    ("connection", Cause.PEER),
    ("authentication", Cause.PROVIDER),
    ("permissiondenied", Cause.PROVIDER),
    ("badrequest", Cause.CALLER),
    ("invalidrequest", Cause.CALLER),
    ("notfound", Cause.CALLER),
    ("unprocessableentity", Cause.CALLER),
    ("validation", Cause.CALLER),
    ("contentfilter", Cause.CALLER),
)
"""Cause by how a stem ends, for names the table above does not have."""


# All wording below is matched in lower case.

OVERFLOW_WORDS = ("context", "length", "prompt", "input", "token", "conversation")
"""One of these is in every message that `OVERFLOW_TEXT` matches."""

OVERFLOW_TEXT = re.compile(
    # OpenAI, Azure, OpenRouter, DeepSeek, vLLM, Mistral: "maximum context length is 8192 tokens"; xAI says "prompt"
    r"maximum (?:context|prompt|model) length"
    # Code of OpenAI and Groq; "Context window exceeded"; "context window exceeds limit" (MiniMax)
    r"|context[_ ](?:length|window|size|limit)[_ ](?:is |was |has been )?(?:exceed|overflow|reached)"
    # OpenAI "exceeds the context window of this model", Anthropic "exceed context limit", llama.cpp "exceeds the
    # available context size", LM Studio "greater than the context length", Ollama "exceeds the context length"
    r"|(?:exceed\w{0,3}|overflow\w{0,3}|greater than|larger than|longer than|beyond) (?:[\w'\u2019]{1,20} ){0,3}"
    r"context[_ ](?:length|window|size|limit)"
    # llama.cpp's code; Google, Strands and others in short
    r"|exceed_context_size|context (?:overflow|is full)"
    # Anthropic says "prompt is too long: 210000 tokens > ...", Bedrock "Input is too long for requested model"
    r"|\b(?:prompt|input|conversation|context) (?:is |was )?too (?:long|large for)"
    # Zhipu: "Prompt exceeds max length", "tokens in request more than max tokens allowed"
    r"|\bprompt exceeds max|tokens in request more than max tokens"
    # GitHub Copilot: "prompt token count of N exceeds the limit of M"
    r"|\bprompt token count of \d{1,12} exceeds the limit"
    # Gemini, Vertex AI: "input token count (N) exceeds the maximum number of tokens allowed (M)"
    r"|\binput token count\b.{0,40}(?:exceeds the maximum|only supports up to)"
    # Together, Fireworks, SGLang: "Input length N exceeds the maximum allowed input length of M tokens"
    r"|\binput length\b.{0,30}exceeds the maximum allowed"
    # OpenAI Responses: "Input tokens exceed the configured limit of N tokens"
    r"|\binput tokens exceed the configured limit"
    # Groq, vLLM: "Please reduce the length of the messages or completion", "... of the input prompt"
    r"|reduce the length of the (?:messages|input|prompt)"
    # Bedrock Titan, Cohere: "Too many input tokens"; "total number of tokens in the prompt cannot exceed 4081"
    r"|too many input tokens|number of tokens in the prompt cannot exceed"
    # Moonshot: "exceeded model token limit"; text-generation-inference: "`inputs` tokens + `max_new_tokens` must be <="
    r"|exceeded model token limit|`?inputs`? tokens \+ `?max_new_tokens`? must be"
    # DashScope: "Range of input length should be [1, 30720]"; Strands, once nothing is left to trim
    r"|range of input length should be|unable to trim conversation context"
)
"""How providers say that a request exceeded the model's context. None has a field for it."""

NO_OVERFLOW_TEXT = re.compile(
    r"per (?:min|hour|day)|rate.?limit|quota|please wait|throttl|\b[tr]p[md]\b|code: 429|context window too small"
)
"""Says that tokens are rationed or a model is unfit, not that the context is full, whatever else it says."""

LIMIT_TEXT = re.compile(
    # OpenAI Agents "Max turns (3) exceeded"; LlamaIndex "Max iterations of 20 reached"
    r"max(?:imum)?[ _](?:number of )?(?:turns|steps|iterations)\b.{0,30}(?:exceed|reach)"
    # smolagents "Reached max steps"
    r"|(?:exceed\w{0,3}|reached|hit) (?:the )?max(?:imum)?[ _](?:number of )?(?:turns|steps|iterations)"
    # LangGraph; pydantic-ai "would exceed the request_limit of 3"
    r"|recursion limit of \d{1,9} reached|exceed(?:ed)? the (?:request|tool_calls|\w{1,20}_tokens)_limit of"
)
"""How frameworks say that a run was ended by its own limit."""

MODEL_TEXT = re.compile(
    r"\b(?:openai|anthropic|claude|gemini|vertex|bedrock|azure|mistral|model|llm|completion|rate limit"
    r"|request timed out|your request)\b"
)
"""Speaks of a model call, so that trouble with some peer is trouble with the provider."""

TEXTS: tuple[tuple[re.Pattern[str], Cause], ...] = (
    (re.compile(r"timed[ -]?out|time-?out\b|deadline exceeded"), Cause.PEER_TIMEOUT),
    (
        re.compile(
            r"rate.?limit|too many (?:requests|tokens)|throttl|overloaded|capacity|quota|(?:internal )?server error"
            r"|server had an error|bad gateway|unavailable|connection (?:error|refused|reset|aborted)|fetch failed"
            r"|name or service not known|api.?key|unauthori[sz]ed|forbidden|permission denied|credit balance"
        ),
        Cause.PEER,
    ),
    (
        re.compile(
            r"content.?(?:filter|policy|management)|safety|refus|validation error|invalid|unsupported|not supported"
            r"|does not exist|not found|unexpected keyword argument|must be|too (?:long|large)"
        ),
        Cause.CALLER,
    ),
)
"""Last resort, in this order: wording in the message of an error that has neither code nor telling class."""
