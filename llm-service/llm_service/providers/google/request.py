"""A request to Gemini."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from google.genai import types

from llm_service.errors import InvalidRequest
from llm_service.providers.families import gemini, gemini_thinking
from llm_service.providers.google.next_turn import to_contents
from llm_service.providers.shared.conversation import read_conversation, read_tools
from llm_service.providers.shared.log import call_log
from llm_service.providers.wire import Prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames

logger = logging.getLogger("llm_service.google")

NATIVE_TOOLS: Mapping[str, Callable[[], types.Tool]] = {
    "google_search": lambda: types.Tool(google_search=types.GoogleSearch()),
    "code_execution": lambda: types.Tool(code_execution=types.ToolCodeExecution()),
    "url_context": lambda: types.Tool(url_context=types.UrlContext()),
}


def prepare(request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
    """Write the request.

    Raises:
        InvalidRequest: it has no content, or names a native tool that there is not.
    """
    family = gemini(settings)
    conversation = read_conversation(request, settings, names)
    declarations = [
        types.FunctionDeclaration(
            name=tool.name, description=tool.description or tool.name, parameters_json_schema=tool.schema
        )
        for tool in read_tools(request, names)
    ]
    tools = [types.Tool(function_declarations=declarations)] if declarations else []
    native = _native_names(request)
    if native and tools and not family.combines_tools:
        log = call_log(logger, request)
        log.warning("native tools are left out: the model takes no function tools beside them")
        native = []
    config: dict[str, Any] = {
        "system_instruction": conversation.system or None,
        "tools": [*tools, *(NATIVE_TOOLS[name]() for name in native)] or None,
        "tool_config": types.ToolConfig(include_server_side_tool_invocations=True) if native and tools else None,
        "thinking_config": gemini_thinking(settings),
        "max_output_tokens": settings.max_output_tokens,
        "temperature": settings.temperature,
        "automatic_function_calling": types.AutomaticFunctionCallingConfig(disable=True),
    }
    contents = to_contents(conversation, wants_signatures=family.wants_signatures)
    return Prepared({"model": settings.model, "contents": contents, "config": types.GenerateContentConfig(**config)})


def _native_names(request: GenerateRequest) -> list[str]:
    native = request.llm_config.native_tools
    for name in native:
        if name not in NATIVE_TOOLS:
            raise InvalidRequest(f"native_tools: {name[:60]!r} is not one of {', '.join(sorted(NATIVE_TOOLS))}")
    return sorted(name for name, on in native.items() if on)
