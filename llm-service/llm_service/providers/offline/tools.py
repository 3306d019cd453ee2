"""Which of the offered tools can be called, and with which arguments. What no rule is sure of is not filled in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.proto.llm_service_pb2 import TOOL_CLASS_READS
from llm_service.providers.offline.about import kind_of, normalise
from llm_service.providers.offline.text import parse_json, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from llm_service.proto.llm_service_pb2 import ToolDefinition
    from llm_service.providers.offline.about import About, Things

ENGINE_SERVER = "tarsy"
"""Tools of the engine itself look for tools, not at what is in trouble."""

# Text that a tool would carry out, or that is too vague to be taken by its name.
_NEVER = frozenset("command cmd exec program script code sql expression query id type kind status message".split())
_OWNERS = ("pod", "deployment", "node", "namespace", "container", "service", "process")
_RESOLVES = frozenset(("dns", "lookup", "resolve", "domain"))


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool, with its JSON Schema."""

    name: str
    schema: dict[str, Any]
    required: bool


@dataclass(frozen=True)
class Tool:
    """A tool; words are stems. It reads when the operator or its server says so; parameters are None if unreadable."""

    name: str
    words: tuple[str, ...]
    described: frozenset[str]
    parameters: tuple[Parameter, ...] | None
    reads: bool


@dataclass(frozen=True)
class Filling:
    """Arguments, those that a call must have and nothing gives, and whether the text itself gives one."""

    arguments: dict[str, Any]
    missing: list[str]
    named: bool


def read_tools(definitions: Iterable[ToolDefinition]) -> list[Tool]:
    """Read the tools of a request, whatever their schemas are worth."""
    return [
        Tool(
            name=one.name,
            words=tuple(words_of(one.name.split(".", 1)[-1])),
            described=frozenset(words_of(one.description[:2000])),
            parameters=_parameters(one.parameters_schema),
            reads=one.tool_class == TOOL_CLASS_READS,
        )
        for one in sorted(definitions, key=lambda definition: definition.name)
        if one.name.split(".", 1)[0] != ENGINE_SERVER
    ]


def _parameters(text: str) -> tuple[Parameter, ...] | None:
    schema = parse_json(text) if text.strip() else {}
    if not isinstance(schema, dict):
        return None
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or len(properties) > 100:
        return None
    names = list(dict.fromkeys([*(str(name) for name in required), *properties]))
    return tuple(Parameter(name, _plain(properties.get(name, {})), name in required) for name in names)


def _plain(schema: object) -> dict[str, Any]:
    """The schema where it is of one type, also where null is another; else one that nothing fits."""
    if not isinstance(schema, dict) or schema.keys() & {"$ref", "allOf"}:
        return {"type": "unknown"}
    options = schema.get("anyOf", schema.get("oneOf"))
    if options is None:
        return schema
    others = [one for one in options if one != {"type": "null"}] if isinstance(options, list) else []
    return _plain(others[0]) if len(others) == 1 else {"type": "unknown"}


def fill(tool: Tool, about: About, results: Things) -> Filling:
    """Fill a tool's arguments: from the text, what a call must have also from the schema and from earlier results."""
    filling = Filling({}, [], named=False)
    named = False
    for parameter in tool.parameters or ():
        values = _fitting(parameter, _from_text(tool, parameter, about))
        named = named or bool(values)
        if not values and parameter.required:
            values = _fitting(parameter, _from_elsewhere(tool, parameter, results))
            filling.missing.extend([] if values else [parameter.name])
        if values:
            filling.arguments[parameter.name] = values[0]
    return Filling(filling.arguments, filling.missing, named)


def _kind(tool: Tool, parameter: Parameter) -> str | None:
    """A vague name is of the kind of thing that the tool's own name speaks of."""
    if normalise(parameter.name) in ("name", "resourcename"):
        owner = next((word for word in _OWNERS if word in tool.words), None)
        return owner or ("host" if _RESOLVES.intersection(tool.words) else None)
    return kind_of(parameter.name)


def _from_text(tool: Tool, parameter: Parameter, about: About) -> list[Any]:
    name, kind = normalise(parameter.name), _kind(tool, parameter)
    options = parameter.schema.get("enum")
    if isinstance(options, list):
        return [one for one in options[:200] if isinstance(one, str) and set(words_of(one)) & about.words.keys()]
    if kind is not None:
        return [one for one in about.things.get(kind) if kind != "path" or _takes_path(tool, one)]
    own = about.things.fields.get(name)
    return [own] if own is not None and name not in _NEVER and name != "name" else []


def _from_elsewhere(tool: Tool, parameter: Parameter, results: Things) -> list[Any]:
    schema, kind = parameter.schema, _kind(tool, parameter)
    if "const" in schema or "default" in schema:
        return [schema.get("const", schema.get("default"))]
    return [one for one in results.get(kind) if kind != "path" or _takes_path(tool, one)] if kind else []


def _takes_path(tool: Tool, path: str) -> bool:
    """A tool for logs is not given a folder, nor what is packed."""
    if not {"log", "tail", "grep"}.intersection(tool.words):
        return True
    name = path.rsplit("/", 1)[-1]
    packed = name.endswith((".gz", ".xz", ".bz2", ".zst", ".journal"))
    return not packed and (".log" in name or "/log/" in path or "/logs/" in path)


def _fitting(parameter: Parameter, values: list[Any]) -> list[Any]:
    return [one for one in (_fit(value, parameter.schema) for value in values) if one is not None]


def _fit(value: Any, schema: dict[str, Any]) -> Any | None:
    """The value in the form that the schema asks for; None when it does not fit."""
    options, kind = schema.get("enum", [value]), schema.get("type", "string")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    if kind == "array" and isinstance(value, str):
        items = schema.get("items")
        one = _fit(value, items if isinstance(items, dict) else {})
        return None if one is None else [one]
    if kind == "integer" and isinstance(value, str) and re.fullmatch(r"\d{1,15}", value):
        value = int(value)
        low, high = schema.get("minimum", value), schema.get("maximum", value)
        inside = isinstance(low, int | float) and isinstance(high, int | float) and low <= value <= high
        return value if inside and value in schema.get("enum", [value]) else None
    types: dict[object, type] = {"string": str, "integer": int, "boolean": bool, "array": list}
    # A default of the schema itself may be of any of these.
    return value if isinstance(value, types.get(kind, ())) and isinstance(options, list) and value in options else None
