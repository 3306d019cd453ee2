"""Selects the tools that a provider accepts, and recognises refusals in the providers' error texts."""

import functools
import hashlib
import json
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence

from llm_service.proto.llm_service_pb2 import GenerateRequest, LeftOutTool, ToolDefinition
from llm_service.providers.shared.tool_schemas import Dialect, UnusableSchema, normalise

_TOO_LONG = re.compile(
    r"context[ _]?(?:length|size|window|limit)"
    r"|\b(?:prompt|input|request|messages?|conversation) (?:(?:is|are) )?too (?:long|large)"
    r"|too (?:long|large) for (?:(?:the|this) )?(?:[\w./:-]+ )?model"
    r"|maximum number of (?:input |prompt )?tokens|maximum (?:prompt|input|sequence) length"
    r"|token limit|too many (?:input |prompt )?tokens|reduce the length of"
    r"|\b(?:prompt|input) (?:(?:length|tokens?|token count)\b.{0,30} )?exceeds?\b"
    r"|range of input length|`inputs` (?:tokens|must have less)",
    re.IGNORECASE,
)
# Matches OpenAI's error for one request above the limit of tokens per minute, where waiting does not help.
_TOO_LARGE_FOR_RATE = re.compile(r"tokens must be reduced", re.IGNORECASE)
_TOO_LONG_BY_STATUS = {**dict.fromkeys((400, 413, 422, 500), _TOO_LONG), 429: _TOO_LARGE_FOR_RATE}

_SHOWN = 4000  # characters of an error text to search, because a quoted prompt may follow
KEPT_REFUSALS = 1000
KEPT_SECONDS = 3600.0


class RefusalCache:
    """Parameters and tools that providers refused within the last hour, so that they are not sent again."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: OrderedDict[Hashable, float] = OrderedDict()

    def add(self, model: Hashable, what: str | ToolDefinition) -> None:
        """Stores a refused parameter or tool. A tool with another schema counts as another tool."""
        key = (model, _key(what))
        self._until[key] = self._now() + KEPT_SECONDS
        self._until.move_to_end(key)
        while len(self._until) > KEPT_REFUSALS:
            self._until.popitem(last=False)

    def __contains__(self, model_and_what: tuple[Hashable, str | ToolDefinition]) -> bool:
        """Returns True if the model's provider refused the parameter or tool within the last hour."""
        model, what = model_and_what
        return self._until.get((model, _key(what)), 0.0) > self._now()


def _key(what: str | ToolDefinition) -> Hashable:
    if isinstance(what, str):
        return what
    return hashlib.sha256(f"{what.name}\n{what.description}\n{what.parameters_schema}".encode()).digest()


def is_too_long(status: int, text: str) -> bool:
    """Returns True if the error says that the conversation exceeds the model's context window."""
    pattern = _TOO_LONG_BY_STATUS.get(status)
    return pattern is not None and pattern.search(text[:_SHOWN]) is not None


# Matches the refused tool's index in Gemini's error text: tools[0].function_declarations[3].parameters
_DECLARATION = re.compile(r"function_?declarations\[(\d{1,4})\]()", re.IGNORECASE)
# Matches the index in errors of OpenAI (tools[3].parameters) and Anthropic (tools.3.custom.input_schema).
_TOOL = re.compile(r"\btools(?:\[(\d{1,4})\]|\.(\d{1,4})\b)")
_OF_SCHEMAS = re.compile(r"schema|parameters|propert|declaration|description", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'`]([A-Za-z_][A-Za-z0-9_-]{0,63})[\"'`]")


def refused_tools(status: int, text: str, names: Sequence[str]) -> list[int]:
    """Returns the indices of the tools that the error text names, by index or else by quoted name."""
    if status not in (400, 422):
        return []
    shown = text[:_SHOWN]
    pattern = _DECLARATION if "declarations" in shown.lower() else _TOOL
    found = {int(match[1] or match[2]) for match in pattern.finditer(shown)}
    if not found and _OF_SCHEMAS.search(shown):
        quoted = set(_QUOTED.findall(shown))
        found = {index for index, name in enumerate(names) if name in quoted}
    return sorted(index for index in found if index < len(names))


def refused_parameter(status: int, text: str, sent: Sequence[str]) -> str | None:
    """Returns the sent parameter that the error text names; None if it names none."""
    if status not in (400, 404, 422):
        return None
    return next((name for name in sent if re.search(rf"\b{name}\b", text[:_SHOWN])), None)


REFUSED = "the provider refuses its schema"
_NOTE = (
    "## Tools that cannot be offered\n\n"
    "The arguments of these tools cannot be described to this model, so you cannot call them. "
    "Name this as a gap where it matters.\n\n"
)


def usable_tools(
    request: GenerateRequest, dialect: Dialect, model: Hashable, refused: RefusalCache
) -> tuple[GenerateRequest, list[LeftOutTool]]:
    """Returns the request with the accepted tools, and the tools left out, which the system prompt then lists."""
    if not request.tools:
        return request, []
    usable = GenerateRequest()
    usable.CopyFrom(request)
    del usable.tools[:]
    left_out: list[LeftOutTool] = []
    for tool in request.tools:
        try:
            schema = _normalised(tool.parameters_schema, dialect)
            reason = REFUSED if (model, tool) in refused else ""
        except UnusableSchema as error:
            reason = str(error)
        if reason:
            left_out.append(LeftOutTool(name=tool.name, reason=reason))
        else:
            usable.tools.append(tool)
            usable.tools[-1].parameters_schema = schema
    system = next((message for message in usable.messages if message.role == "system"), None)
    if left_out and system is not None:
        named = "\n".join(f"- {json.dumps(tool.name)[1:-1]}: {tool.reason}" for tool in left_out)
        system.content = f"{system.content}\n\n{_NOTE}{named}"
    return usable, left_out


@functools.lru_cache(maxsize=1024)
def _normalised(schema: str, dialect: Dialect) -> str:
    """Returns the normalised schema as JSON. Cached, because every call of an agent has the same tools."""
    return json.dumps(normalise(schema, dialect), ensure_ascii=False) if schema.strip() else ""
