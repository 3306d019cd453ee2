"""What providers take: the tools of a request that can be offered, and what was refused, by the words of providers."""

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
    r"|\b(?:prompt|input|request|messages?|conversation) (?:is|are) too (?:long|large)"
    r"|too (?:long|large) for (?:the |this )?(?:requested )?model"
    r"|maximum number of (?:input |prompt )?tokens|maximum (?:prompt|input|sequence) length"
    r"|token limit|too many (?:input |prompt )?tokens|reduce the length of",
    re.IGNORECASE,
)
# OpenAI's words for one request above the rate of a whole minute: waiting does not help.
_TOO_LARGE_FOR_RATE = re.compile(r"tokens must be reduced", re.IGNORECASE)
_TOO_LONG_BY_STATUS = {**dict.fromkeys((400, 413, 422, 500), _TOO_LONG), 429: _TOO_LARGE_FOR_RATE}

_SHOWN = 4000  # characters of an error that are looked at; what follows may be a quoted prompt
KEPT_REFUSALS = 1000
KEPT_SECONDS = 3600.0


class Refused:
    """What models' providers refused within the last hour, so that not every call is made twice."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: OrderedDict[Hashable, float] = OrderedDict()

    def add(self, model: Hashable, what: str | ToolDefinition) -> None:
        """Remember a parameter, or a tool: another schema makes it another tool."""
        key = (model, _key(what))
        self._until[key] = self._now() + KEPT_SECONDS
        self._until.move_to_end(key)
        while len(self._until) > KEPT_REFUSALS:
            self._until.popitem(last=False)

    def __contains__(self, model_and_what: tuple[Hashable, str | ToolDefinition]) -> bool:
        """Tell whether the model's provider refused it."""
        model, what = model_and_what
        return self._until.get((model, _key(what)), 0.0) > self._now()


def _key(what: str | ToolDefinition) -> Hashable:
    if isinstance(what, str):
        return what
    return hashlib.sha256(f"{what.name}\n{what.description}\n{what.parameters_schema}".encode()).digest()


def is_too_long(status: int, text: str) -> bool:
    """Tell whether a provider refused a conversation because the model cannot read so much."""
    pattern = _TOO_LONG_BY_STATUS.get(status)
    return pattern is not None and pattern.search(text[:_SHOWN]) is not None


# Gemini: tools[0].function_declarations[3].parameters…; its tools[0] holds all of them.
_DECLARATION = re.compile(r"function_?declarations\[(\d{1,4})\]()", re.IGNORECASE)
# OpenAI: tools[3].parameters; Anthropic: tools.3.custom.input_schema.
_TOOL = re.compile(r"\btools(?:\[(\d{1,4})\]|\.(\d{1,4})\b)")
_OF_SCHEMAS = re.compile(r"schema|parameters|propert|declaration|description", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'`]([A-Za-z_][A-Za-z0-9_-]{0,63})[\"'`]")


def refused_tools(status: int, text: str, names: Sequence[str]) -> list[int]:
    """Numbers of the tools because of which a provider refused a request, by its words: by number, else by name."""
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
    """The parameter of those sent that a provider complains of."""
    if status not in (400, 404, 422):
        return None
    return next((name for name in sent if re.search(rf"\b{name}\b", text[:_SHOWN])), None)


REFUSED = "the provider refuses its schema"
_NOTE = (
    "## Tools that cannot be offered\n\n"
    "What they take cannot be described to this model, so they cannot be called. Name this as a gap where it matters."
    "\n\n"
)


def usable_tools(
    request: GenerateRequest, dialect: Dialect, model: Hashable, refused: Refused
) -> tuple[GenerateRequest, list[LeftOutTool]]:
    """Give the request with schemas that the provider takes; the model is told which tools it does not have."""
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
    """The same tools come with every call of an agent."""
    return json.dumps(normalise(schema, dialect), ensure_ascii=False) if schema.strip() else ""
