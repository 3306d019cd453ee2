"""Parts of JSON that may be anything, because somebody else wrote it."""

from __future__ import annotations

from typing import Any


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def dicts_in(value: object) -> list[dict[str, Any]]:
    """The objects of a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def without(value: Any, keys: frozenset[str]) -> Any:
    """The value without these keys, however deep."""
    if isinstance(value, dict):
        return {key: without(one, keys) for key, one in value.items() if key not in keys}
    return [without(one, keys) for one in value] if isinstance(value, list) else value
