"""A request to Gemini."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from llm_service.errors import InvalidRequest
from llm_service.providers.families import gemini, gemini_thinking
from llm_service.providers.google.next_turn import to_contents
from llm_service.providers.shared.conversation import read_conversation, read_tools
from llm_service.providers.wire import Prepared

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames

logger = logging.getLogger("llm_service.google")

NATIVE_TOOLS = {"code_execution": "codeExecution", "google_search": "googleSearch", "url_context": "urlContext"}


def prepare(request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
    """Write the request; InvalidRequest when it has no content, or names a native tool that there is not."""
    family = gemini(settings)
    conversation = read_conversation(request, settings, names)
    declarations = [
        {"name": tool.name, "description": tool.description or tool.name, "parametersJsonSchema": tool.schema}
        for tool in read_tools(request, names)
    ]
    native = _native_names(request)
    if native and declarations and not family.combines_tools:
        where = {"session_id": request.session_id, "execution_id": request.execution_id}
        logger.warning("native tools are left out: the model takes no function tools beside them", extra=where)
        native = []
    generation = {
        "thinkingConfig": gemini_thinking(settings),
        "maxOutputTokens": settings.max_output_tokens,
        "temperature": settings.temperature,
    }
    body: dict[str, Any] = {
        "model": settings.model,
        "contents": to_contents(conversation, wants_signatures=family.wants_signatures),
        "generationConfig": {key: value for key, value in generation.items() if value is not None},
    }
    if conversation.system:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": conversation.system}]}
    tools = [{"functionDeclarations": declarations}] if declarations else []
    if tools or native:
        body["tools"] = [*tools, *({NATIVE_TOOLS[name]: {}} for name in native)]
    if native and tools:
        body["toolConfig"] = {"includeServerSideToolInvocations": True}
    return Prepared(body)


def _native_names(request: GenerateRequest) -> list[str]:
    native = request.llm_config.native_tools
    for name in native:
        if name not in NATIVE_TOOLS:
            raise InvalidRequest(f"native_tools: {name[:60]!r} is not one of {', '.join(sorted(NATIVE_TOOLS))}")
    return sorted(name for name, on in native.items() if on)
