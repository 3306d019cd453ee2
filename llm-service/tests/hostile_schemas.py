"""Schemas that MCP servers have sent or could send. Each is refused by some provider."""

from __future__ import annotations

import json
from typing import Any


def _nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"next": schema}}
    return schema


def _of(value: object, **more: object) -> dict[str, Any]:
    return {"type": "object", "properties": {"value": value}, **more}


def _doubling() -> dict[str, Any]:
    """Returns a schema whose definitions each contain the next one twice: resolved, 2^40 copies."""
    levels = {
        f"d{n}": {"type": "object", "properties": {side: {"$ref": f"#/$defs/d{n + 1}"} for side in ("left", "right")}}
        for n in range(40)
    }
    return {"type": "object", "properties": {"tree": {"$ref": "#/$defs/d0"}}, "$defs": {**levels, "d40": {}}}


A = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
B = {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}

HOSTILE: dict[str, object] = {
    "top-level oneOf": {"oneOf": [A, B]},
    "top-level oneOf beside type": {"type": "object", "oneOf": [A, B]},
    "top-level anyOf": {"anyOf": [A, B]},
    "top-level allOf": {"allOf": [A, B]},
    "top-level allOf of references": {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": A}},
    "top-level anyOf of required": {**_of({"type": "string"}), "anyOf": [{"required": ["value"]}, {"required": ["x"]}]},
    "top-level $ref": {"$ref": "#/definitions/a", "definitions": {"a": A}},
    "top-level $ref to itself": {"$ref": "#"},
    "top-level $ref to nothing": {"$ref": "#/definitions/gone"},
    "top-level $ref elsewhere": {"$ref": "https://example.com/schema.json"},
    "top-level not": {**A, "not": {"required": ["b"]}},
    "top-level enum": {**A, "enum": [{"a": "x"}]},
    "top-level const": {**A, "const": {"a": "x"}},
    "top-level if": {**A, "if": {"properties": {"a": {"const": "x"}}}, "then": {"required": ["b"]}},
    "no type": {"properties": {"a": {"type": "string"}}},
    "empty": {},
    "no properties": {"type": "object"},
    "properties null": {"type": "object", "properties": None},
    "properties a list": {"type": "object", "properties": []},
    "types of the whole": {"type": ["object", "null"], "properties": {"a": {"type": "string"}}},
    "integer enum": _of({"type": "integer", "enum": [1, 2, 3]}),
    "integer enum without type": _of({"enum": [1, 2, 3]}),
    "number enum": _of({"type": "number", "enum": [0.5, 1.5]}),
    "boolean enum": _of({"type": "boolean", "enum": [True]}),
    "null enum": _of({"enum": [None]}),
    "enum of text and null": _of({"type": ["string", "null"], "enum": ["a", "b", None]}),
    "enum of everything": _of({"enum": ["a", 1, True, None, 1.5]}),
    "enum of objects": _of({"enum": [{"a": 1}, [1, 2]]}),
    "enum with empty text": _of({"type": "string", "enum": ["", "a"]}),
    "enum of empty text": _of({"type": "string", "enum": [""]}),
    "empty enum": _of({"type": "string", "enum": []}),
    "enum no list": _of({"type": "string", "enum": "a"}),
    "const text": _of({"const": "x"}),
    "const integer": _of({"const": 7}),
    "const null": _of({"const": None}),
    "const object": _of({"const": {"a": 1}}),
    "reference": _of({"$ref": "#/$defs/a"}, **{"$defs": {"a": A}}),
    "reference with words": _of({"$ref": "#/$defs/a", "description": "more"}, **{"$defs": {"a": A}}),
    "reference to a property": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}},
    },
    "reference to nothing": _of({"$ref": "#/$defs/gone"}),
    "reference no text": _of({"$ref": 7}),
    "reference a list": _of({"$ref": []}),
    "all of it refers to an object": {"$ref": {}},
    "remote reference": _of({"$ref": "https://example.com/a.json#/x"}),
    "escaped reference": _of({"$ref": "#/$defs/a~1b%20c"}, **{"$defs": {"a/b c": A}}),
    "contains itself": _of({"$ref": "#/$defs/node"}, **{"$defs": {"node": _of({"$ref": "#/$defs/node"})}}),
    "contains itself in a list": _of(
        {"$ref": "#/$defs/node"}, **{"$defs": {"node": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    ),
    "references in a circle": _of(
        {"$ref": "#/$defs/a"}, **{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    ),
    "doubles without end": _doubling(),
    "very deep": _nested(60),
    "free-form object": _of({"type": "object"}),
    "free-form map": _of({"type": "object", "additionalProperties": {"type": "string"}}),
    "map of anything": _of({"additionalProperties": True}),
    "pattern properties": _of({"type": "object", "patternProperties": {"^x-": {"type": "string"}}}),
    "anything": _of({}),
    "true": _of(True),
    "false": _of(False),
    "null schema": _of(None),
    "a needed argument that is false": _of(False, required=["value"]),
    "array without items": _of({"type": "array"}),
    "array of anything": _of({"type": "array", "items": {}}),
    "array items true": _of({"type": "array", "items": True}),
    "tuple": _of({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": False}),
    "prefix items": _of({"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}),
    "empty tuple": _of({"type": "array", "items": []}),
    "several types": _of({"type": ["string", "integer", "null"]}),
    "nullable object": _of({"type": ["object", "null"], "properties": {"a": {"type": "string"}}}),
    "array or text": _of({"type": ["array", "string"], "items": {"type": "string"}}),
    "no types": _of({"type": []}),
    "only null": _of({"type": "null"}),
    "anyOf with null": _of({"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}),
    "anyOf of const": _of({"anyOf": [{"const": 1}, {"const": "a"}, {"type": "null"}]}),
    "anyOf beside type": _of({"type": "string", "anyOf": [{"minLength": 1}, {"pattern": "a"}]}),
    "empty anyOf": _of({"anyOf": []}),
    "anyOf of nonsense": _of({"anyOf": [1, None, "a", True]}),
    "oneOf of objects": _of({"oneOf": [A, B]}),
    "oneOf within oneOf": _of({"oneOf": [{"oneOf": [A, B]}, {"type": "string"}]}),
    "allOf of values": _of({"allOf": [{"type": "string"}, {"minLength": 3}]}),
    "allOf within allOf": _of({"allOf": [{"allOf": [A]}, {"allOf": [B]}]}),
    "discriminator": _of(
        {"oneOf": [{**A, "title": "A"}, {**B, "title": "B"}], "discriminator": {"propertyName": "kind"}}
    ),
    "unknown type": _of({"type": "any"}),
    "types of other languages": {
        "type": "object",
        "properties": {t: {"type": t} for t in ("int", "float", "str", "dict")},
    },
    "type no text": _of({"type": {"type": "string"}}),
    "draft 3 required": _of({"type": "string", "required": True}),
    "required of nothing": _of({"type": "string"}, required=["gone"]),
    "required twice": _of({"type": "string"}, required=["value", "value"]),
    "required no list": _of({"type": "string"}, required="value"),
    "draft 4 exclusive": _of({"type": "integer", "minimum": 0, "exclusiveMinimum": True}),
    "limits of nonsense": _of({"type": "string", "minLength": "3", "maxLength": None}),
    "odd format": _of({"type": "string", "format": "k8s-quantity"}),
    "lookahead": _of({"type": "string", "pattern": "^(?!x)(?<name>.*)$"}),
    "broken pattern": _of({"type": "string", "pattern": "(["}),
    "odd names": {
        "type": "object",
        "properties": {n: {"type": "string"} for n in ("a b", "@type", "x" * 100, "ä", "$ref", "", "a/b")},
    },
    "odd name that is needed": {"type": "object", "properties": {"a b": {}}, "required": ["a b"]},
    "half a character": _of({"type": "string", "description": "\ud800", "default": "\udfff", "enum": ["\ud800"]}),
    "other keywords": _of({"type": "string", "x-kubernetes-int-or-string": True, "$comment": "c", "examples": [1]}),
    "description no text": _of({"type": "string", "description": {"en": "x"}}),
    "content encoding": _of({"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"}),
    "unevaluated": {**A, "unevaluatedProperties": False, "dependentRequired": {"a": ["b"]}, "propertyNames": {}},
    "array": {"type": "array", "items": {"type": "string"}},
    "text": {"type": "string"},
    "no object": ["a"],
    "only a word": "string",
    "true as a whole": True,
}

TEXTS = {name: json.dumps(schema) for name, schema in HOSTILE.items()} | {
    "not JSON": "{",
    "not a number": '{"type": "object", "properties": {"a": {"type": "number", "maximum": NaN}}}',
    "beyond all numbers": '{"type": "object", "properties": {"a": {"type": "number", "default": 1e999}}}',
    "nested beyond reading": '{"a":' * 20_000,
}

UNUSABLE = {
    "array", "text", "no object", "only a word", "true as a whole", "not JSON", "not a number", "beyond all numbers",
    "nested beyond reading", "doubles without end",
}  # fmt: skip
"""Schemas that no provider accepts."""
