"""Schema rules of providers, as documented and observed."""

from __future__ import annotations

import json
import re
from typing import Any

TYPES = {"string", "integer", "number", "boolean", "object", "array", "null"}
COMBINING = ("oneOf", "anyOf", "allOf", "enum", "not", "$ref", "const")
NUMBERS = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
KNOWN = {
    "type", "description", "enum", "properties", "required", "items", "anyOf", "additionalProperties", "format",
    "default", "title", *NUMBERS,
}  # fmt: skip
MAX_DEPTH = 30


def problem_of(schema: Any, provider: str) -> str | None:
    """Returns the reason why this provider ("openai", "anthropic", "gemini") would refuse a tool's schema."""
    json.dumps(schema, allow_nan=False).encode("utf-8")
    if not isinstance(schema, dict) or schema.get("type") != "object" or "properties" not in schema:
        return "not an object"
    found = next((key for key in COMBINING if key in schema), None)
    return f"{found} at the top level" if found else _problem(schema, provider, 0)


def _problem(schema: Any, provider: str, depth: int) -> str | None:
    if not isinstance(schema, dict):
        return "not a schema"
    if depth > MAX_DEPTH:
        return "too deep"
    unknown = schema.keys() - KNOWN
    if unknown:
        return f"unknown {sorted(unknown)}"
    written = schema.get("type")
    types = written if isinstance(written, list) else [written] if written is not None else []
    if not set(types) <= TYPES or written == []:
        return "odd type"
    if any(type(schema[key]) not in (int, float) for key in NUMBERS if key in schema):
        return "odd limit"
    return _shape_problem(schema, types, provider) or _deeper_problem(schema, types, provider, depth)


def _shape_problem(schema: dict[str, Any], types: list[str], provider: str) -> str | None:
    if "array" in types and "items" not in schema:
        return "array without items"
    enum = schema.get("enum")
    if enum is not None and (not isinstance(enum, list) or not enum or len(enum) != len({repr(v) for v in enum})):
        return "odd enum"
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list) or not set(required) <= properties.keys():
        return "odd properties"
    if provider == "gemini":
        if not types and "anyOf" not in schema:
            return "no type"
        if len([one for one in types if one != "null"]) > 1:
            return "several types"
        if enum is not None and not all(isinstance(value, str) and value for value in enum):
            return "enum of other than text"
    if provider == "anthropic" and not all(re.fullmatch(r"[a-zA-Z0-9_.-]{1,64}", name) for name in properties):
        return "odd name"
    return None


def _deeper_problem(schema: dict[str, Any], types: list[str], provider: str, depth: int) -> str | None:
    if "anyOf" in schema and (not isinstance(schema["anyOf"], list) or not schema["anyOf"]):
        return "odd anyOf"
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    inner += [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    return next((problem for one in inner if (problem := _problem(one, provider, depth + 1))), None)
