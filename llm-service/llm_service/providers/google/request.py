"""Builds requests to Gemini."""

import logging
from typing import Any

from llm_service.errors import InvalidRequest
from llm_service.proto.llm_service_pb2 import GenerateRequest
from llm_service.providers.families import gemini_parameters
from llm_service.providers.settings import Settings
from llm_service.providers.shared.conversation import Conversation, Step
from llm_service.providers.shared.transport import PreparedRequest

logger = logging.getLogger("llm_service.google")

NATIVE_TOOLS = {"code_execution": "codeExecution", "google_search": "googleSearch", "url_context": "urlContext"}


def prepare(conversation: Conversation, settings: Settings, request: GenerateRequest) -> PreparedRequest:
    """Builds the request. Raises InvalidRequest if it names an unknown native tool."""
    family, thinking = gemini_parameters(settings)
    declarations = [
        {"name": name, "description": description or name, "parametersJsonSchema": schema}
        for name, description, schema in conversation.tools
    ]
    switched = request.llm_config.native_tools
    if unknown := [name for name in switched if name not in NATIVE_TOOLS]:
        raise InvalidRequest(f"native_tools: {unknown[0][:60]!r} is not one of {', '.join(sorted(NATIVE_TOOLS))}")
    # No native tools while a function call is forced, because Gemini would not call them.
    native = sorted(name for name, on in switched.items() if on and not conversation.choice)
    if native and declarations and not family.new:
        where = {"session_id": request.session_id, "execution_id": request.execution_id}
        logger.warning("native tools left out: the model takes no function tools beside them", extra=where)
        native = []
    generation = {
        "thinkingConfig": thinking,
        "maxOutputTokens": settings.max_output_tokens,
        "temperature": settings.temperature,
    }
    body: dict[str, Any] = {
        "model": settings.model,
        "contents": to_contents(conversation, wants_signatures=family.new),
        "generationConfig": {key: value for key, value in generation.items() if value is not None},
    }
    if conversation.system:
        body["systemInstruction"] = {"role": "user", "parts": [{"text": conversation.system}]}
    tools = [{"functionDeclarations": declarations}] if declarations else []
    if tools or native:
        body["tools"] = [*tools, *({NATIVE_TOOLS[name]: {}} for name in native)]
    if conversation.choice:
        body["toolConfig"] = {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [conversation.choice]}}
    elif native and tools:
        body["toolConfig"] = {"includeServerSideToolInvocations": True}
    return PreparedRequest(body)


# Base64 of "skip_thought_signature_validator", which Gemini accepts in place of a signature.
NO_SIGNATURE = "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="


def to_contents(conversation: Conversation, *, wants_signatures: bool) -> list[dict[str, Any]]:
    """Builds the contents. Results of calls directly follow the turn with these calls, as Gemini requires."""
    contents: list[dict[str, Any]] = []
    for step in conversation.steps:
        if step.user:
            contents.append({"role": "user", "parts": [{"text": step.text}]})
            continue
        contents.append(step.turn.content if step.turn is not None else _rebuilt(step, wants_signatures))
        answers = []
        for result in step.results:
            own = {"id": result.call.id} if result.call.id is not None else {}
            response = {"error" if result.failed else "output": result.text}
            answers.append({"functionResponse": {**own, "name": result.call.name, "response": response}})
        if answers:
            contents.append({"role": "user", "parts": answers})
    return contents


def _rebuilt(step: Step, wants_signatures: bool) -> dict[str, Any]:
    parts: list[dict[str, Any]] = [{"text": step.text}] if step.text else []
    for index, call in enumerate(step.calls):
        # Gemini expects a signature only on the first of parallel calls.
        signature = {"thoughtSignature": NO_SIGNATURE} if wants_signatures and index == 0 else {}
        own = {"id": call.id} if call.id is not None else {}
        parts.append({"functionCall": {**own, "name": call.name, "args": call.arguments}, **signature})
    return {"role": "model", "parts": parts}
