"""Schemas of tool arguments in a form that a provider takes.

Servers write any JSON Schema; each provider refuses other parts of it, and a request with it. What is made here
is a small, common form: the types and names of the arguments. What only narrows values is left out: the server
checks its arguments by itself.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.shared.json_parts import as_list, dicts_in
from llm_service.providers.shared.schema_parts import (
    dump,
    find_target,
    implied_types,
    merge_schemas,
    sound,
    type_of,
    types_of,
)
from llm_service.providers.shared.text import well_formed

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_DEPTH = 12
"""Below it anything is allowed: a schema that contains itself must end somewhere."""
MAX_CHARACTERS = 64_000
"""Of one schema, with what it refers to put in its places."""
MAX_SHOWN = 100
"""Characters of a value that is told in a description."""
MAX_VALUES = 50

_NUMBERS = ("minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength")
_CHOICES = ("anyOf", "oneOf")


class UnusableSchema(Exception):  # noqa: N818 -- named for the state
    """The schema cannot be expressed. The message says why, in words of our own."""


@dataclass(frozen=True)
class Dialect:
    """What a provider takes.

    Attributes:
        text_enums: enums hold text only; what else is allowed is told in the description.
        typed: every value needs a type; one of which nothing is known is declared as text.
        property_names: names of arguments, where the provider is strict about them.
    """

    text_enums: bool = False
    typed: bool = False
    property_names: re.Pattern[str] | None = None


OPENAI = Dialect()
"""Also xAI, and whatever is compatible with OpenAI."""
ANTHROPIC = Dialect(property_names=re.compile(r"[a-zA-Z0-9_.-]{1,64}"))
GEMINI = Dialect(text_enums=True, typed=True)


def normalise(text: str, dialect: Dialect) -> dict[str, Any]:
    """Make a schema of an object from what a server wrote.

    Raises:
        UnusableSchema: it is none of an object, or not JSON, or much too large.
    """
    try:
        schema = json.loads(text, parse_constant=_finite, parse_float=_finite) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise UnusableSchema("its schema is not JSON") from error
    if not isinstance(schema, dict):
        raise UnusableSchema("its schema is not a JSON object")
    return _Normaliser(schema, dialect).run()


def _finite(written: str) -> float:
    value = float(written)
    if not math.isfinite(value):
        raise ValueError(written)
    return value


class _Normaliser:
    """One schema on its way. It stops when it grows beyond all bounds."""

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
        """Normalise the schema of a value."""
        self._spend(16)
        if not isinstance(schema, dict) or depth <= 0:
            return self._anything()
        merged, seen = self._flat(schema, depth, seen)
        if "properties" in merged:
            return self._plain(self._object_of(merged, depth, seen), depth, seen)
        choices = next((merged[key] for key in _CHOICES if isinstance(merged.get(key), list)), None)
        return self._choice(merged, choices, depth, seen) if choices else self._plain(merged, depth, seen)

    def _choice(self, schema: dict[str, Any], choices: list[Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        """One of several: told as such, and simply as the one when there is only one besides null."""
        options: list[dict[str, Any]] = []
        for choice in choices:
            if not isinstance(choice, dict):
                continue
            inherited = {key: schema[key] for key in ("type", "items") if key in schema and key not in choice}
            option = self._any({**inherited, **choice}, depth - 1, seen)
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
            result["items"] = self._items(schema, depth, seen)
        if kind == "object" and isinstance(schema.get("properties"), dict):
            result |= self._properties(schema, depth, seen)
        return result | self._limits(schema, seen, depth) | self._description(schema, "")

    def _enum(self, schema: dict[str, Any], values: list[Any]) -> dict[str, Any]:
        texts = [well_formed(value) for value in values if isinstance(value, str)]
        others = [value for value in values if not isinstance(value, str)]
        if self._dialect.text_enums or any(isinstance(value, dict | list) for value in values):
            named = [text for text in texts if text]
            if named and all(value is None for value in others):
                return {"type": "string", "enum": named} | self._description(schema, "")
            kinds = {type_of(value) for value in values} - {"null"}
            kind = kinds.pop() if len(kinds) == 1 else "string"
            shown = ", ".join(dump(value)[:MAX_SHOWN] for value in values[:MAX_VALUES])
            return self._anything({"type": kind}) | self._description(schema, f"One of: {shown}")
        types = sorted({type_of(value) for value in values})
        enum = [well_formed(value) if isinstance(value, str) else value for value in values]
        return {"type": types[0] if len(types) == 1 else types, "enum": enum} | self._description(schema, "")

    def _items(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        items = schema.get("prefixItems") or schema.get("items")
        if not isinstance(items, list):
            return self._any(items, depth - 1, seen)
        options: list[dict[str, Any]] = []
        for item in items:
            option = self._any(item, depth - 1, seen)
            if option not in options:
                options.append(option)
        return {"anyOf": options} if len(options) > 1 else (options or [self._anything()])[0]

    def _properties(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        written = schema.get("properties")
        properties: dict[str, Any] = {}
        needed = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
        for name, value in written.items() if isinstance(written, dict) else ():
            if value is False or not name:
                continue
            allowed = self._dialect.property_names
            if allowed is not None and allowed.fullmatch(name) is None:
                if name in needed:
                    raise UnusableSchema("the provider does not take the name of an argument that it needs")
                continue
            self._spend(len(name))
            properties[well_formed(name)] = self._any(value, depth - 1, seen)
        required = [name for name in dict.fromkeys(map(well_formed, needed)) if name in properties]
        return {"properties": properties, **({"required": required} if required else {})}

    def _object_of(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> dict[str, Any]:
        """Put the parts of an object side by side: of alternatives all properties, needed where all need them."""
        merged, seen = self._flat(schema, depth, seen)
        if depth <= 0:
            return merged
        for key in _CHOICES:
            choices = [self._object_of(part, depth - 1, seen) for part in dicts_in(merged.get(key))]
            choices = [choice for choice in choices if "object" in (types_of(choice.get("type")) or {"object"})]
            if not choices:
                continue
            common = set.intersection(*(set(map(str, as_list(choice.get("required")))) for choice in choices))
            for choice in choices:
                merged = merge_schemas(merged, [{"properties": choice.get("properties")}])
            merged = merge_schemas(merged, [{"required": sorted(common)}])
            if not types_of(merged.get("type")):
                merged["type"] = "object"
        return merged

    def _resolved(self, schema: dict[str, Any], seen: frozenset[str]) -> tuple[dict[str, Any], frozenset[str]]:
        """Put in what the schema refers to; a schema that contains itself is left open there."""
        while "$ref" in schema:
            self._spend(16)
            reference = schema["$ref"]
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            target = None if reference in seen else find_target(self._root, reference)
            if not isinstance(reference, str) or not isinstance(target, dict):
                return rest, seen
            seen = seen | {reference}
            schema = {**target, **rest}
        return schema, seen

    def _flat(self, schema: dict[str, Any], depth: int, seen: frozenset[str]) -> tuple[dict[str, Any], frozenset[str]]:
        """Put in what the schema refers to, and all that must hold besides."""
        self._spend(16)
        schema, seen = self._resolved(schema, seen)
        if depth <= 0:
            return schema, seen
        parts = [self._flat(part, depth - 1, seen)[0] for part in dicts_in(schema.get("allOf"))]
        return merge_schemas(schema, parts), seen

    def _limits(self, schema: Mapping[str, Any], seen: frozenset[str], depth: int) -> dict[str, Any]:
        """Limits and hints that models use, where they are in the form that all know."""
        if self._dialect.typed:
            return {}
        limits = {key: schema[key] for key in _NUMBERS if type(schema.get(key)) in (int, float)}
        if isinstance(schema.get("format"), str):
            limits["format"] = well_formed(schema["format"])
        others = schema.get("additionalProperties")
        if isinstance(others, bool):
            limits["additionalProperties"] = others
        elif isinstance(others, dict):
            limits["additionalProperties"] = self._any(others, depth - 1, seen)
        return limits

    def _description(self, schema: Mapping[str, Any], more: str) -> dict[str, Any]:
        written = schema.get("description")
        words = [well_formed(written).strip() if isinstance(written, str) else "", more]
        default = {}
        if "default" in schema:
            shown = dump(schema["default"])
            self._spend(len(shown))
            if not self._dialect.typed:
                default["default"] = sound(schema["default"])
            elif len(shown) <= MAX_SHOWN:
                words.append(f"Default: {shown}")
        text = " ".join(dict.fromkeys(word for word in words if word))
        self._spend(len(text))
        return {**({"description": text} if text else {}), **default}

    def _anything(self, schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """A value of which little is known."""
        schema = schema or {}
        kinds = types_of(schema.get("type")) - {"null"}
        known = kinds.pop() if len(kinds) == 1 else "string" if self._dialect.typed else None
        result: dict[str, Any] = {} if known is None else {"type": known}
        if known == "array":
            result["items"] = self._anything()
        return result | self._description(schema, "")

    def _spend(self, characters: int) -> None:
        self._room -= characters
        if self._room < 0:
            raise UnusableSchema(f"its schema is larger than {MAX_CHARACTERS} characters")
