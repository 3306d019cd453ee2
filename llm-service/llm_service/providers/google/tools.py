"""Function tools and native tools as Gemini wants them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from google.genai import types

from llm_service.errors import InvalidRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from llm_service.proto.llm_service_pb2 import ToolDefinition
    from llm_service.providers.shared.tool_names import ToolNames

NATIVE_TOOLS: Mapping[str, Callable[[], types.Tool]] = {
    "google_search": lambda: types.Tool(google_search=types.GoogleSearch()),
    "code_execution": lambda: types.Tool(code_execution=types.ToolCodeExecution()),
    "url_context": lambda: types.Tool(url_context=types.UrlContext()),
}

# Names of documents, not constraints; Gemini has no use for them.
_UNUSED_KEYWORDS = frozenset({"$schema", "$id", "$comment"})


def function_tool(definitions: Iterable[ToolDefinition], names: ToolNames) -> types.Tool:
    """Declare the request's tools.

    Raises:
        InvalidRequest: a schema is no JSON object.
    """
    declarations = [
        types.FunctionDeclaration(
            name=names.to_provider(definition.name),
            description=definition.description or definition.name,
            parameters_json_schema=_schema(index, definition.parameters_schema),
        )
        for index, definition in enumerate(definitions)
    ]
    return types.Tool(function_declarations=declarations)


def native_names(native_tools: Mapping[str, bool]) -> list[str]:
    """Names of the native tools that are on, sorted.

    Raises:
        InvalidRequest: there is no such tool.
    """
    for name in native_tools:
        if name not in NATIVE_TOOLS:
            raise InvalidRequest(f"native_tools: {name[:60]!r} is not one of {', '.join(sorted(NATIVE_TOOLS))}")
    return sorted(name for name, on in native_tools.items() if on)


def _schema(index: int, text: str) -> dict[str, object] | None:
    if not text.strip():
        return None
    try:
        schema = json.loads(text)
    except ValueError:
        schema = None
    if not isinstance(schema, dict):
        raise InvalidRequest(f"tools[{index}].parameters_schema is not a JSON object")
    kept = {key: value for key, value in schema.items() if key not in _UNUSED_KEYWORDS}
    return {"type": "object", **kept}
