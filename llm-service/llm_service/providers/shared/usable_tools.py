"""The tools of a request as its provider takes them. One that cannot be offered must not fail the call."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from llm_service.errors import InvalidRequest
from llm_service.proto.llm_service_pb2 import GenerateRequest, GenerateResponse, LeftOutTool, ToolsLeftOut
from llm_service.providers.shared.tool_schemas import UnusableSchema, normalise

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Hashable

    from llm_service.proto.llm_service_pb2 import ToolDefinition
    from llm_service.providers.shared.tool_schemas import Dialect

MAX_REFUSALS = 5
"""Tools that are left out of one call because the provider names them; each costs a call."""
KEPT_REFUSALS = 1000
KEPT_SECONDS = 3600.0

REFUSED = "the provider refuses its schema"
_NOTE = (
    "## Tools that cannot be offered\n\n"
    "What they take cannot be described to this model, so they cannot be called. Name this as a gap where it matters."
    "\n\n"
)


class RefusedTools:
    """What providers refused within the last hour, so that not every call is made twice."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until: OrderedDict[Hashable, float] = OrderedDict()

    def add(self, model: Hashable, tool: ToolDefinition) -> None:
        """Remember a tool; another schema makes it another tool."""
        key = _key(model, tool)
        self._until[key] = self._now() + KEPT_SECONDS
        self._until.move_to_end(key)
        while len(self._until) > KEPT_REFUSALS:
            self._until.popitem(last=False)

    def __contains__(self, model_and_tool: tuple[Hashable, ToolDefinition]) -> bool:
        """Tell whether the model's provider refused the tool."""
        return self._until.get(_key(*model_and_tool), 0.0) > self._now()


def _key(model: Hashable, tool: ToolDefinition) -> Hashable:
    content = f"{tool.name}\n{tool.description}\n{tool.parameters_schema}".encode("utf-8", "replace")
    return model, hashlib.sha256(content).digest()


async def with_usable_tools(
    request: GenerateRequest,
    dialect: Dialect,
    model: Hashable,
    refused: RefusedTools,
    answer: Callable[[GenerateRequest], AsyncGenerator[GenerateResponse, None]],
) -> AsyncGenerator[GenerateResponse, None]:
    """Answer the request with the tools that can be offered, and tell which cannot.

    When the provider refuses the request because of a tool, that one is left out and the call made again.
    """
    told: set[str] = set()
    for left in range(MAX_REFUSALS, -1, -1):
        usable, left_out = usable_tools(request, dialect, model, refused)
        new = [tool for tool in left_out if tool.name not in told]
        if new:
            told.update(tool.name for tool in new)
            yield GenerateResponse(tools_left_out=ToolsLeftOut(tools=new))
        try:
            async with contextlib.aclosing(answer(usable)) as responses:
                async for response in responses:
                    yield response
        except InvalidRequest as error:
            offenders = [tool for tool in request.tools if tool.name in error.tools and tool.name not in told]
            if not offenders or left == 0:
                raise
            for tool in offenders:
                refused.add(model, tool)
        else:
            return


def usable_tools(
    request: GenerateRequest, dialect: Dialect, model: Hashable, refused: RefusedTools
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
            schema = None if (model, tool) in refused else _normalised(tool.parameters_schema, dialect)
        except UnusableSchema as error:
            left_out.append(LeftOutTool(name=tool.name, reason=str(error)))
            continue
        if schema is None:
            left_out.append(LeftOutTool(name=tool.name, reason=REFUSED))
            continue
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
