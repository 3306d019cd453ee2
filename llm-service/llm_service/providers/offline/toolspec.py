"""A tool as the planner sees it: words, parameters, whether it may be called at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import TOOL_CLASS_READS
from llm_service.providers.offline.jsontext import parse_json
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llm_service.proto.llm_service_pb2 import ToolDefinition

MAX_SCHEMA_CHARS = 200_000
MAX_PARAMETERS = 60
DESCRIPTION_CHARS = 2000
FIND_TOOLS = "tarsy.find_tools"


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool; schema is its JSON Schema with references resolved."""

    name: str
    schema: dict[str, Any]
    required: bool


@dataclass(frozen=True)
class ToolSpec:
    """A tool.

    Attributes:
        name: canonical name.
        name_words: stems of the name without the server's part.
        description_words: stems of the description.
        parameters: None when the schema cannot be read; such a tool is not called.
        reads: the operator or its server says that it changes nothing; rules cannot weigh a risk, so others are never
            called, whatever their names and descriptions say.
    """

    name: str
    name_words: tuple[str, ...]
    description_words: frozenset[str]
    parameters: tuple[Parameter, ...] | None
    reads: bool

    @property
    def required(self) -> tuple[Parameter, ...]:
        """Arguments that a call must have."""
        return tuple(parameter for parameter in self.parameters or () if parameter.required)

    def is_about(self, *words: str) -> bool:
        """Tell whether the name has one of these stems."""
        return any(word in self.name_words for word in words)


def read_tools(definitions: Iterable[ToolDefinition]) -> list[ToolSpec]:
    """Read all tools but the engine's own: it looks for tools, not at what is in trouble."""
    return [read_tool(definition) for definition in definitions if definition.name != FIND_TOOLS]


def read_tool(definition: ToolDefinition) -> ToolSpec:
    """Read a tool definition, whatever its schema is worth."""
    short = definition.name.split(".", 1)[-1]
    description = definition.description[:DESCRIPTION_CHARS]
    name_words = tuple(tokenize(short))
    return ToolSpec(
        name=definition.name,
        name_words=name_words,
        description_words=frozenset(tokenize(description)),
        parameters=_parameters(definition.parameters_schema),
        reads=definition.tool_class == TOOL_CLASS_READS,
    )


def _parameters(text: str) -> tuple[Parameter, ...] | None:
    if not text.strip():
        return ()
    schema = parse_json(text) if len(text) <= MAX_SCHEMA_CHARS else None
    if not isinstance(schema, dict):
        return None
    top = resolve(schema, schema)
    properties = top.get("properties", {})
    required = top.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return None
    names = [name for name in required if isinstance(name, str)]
    if len(names) != len(required) or len(properties) > MAX_PARAMETERS or len(names) > MAX_PARAMETERS:
        return None
    found = []
    for name in dict.fromkeys([*names, *properties]):
        raw = properties.get(name, {})
        if raw is True:  # JSON Schema for "anything"
            raw = {}
        if not isinstance(raw, dict):
            return None
        found.append(Parameter(name=name, schema=resolve(raw, schema), required=name in names))
    return tuple(found)


def resolve(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """Follow local references and choose the first usable alternative; bounded in depth."""
    for _ in range(8):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            target = _lookup(reference, root)
            if target is None:
                return {"type": "unknown"}
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
            continue
        for word in ("anyOf", "oneOf", "allOf"):
            options = schema.get(word)
            if isinstance(options, list):
                usable = [o for o in options if isinstance(o, dict) and o.get("type") != "null"]
                if len(usable) > 1 and all("const" in option for option in usable):
                    return {"enum": [option["const"] for option in usable]}  # a choice, which nobody made yet
                rest = {key: value for key, value in schema.items() if key != word}
                schema = {**(usable[0] if usable else {}), **rest}
                break
        else:
            return schema
    return {"type": "unknown"}


def _lookup(reference: str, root: dict[str, Any]) -> dict[str, Any] | None:
    if not reference.startswith("#/"):
        return None
    node: Any = root
    for part in reference[2:].split("/")[:10]:
        node = node.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else None
