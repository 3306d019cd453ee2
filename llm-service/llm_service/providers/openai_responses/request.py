"""A request to the Responses API. Nothing of an investigation is to stay with the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.families import openai_effort
from llm_service.providers.openai_responses.next_turn import to_items
from llm_service.providers.shared.conversation import read_conversation, read_tools
from llm_service.providers.wire import Prepared

if TYPE_CHECKING:
    from llm_service.proto.llm_service_pb2 import GenerateRequest
    from llm_service.providers.settings import Settings
    from llm_service.providers.shared.tool_names import ToolNames


def prepare(request: GenerateRequest, settings: Settings, names: ToolNames) -> Prepared:
    """Write the request; InvalidRequest when it has no content."""
    body: dict[str, Any] = {
        "model": settings.model,
        "stream": True,
        "store": False,
        "input": to_items(read_conversation(request, settings, names)),
    }
    effort = openai_effort(settings)
    if effort == "none":
        body["reasoning"] = {"effort": effort}
    elif effort:
        body["reasoning"] = {"effort": effort, "summary": "auto"}
        # Reasoning comes back to us, encrypted, because it is not stored there.
        body["include"] = ["reasoning.encrypted_content"]
    if settings.temperature is not None and effort in ("", "none"):
        body["temperature"] = settings.temperature
    if settings.max_output_tokens is not None:
        body["max_output_tokens"] = settings.max_output_tokens
    if request.execution_id:
        body["prompt_cache_key"] = request.execution_id[:64]
    # Not strict: otherwise the API may make optional arguments required ones.
    tools = [
        {
            "type": "function",
            "name": one.name,
            "description": one.description,
            "parameters": one.schema,
            "strict": False,
        }
        for one in read_tools(request, names)
    ]
    return Prepared({**body, "tools": tools} if tools else body)
