"""Parts of JSON Schemas, whatever servers put there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from llm_service.providers.shared.json_parts import as_dict, as_list
from llm_service.providers.shared.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_ALIASES = {
    **dict.fromkeys(("int", "int32", "int64", "long"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("str", "text", "date", "datetime", "file"), "string"),
    "bool": "boolean",
    **dict.fromkeys(("dict", "map", "record"), "object"),
    **dict.fromkeys(("list", "tuple", "set"), "array"),
}
_TYPES = frozenset({"string", "integer", "number", "boolean", "object", "array", "null"})


def find_target(root: Mapping[str, Any], reference: object) -> object | None:
    """Find what "#/…" points to; None when it points nowhere, or out of this schema."""
    if reference == "#":
        return root
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return None
    target: object = root
    for step in unquote(reference[2:]).split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(target, dict) and key in target:
            target = target[key]
        elif isinstance(target, list) and key.isdecimal() and int(key[:9]) < len(target):
            target = target[int(key)]
        else:
            return None
    return target


def merge_schemas(schema: Mapping[str, Any], parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """All of several schemas: properties and needs together, of the rest the first that says it."""
    result = dict(schema)
    for part in parts:
        properties = {**as_dict(part.get("properties")), **as_dict(result.get("properties"))}
        required = [*as_list(result.get("required")), *as_list(part.get("required"))]
        result = {**part, **result}
        if properties:
            result["properties"] = properties
        if required:
            result["required"] = required
    result.pop("allOf", None)
    return result


def types_of(written: object) -> set[str]:
    """The types that a schema names, in JSON Schema's own words."""
    names = written if isinstance(written, list) else [written]
    known = (_ALIASES.get(name.lower(), name.lower()) for name in names if isinstance(name, str))
    return {name for name in known if name in _TYPES}


def implied_types(schema: Mapping[str, Any]) -> set[str]:
    """The type of a schema that names none."""
    if isinstance(schema.get("properties"), dict) or "additionalProperties" in schema:
        return {"object"}
    return {"array"} if "items" in schema or "prefixItems" in schema else set()


def type_of(value: object) -> str:
    """The type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "integer", float: "number", str: "string", dict: "object", list: "array"}
    return kinds[type(value)]


def dump(value: object) -> str:
    """Write a value as JSON that can be sent."""
    return well_formed(json.dumps(value, ensure_ascii=False))


def sound(value: object) -> object:
    """The value with text that can be sent."""
    return json.loads(dump(value))
