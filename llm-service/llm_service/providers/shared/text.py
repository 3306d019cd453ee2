"""Text and JSON of others: what can go on our wire, and parts that may be anything."""

import json
from collections.abc import Callable
from typing import Any

CUT_NOTE = "\n\n[The answer was cut here: it reached the output limit of the model.]"


def well_formed(text: str) -> str:
    """Replace lone surrogates, which a provider's JSON may hold and protobuf refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_json(text: bytes) -> Any:
    """Parse JSON, ValueError when it is none; all texts in it can go on our wire."""
    value = json.loads(text)
    # Only where something is escaped can a surrogate be alone.
    return json.loads(well_formed(to_json(value))) if rb"\u" in text else value


def to_json(value: object) -> str:
    """Write a value with its letters as they are."""
    return json.dumps(value, ensure_ascii=False)


def arguments_from_json(text: str) -> dict[str, object]:
    """Read the arguments of an earlier call; what is no JSON object is kept under "input"."""
    try:
        value = read_json(text.encode()) if text.strip() else {}
    except (ValueError, RecursionError):
        return {"input": text}
    return value if isinstance(value, dict) else {"input": value}


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


def without(value: Any, left_out: Callable[[str, Any], bool]) -> Any:
    """The value without some keys, by key and value, however deep."""
    if isinstance(value, dict):
        return {key: without(one, left_out) for key, one in value.items() if not left_out(key, one)}
    return [without(one, left_out) for one in value] if isinstance(value, list) else value
