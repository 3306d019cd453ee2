"""Reads the arguments of a tool call as models and gateways really write them."""

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from llm_service.providers.shared.text import as_dict, as_list, to_json, well_formed
from llm_service.providers.shared.tool_schemas import types_of

# Matches remains of a model's chat template after the arguments.
_TEMPLATE = re.compile(r"(?:</?[a-z_]+>|<[|｜][^|｜>]*[|｜]>|`{3}|\s)+")
_FENCE = re.compile(r"\s*`{3}(?:json)?[ \t]*\n")
_LITERAL = re.compile(r"\{\s*'")
_DECODER = json.JSONDecoder(strict=False)  # accepts raw line breaks in strings
MAX_CALLS = 16  # calls that one text of arguments may hold
MAX_LITERAL = 10_000  # characters of a Python literal; longer ones are not read


def read_arguments(text: str, schema: Mapping[str, Any] | None = None) -> list[str] | None:
    """Returns the arguments of each call in the text as JSON objects; None if the text cannot be read.

    Several objects are several calls; repeated objects, and empty ones beside others, are left out. Values are
    converted to the schema's types where only the quotes are wrong. Readable text stays as the model wrote it.
    """
    objects = _objects(text)
    if objects is None:
        return None
    full = [one for one in objects if one]
    kept = [one for number, one in enumerate(full) if one not in full[:number]] or [{}]
    converted = [convert(one, schema or {}) for one in kept]
    whole = _parse(text)
    if len(kept) == 1 and whole == kept[0] == converted[0]:
        return [well_formed(text)]
    return [well_formed(to_json(one)) for one in converted]


def is_complete(text: str) -> bool:
    """Returns True if the text can be read as arguments."""
    return bool(text.strip()) and _objects(text) is not None


def _parse(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _objects(text: str) -> list[dict[str, Any]] | None:
    text = _FENCE.sub("", text, count=1) if _FENCE.match(text) else text
    if not text.strip():
        return [{}]
    if _LITERAL.match(text):
        return _literal(text.strip())
    found: list[dict[str, Any]] = []
    at = _skip(text, 0)
    while at < len(text):
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            return None
        if isinstance(value, str) and not found:
            # Some models write the object as a JSON string.
            inner = _objects(value) if value != text else None
            found += inner or []
            if inner is None:
                return None
        elif value is None and not found:
            found.append({})
        elif isinstance(value, dict):
            found.append(value)
        else:
            return None
        at = _skip(text, end)
    return found if 0 < len(found) <= MAX_CALLS else None


def _skip(text: str, at: int) -> int:
    passed = _TEMPLATE.match(text, at)
    return passed.end() if passed else at


def _literal(text: str) -> list[dict[str, Any]] | None:
    """Reads a Python dictionary, which some models write in place of JSON."""
    if len(text) > MAX_LITERAL:
        return None
    try:
        value = ast.literal_eval(text)
        return [json.loads(json.dumps(value, allow_nan=False))] if isinstance(value, dict) else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def convert(value: Any, schema: Mapping[str, Any]) -> Any:
    """Converts strings where the schema allows other types only, such as "20" to 20, at any depth."""
    if isinstance(value, dict):
        properties = as_dict(schema.get("properties"))
        return {key: convert(one, as_dict(properties.get(key))) for key, one in value.items()}
    if isinstance(value, list):
        return [convert(one, as_dict(schema.get("items"))) for one in value]
    types = _types(schema)
    if not isinstance(value, str) or not types or "string" in types:
        return value
    # Python writes true and false as "True" and "False".
    read = _parse(value.strip() if value.strip() not in ("True", "False") else value.strip().lower())
    fits = {
        "boolean": isinstance(read, bool),
        "integer": type(read) is int,
        "number": type(read) in (int, float),
        "object": isinstance(read, dict),
        "array": isinstance(read, list),
    }
    return convert(read, schema) if any(fits.get(kind, False) for kind in types) else value


def _types(schema: Mapping[str, Any]) -> set[str]:
    """Returns the types that a value may have; an empty set if the schema leaves that open."""
    own = types_of(schema.get("type"))
    options = [as_dict(one) for key in ("anyOf", "oneOf") for one in as_list(schema.get(key))]
    each = [_types(option) for option in options]
    return own or (set().union(*each) if each and all(each) else set())
