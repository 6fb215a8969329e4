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
    DEADLINE = auto()
    """A time limit that somebody set around a piece of work."""
    TIMEOUT = auto()
    """A peer that did not answer in time."""
    PROVIDER = auto()
    CALLER = auto()


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
        "cancelled canceled keyboardinterrupt abort useraborted aborterr asynciocancelled runcancelled 499"
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
    # pydantic-ai, LiteLLM, Strands, LangChain, OpenAI's code, Claude Code, Anthropic's stop reason, llama.cpp
    **_rows(
        Cause.OVERFLOW,
        "contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded contextwindowoverflow contextoverflow"
        " contextlimitexceeded prompttoolong inputtoolong exceedcontextsize maxcontextlengthexceeded contextlength",
    ),
    # httpx, requests, aiohttp, urllib3, botocore, gRPC, Node, Bedrock, HTTP, MCP's request time-out
    **_rows(
        Cause.TIMEOUT,
        "timeout apitimeout readtimeout connecttimeout writetimeout pooltimeout servertimeout sockettimeout"
        " modeltimeout requesttimeout gatewaytimeout clienttimeout timedout deadlineexceeded etimedout esockettimedout"
        " underrconnecttimeout underrheaderstimeout underrbodytimeout 408 504 524 -32001",
    ),
    # OpenAI, Anthropic, LiteLLM, Claude Code: too much asked, too little paid, or the server's own trouble
    **_rows(
        Cause.PROVIDER,
        "ratelimit ratelimitexceeded toomanyrequests overloaded slowdown engineoverloaded insufficientquota"
        " quotaexceeded billing billinghardlimitreached internalserver server serviceunavailable unavailable badgateway"
        " apiconnection apiresponsevalidation authentication authenticationfailed invalidapikey unauthorized forbidden"
        " permission permissiondenied unsupportedcountryregionterritory",
    ),
    # google.rpc.Code and google.api_core.exceptions
    **_rows(
        Cause.PROVIDER, "resourceexhausted internal aborted dataloss unknown unauthenticated toomanyrequests retry"
    ),
    # Bedrock and botocore
    **_rows(
        Cause.PROVIDER,
        "throttling throttled servicequotaexceeded modelnotready model modelstream modelthrottled"
        " accessdenied unrecognizedclient expiredtoken invalidsignature nocredentials endpointconnection",
    ),
    # httpx, httpcore, requests, urllib3, aiohttp, ssl, socket, builtins, Node: the network
    **_rows(
        Cause.PROVIDER,
        "connect connection read write remoteprotocol network proxy ssl sslcertverification chunkedencoding protocol"
        " maxretry newconnection incompleteread clientconnector clientconnection clientos clientpayload"
        " serverdisconnected serverconnection connectionreset connectionrefused connectionaborted brokenpipe gaierror"
        " nameresolution gai brokenresource endofstream econnreset econnrefused enotfound eaiagain epipe fetch"
        " underrsocket",
    ),
    # OpenAI, Anthropic, google.rpc, Bedrock, pydantic: a request that cannot be right
    **_rows(
        Cause.CALLER,
        "badrequest invalidrequest invalidparams invalidargument invalidprompt failedprecondition outofrange notfound"
        " modelnotfound alreadyexists unimplemented notimplemented unprocessableentity conflict requesttoolarge"
        " validation resourcenotfound unsupportedparams unsupportedparameter unsupportedvalue missingrequiredparameter"
        " stringabovemaxlength localprotocol invalidurl unsupportedprotocol",
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
    ("timeout", Cause.TIMEOUT),
    ("timedout", Cause.TIMEOUT),
    ("ratelimit", Cause.PROVIDER),
    ("ratelimitexceeded", Cause.PROVIDER),
    ("throttling", Cause.PROVIDER),
    ("throttled", Cause.PROVIDER),
    ("overloaded", Cause.PROVIDER),
    ("server", Cause.PROVIDER),
    ("unavailable", Cause.PROVIDER),
    ("connection", Cause.PROVIDER),
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


def by_status(status: int) -> Cause | None:
    """Return what an HTTP status says, None for one that is no error."""
    if status in (408, 504, 524):  # 524: Cloudflare waited in vain for the origin
        return Cause.TIMEOUT
    if status == 499:  # nginx, Google: the client closed the request
        return Cause.CANCELLED
    if status in (401, 403, 424, 429) or 500 <= status <= 599:  # 424: Bedrock's ModelErrorException
        return Cause.PROVIDER
    return Cause.CALLER if 400 <= status <= 499 else None


OVERFLOW_TEXT = re.compile(
    r"(?i)"
    # OpenAI, Azure, OpenRouter, DeepSeek, vLLM, Mistral: "maximum context length is 8192 tokens"
    r"maximum (?:context|prompt|model) length"
    # code of OpenAI and Groq; Anthropic's stop reason; Ollama, llama.cpp, LM Studio
    r"|context[_ ](?:length|window|size|limit)[_ ](?:is |was |has been )?(?:exceed|overflow|reached)"
    r"|(?:exceed\w*|overflow\w*|greater than|larger than|longer than|beyond|over) (?:the |this |its )?"
    r"(?:\w+['\u2019]?s? ){0,3}context(?: |_)?(?:length|window|size|limit)"
    r"|context (?:window|length|size) (?:overflow|exhausted)|exceed_context_size"
    # Anthropic says "prompt is too long: 210000 tokens > ...", Bedrock "Input is too long for requested model"
    r"|\b(?:prompt|input|conversation|context) (?:is |was )?too long"
    # Zhipu: "Prompt exceeds max length"; GitHub Copilot: "prompt token count of N exceeds the limit of M"
    r"|\bprompt (?:token count of \d+ )?exceeds (?:the )?(?:max\w* length|limit)"
    # Gemini, Vertex AI: "input token count (N) exceeds the maximum number of tokens allowed (M)"
    r"|\binput token count\b.{0,40}(?:exceeds the maximum|only supports up to)"
    # Bedrock Titan, Cohere: "Too many input tokens"; "total number of tokens in the prompt cannot exceed 4081"
    r"|too many input tokens|number of tokens in the prompt cannot exceed"
    # Moonshot: "exceeded model token limit"; text-generation-inference: "`inputs` tokens + `max_new_tokens` must be <="
    r"|exceeded model token limit|`?inputs`? tokens \+ `?max_new_tokens`? must be"
    # DashScope: "Range of input length should be [1, 30720]"; Strands, once nothing is left to trim
    r"|range of input length should be|unable to trim conversation context"
)
"""How providers say that a request exceeded the model's context. None has a field for it."""

NO_OVERFLOW_TEXT = re.compile(r"(?i)per (?:min|hour|day)|rate.?limit|quota|please wait|throttl|\bTPM\b|code: 429")
"""Says that tokens are rationed, not that the context is full, whatever else it says."""

LIMIT_TEXT = re.compile(
    # OpenAI Agents; LangGraph; LlamaIndex "Max iterations of 20 reached"; smolagents "Reached max steps"; pydantic-ai
    r"(?i)max(?:imum)?[ _](?:number of )?(?:turns|steps|iterations)\b.{0,30}(?:exceed|reach)"
    r"|(?:exceed\w*|reach\w*|hit) (?:the )?(?:limit of )?max(?:imum)?[ _](?:number of )?(?:turns|steps|iterations)"
    r"|recursion limit of \d+ reached|exceed the (?:request|tool_calls|\w+_tokens)_limit of"
)
"""How frameworks say that a run was ended by its own limit."""

TEXTS: tuple[tuple[re.Pattern[str], Cause], ...] = (
    (re.compile(r"(?i)timed[ -]?out|time-?out\b|deadline exceeded"), Cause.TIMEOUT),
    (
        re.compile(
            r"(?i)rate.?limit|too many (?:requests|tokens)|throttl|overloaded|capacity|quota|(?:internal )?server error"
            r"|server had an error|bad gateway|unavailable|connection (?:error|refused|reset|aborted)|fetch failed"
            r"|name or service not known|api.?key|unauthori[sz]ed|forbidden|permission denied|credit balance"
        ),
        Cause.PROVIDER,
    ),
    (
        re.compile(
            r"(?i)content.?(?:filter|policy|management)|safety|refus|validation error|invalid|unsupported|not supported"
            r"|does not exist|not found|unexpected keyword argument|must be|too (?:long|large)"
        ),
        Cause.CALLER,
    ),
)
"""Last resort, in this order: wording in the message of an error that has neither code nor telling class."""
