"""JSON that somebody else wrote: parsed within bounds, never trusted."""

from __future__ import annotations

import json
import re
from typing import Any, TypeAlias

Scalar: TypeAlias = str | int | float | bool | None

MAX_PARSE_CHARS = 2_000_000
"""An alert or a tool result has at most 1 MiB; more than this is not looked at as JSON."""

MAX_DEPTH = 100

_STRUCTURE = re.compile(r'["{}]')
_STRING_END = re.compile(r'["\\]')


def parse_json(text: str) -> Any | None:
    """Parse an object or an array; None for anything else, nonsense and hostile depth included."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")) or len(stripped) > MAX_PARSE_CHARS:
        return None
    try:
        value = json.loads(stripped, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) and _is_shallow(value) else None


def _is_shallow(value: Any) -> bool:
    """How deep the parser itself goes differs between Python versions; writing may go less deep than reading."""
    level = [value]
    for _ in range(MAX_DEPTH):
        if not level:
            return True
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, dict) else item)
            if isinstance(inner, dict | list)
        ]
    return not level


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


def to_json(value: object) -> str:
    """Write compact JSON in ASCII, so that no lone surrogate can reach the wire."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"))


def canonical_json(value: object) -> str:
    """Write JSON that is equal for equal values."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True)


def object_spans(text: str, limit: int) -> list[tuple[int, int]]:
    """Find where each JSON object begins and ends in valid JSON, in order of their beginnings.

    Only objects among the first `limit` to open are told. Linear in the length of the text.
    """
    spans: list[tuple[int, int] | None] = []
    open_objects: list[int] = []
    position = 0
    while found := _STRUCTURE.search(text, position):
        position = found.end()
        mark = found.group()
        if mark == '"':
            position = _skip_string(text, position)
        elif mark == "{":
            open_objects.append(len(spans))
            spans.append((found.start(), len(text)))
            if len(spans) > limit:
                break
        elif open_objects:
            index = open_objects.pop()
            opened = spans[index]
            if opened is not None:
                spans[index] = (opened[0], position)
    return [span for span in spans[:limit] if span is not None]


def _skip_string(text: str, position: int) -> int:
    while found := _STRING_END.search(text, position):
        if found.group() == '"':
            return found.end()
        position = found.end() + 1
    return len(text)
