"""Normalises JSON Schemas of tool arguments to a common subset. MCP servers still validate the full schema."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from llm_service.providers.shared.text import as_dict, as_list, as_text, dicts_in, to_json, well_formed

MAX_DEPTH = 12  # deeper levels accept any value, so that recursive schemas end
MAX_CHARACTERS = 64_000  # size limit of one schema with references resolved
MAX_SHOWN = 100  # maximum characters of a value quoted in a description
MAX_VALUES = 50

_NUMBERS = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
_CHOICES = ("anyOf", "oneOf")


class UnusableSchema(Exception):  # noqa: N818 -- named for the state
    """Raised if a schema cannot be normalised. The message never quotes the schema."""


@dataclass(frozen=True)
class Dialect:
    """The schema features that a provider accepts."""

    text_enums: bool = False  # enums contain only strings; other values are listed in the description
    typed: bool = False  # each value needs a type; values of unknown type become strings
    property_names: re.Pattern[str] | None = None  # pattern of argument names; None if any is accepted


OPENAI = Dialect()  # for OpenAI, xAI and compatible servers
ANTHROPIC = Dialect(property_names=re.compile(r"[a-zA-Z0-9_.-]{1,64}"))
GEMINI = Dialect(text_enums=True, typed=True)


def normalise(text: str, dialect: Dialect) -> dict[str, Any]:
    """Returns a provider-ready object schema. Raises UnusableSchema if it is invalid, not an object or too large."""
    try:
        written = json.loads(text) if text.strip() else {}
        # This round trip rejects non-finite numbers and replaces lone surrogates.
        schema = json.loads(well_formed(json.dumps(written, ensure_ascii=False, allow_nan=False)))
    except (ValueError, RecursionError) as error:
        raise UnusableSchema("its schema is not JSON") from error
    if not isinstance(schema, dict):
        raise UnusableSchema("its schema is not a JSON object")
    return _Normaliser(schema, dialect).run()


class _Normaliser:
    """Converts one schema. Raises UnusableSchema if the result becomes too large."""

    def __init__(self, root: dict[str, Any], dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self._room = MAX_CHARACTERS

    def run(self) -> dict[str, Any]:
        root = self._object_of(self._root, MAX_DEPTH, frozenset())
        types = types_of(root.get("type"))
        if types and "object" not in types:
            raise UnusableSchema("its arguments are not an object")
        properties = self._properties(root, MAX_DEPTH, frozenset())
        limits = self._limits(root, frozenset(), MAX_DEPTH)
        return {"type": "object", **properties, **limits, **self._description(root, "")}

    def _any(self, schema: object, depth: int, seen: frozenset[str]) -> dict[str, Any]:
        self._spend(16)
        if not isinstance(schema, dict) or depth <= 0:
            return self._anything({})
        merged, seen = self._flat(schema, depth, seen)
        if "properties" in merged:
            return self._plain(self._object_of(merged, depth, seen), depth, seen)
        choices = next((merged[key] for key in _CHOICES if isinstance(merged.get(key), list)), None)
        return self._choice(merged, choices, depth, seen) if choices else self._plain(merged, depth, seen)

    def _choice(self, schema: dict[str, Any], choices: list[Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        """Converts anyOf or oneOf; one alternative together with null becomes a nullable type."""
        options: list[dict[str, Any]] = []
        for choice in dicts_in(choices):
            inherited = {key: schema[key] for key in ("type", "items") if key in schema and key not in choice}
            option = self._any(inherited | choice, depth - 1, seen)
            if option not in options:
                options.append(option)
        real = [option for option in options if option.get("type") != "null"]
        if len(real) < len(options) and len(real) > 1:
            real.append({"type": "null"})
        if not real:
            return self._plain({key: value for key, value in schema.items() if key not in _CHOICES}, depth, seen)
        if len(real) == 1:
            only = real[0]
            if len(options) > 1 and isinstance(only.get("type"), str) and "enum" not in only:
                only = {**only, "type": [only["type"], "null"]}
            return only | self._description(schema, only.get("description", ""))
        return {"anyOf": real, **self._description(schema, "")}

    def _plain(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        types = types_of(schema.get("type")) or implied_types(schema)
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if isinstance(values, list) and values:
            return self._enum(schema, values)
        real = sorted(types - {"null"})
        if not real:
            return {"type": "null"} | self._description(schema, "") if types else self._anything(schema)
        if len(real) > 1:
            rest = {key: value for key, value in schema.items() if key not in {"type", "description"}}
            options = [self._plain({**rest, "type": one}, depth - 1, seen) for one in real]
            nulls = [{"type": "null"}] if "null" in types else []
            return {"anyOf": [*options, *nulls], **self._description(schema, "")}
        (kind,) = real
        result: dict[str, Any] = {"type": [kind, "null"] if "null" in types else kind}
        if kind == "array":
            items = schema.get("prefixItems") or schema.get("items")
            result["items"] = (
                self._choice({}, items, depth, seen) if isinstance(items, list) else self._any(items, depth - 1, seen)
            )
        if kind == "object" and isinstance(schema.get("properties"), dict):
            result |= self._properties(schema, depth, seen)
        return result | self._limits(schema, seen, depth) | self._description(schema, "")

    def _enum(self, schema: dict[str, Any], values: list[Any]) -> dict[str, Any]:
        texts = [value for value in values if isinstance(value, str)]
        others = [value for value in values if not isinstance(value, str)]
        if self._dialect.text_enums or any(isinstance(value, dict | list) for value in values):
            named = [text for text in texts if text]
            if named and all(value is None for value in others):
                return {"type": "string", "enum": named} | self._description(schema, "")
            kinds = {_TYPES[type(value)] for value in values} - {"null"}
            kind = kinds.pop() if len(kinds) == 1 else "string"
            shown = ", ".join(to_json(value)[:MAX_SHOWN] for value in values[:MAX_VALUES])
            return self._anything({"type": kind}) | self._description(schema, f"One of: {shown}")
        types = sorted({_TYPES[type(value)] for value in values})
        return {"type": types[0] if len(types) == 1 else types, "enum": values} | self._description(schema, "")

    def _properties(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        needed = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
        for name, value in as_dict(schema.get("properties")).items():
            if value is False or not name:
                continue
            allowed = self._dialect.property_names
            if allowed is not None and allowed.fullmatch(name) is None:
                if name in needed:
                    raise UnusableSchema("the provider does not take the name of an argument that it needs")
                continue
            self._spend(len(name))
            properties[name] = self._any(value, depth - 1, seen)
        required = [name for name in dict.fromkeys(needed) if name in properties]
        return {"properties": properties, **({"required": required} if required else {})}

    def _object_of(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        """Merges an object's alternatives: all their properties; those required by every alternative stay required."""
        merged, seen = self._flat(schema, depth, seen)
        if depth <= 0:
            return merged
        for key in _CHOICES:
            choices = [self._object_of(part, depth - 1, seen) for part in dicts_in(merged.get(key))]
            choices = [choice for choice in choices if "object" in (types_of(choice.get("type")) or {"object"})]
            if choices:
                common_options = set.intersection(
                    *(set(map(str, as_list(choice.get("required")))) for choice in choices)
                )
                parts = [{"properties": choice.get("properties")} for choice in choices]
                merged = merge_schemas(merged, [*parts, {"required": sorted(common_options)}])
                merged["type"] = "object"
        return merged

    def _flat(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> tuple[dict[str, Any], frozenset[str]]:
        """Resolves references and merges allOf; a recursive reference accepts anything."""
        self._spend(16)
        while "$ref" in schema:
            self._spend(16)
            reference = as_text(schema["$ref"])
            target = None if reference in seen else find_target(self._root, reference)
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema, seen = {**as_dict(target), **rest}, seen | {reference}
        if depth <= 0:
            return schema, seen
        parts = [self._flat(part, depth - 1, seen)[0] for part in dicts_in(schema.get("allOf"))]
        return merge_schemas(schema, parts), seen

    def _limits(self, schema: Mapping[str, Any], seen: frozenset[str], depth: int) -> dict[str, Any]:
        """Returns numeric limits, format and additionalProperties; nothing for a typed dialect (Gemini)."""
        if self._dialect.typed:
            return {}
        limits = {key: schema[key] for key in _NUMBERS if type(schema.get(key)) in (int, float)}
        if isinstance(schema.get("format"), str):
            limits["format"] = schema["format"]
        others = schema.get("additionalProperties")
        if isinstance(others, bool | dict):
            limits["additionalProperties"] = others if isinstance(others, bool) else self._any(others, depth - 1, seen)
        return limits

    def _description(self, schema: Mapping[str, Any], more: str) -> dict[str, Any]:
        words = [as_text(schema.get("description")).strip(), more]
        default = {}
        if "default" in schema:
            shown = to_json(schema["default"])
            self._spend(len(shown))
            if not self._dialect.typed:
                default["default"] = schema["default"]
            elif len(shown) <= MAX_SHOWN:
                words.append(f"Default: {shown}")
        text = " ".join(dict.fromkeys(word for word in words if word))
        self._spend(len(text))
        return {**({"description": text} if text else {}), **default}

    def _anything(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        kinds = types_of(schema.get("type")) - {"null"}
        known = kinds.pop() if len(kinds) == 1 else "string" if self._dialect.typed else None
        result: dict[str, Any] = {} if known is None else {"type": known}
        if known == "array":
            result["items"] = self._anything({})
        return result | self._description(schema, "")

    def _spend(self, characters: int) -> None:
        self._room -= characters
        if self._room < 0:
            raise UnusableSchema(f"its schema is larger than {MAX_CHARACTERS} characters")


_OTHERS = {"integer": "int int32 int64 long", "number": "float double decimal", "boolean": "bool"}
_OTHERS |= {"string": "str text date datetime file", "object": "dict map record", "array": "list tuple set"}
_ALIASES = {word: kind for kind, words in _OTHERS.items() for word in words.split()}
_TYPES: dict[type, str] = {str: "string", int: "integer", float: "number", bool: "boolean", dict: "object"}
_TYPES |= {list: "array", type(None): "null"}


def find_target(root: Mapping[str, Any], reference: str) -> object | None:
    """Returns the target of a "#/…" reference; None if it does not exist in this schema."""
    if reference == "#":
        return root
    if not reference.startswith("#/"):
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
    """Merges schemas: properties and required names are combined, otherwise the first schema wins."""
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
    """Returns the JSON Schema types that a schema names, with aliases resolved."""
    names = written if isinstance(written, list) else [written]
    known = (_ALIASES.get(name.lower(), name.lower()) for name in names if isinstance(name, str))
    return {name for name in known if name in _TYPES.values()}


def implied_types(schema: Mapping[str, Any]) -> set[str]:
    """Returns the type implied by the keywords of a schema without a type."""
    if isinstance(schema.get("properties"), dict) or "additionalProperties" in schema:
        return {"object"}
    return {"array"} if "items" in schema or "prefixItems" in schema else set()
