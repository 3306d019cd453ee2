"""Values against their JSON Schema: types, bounds, enums."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.entities import normalise
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from llm_service.providers.offline.subject import Subject

MAX_TEXT = 1000
USUAL_COUNT = 100
"""Lines, rows, minutes: enough to see something, little enough to read."""

_COUNT_WORDS = frozenset(
    """limit line lines tail taillines count max maxresults maxlines top n num size pagesize rows last first head
    minutes hours seconds sinceseconds since duration window days depth""".split()
)


def type_of(schema: dict[str, Any]) -> str | None:
    """The JSON type a schema asks for; None = any. Of several the first that is not null."""
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    if isinstance(kind, str):
        return kind
    if isinstance(schema.get("properties"), dict):
        return "object"
    return None


def coerce(value: Any, schema: dict[str, Any]) -> Any | None:
    """Bring a value into the form the schema asks for; None when it does not fit."""
    options = schema.get("enum")
    if isinstance(options, list):
        same = (option for option in options if option is not None and str(option).lower() == str(value).lower())
        return next(same, None)
    kind = type_of(schema)
    if kind == "integer":
        return _number(value, schema, whole=True)
    if kind == "number":
        return _number(value, schema, whole=False)
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    if kind == "array":
        return _array(value, schema)
    if kind in ("string", None):
        return _text(value, schema)
    return None  # objects cannot be made up


def _number(value: Any, schema: dict[str, Any], *, whole: bool) -> int | float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        if not re.fullmatch(r"-?\d{1,15}(?:\.\d{1,9})?", value):
            return None
        value = float(value) if "." in value else int(value)
    if not isinstance(value, int | float) or not math.isfinite(value) or abs(value) > 2**53:
        return None
    if whole and value != int(value):
        return None
    number = int(value) if whole else value
    low, high = _bounds(schema)
    return number if low <= number <= high else None


def _bounds(schema: dict[str, Any]) -> tuple[float, float]:
    low, high = -math.inf, math.inf
    for word in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"):
        bound = schema.get(word)
        if isinstance(bound, bool) or not isinstance(bound, int | float):
            continue
        if word == "minimum":
            low = max(low, bound)
        elif word == "exclusiveMinimum":
            low = max(low, math.nextafter(bound, math.inf) if abs(bound) < 2**53 else bound)
        elif word == "maximum":
            high = min(high, bound)
        else:
            high = min(high, math.nextafter(bound, -math.inf) if abs(bound) < 2**53 else bound)
    return low, high


def _text(value: Any, schema: dict[str, Any]) -> str | None:
    if not isinstance(value, str):
        return None
    shortest, longest = schema.get("minLength"), schema.get("maxLength")
    if isinstance(shortest, int) and len(value) < shortest:
        return None
    if len(value) > (min(longest, MAX_TEXT) if isinstance(longest, int) else MAX_TEXT):
        return None
    return value


def _array(value: Any, schema: dict[str, Any]) -> list[Any] | None:
    if isinstance(value, list):
        return value  # a default or const of the schema itself
    least, items = schema.get("minItems"), schema.get("items")
    if isinstance(least, int) and least > 1:
        return None
    item = coerce(value, items if isinstance(items, dict) and type_of(items) != "array" else {})
    return None if item is None else [item]


def fits_enum(schema: dict[str, Any], subject: Subject) -> list[Any]:
    """The choice of an enum that the alert's words point at, if one does."""
    options = schema.get("enum")
    if not isinstance(options, list) or len(options) < 2 or len(options) > 200:
        return []
    best, best_weight = None, 0.0
    for option in options:
        if isinstance(option, str):
            weight = max((subject.query.get(word, 0.0) for word in tokenize(option[:100])), default=0.0)
            if weight > max(best_weight, 0.5):
                best, best_weight = option, weight
    return [] if best is None else [best]


def is_count(name: str, schema: dict[str, Any]) -> bool:
    """Tell whether an argument says how much to return."""
    parts = {normalise(name), *tokenize(name)}
    return type_of(schema) in ("integer", "number") and bool(parts & _COUNT_WORDS)


def usual_count(schema: dict[str, Any]) -> int:
    """A usual amount, brought within the bounds of the schema."""
    low, high = _bounds(schema)
    return math.floor(max(min(USUAL_COUNT, high), math.ceil(low) if math.isfinite(low) else -math.inf))
