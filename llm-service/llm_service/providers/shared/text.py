"""Makes text and JSON from outside safe for protobuf, and reads values of unknown type."""

import json
from collections.abc import Callable
from typing import Any

CUT_NOTE = "\n\n[The answer was cut here: it reached the output limit of the model.]"


def well_formed(text: str) -> str:
    """Replaces lone surrogates, which JSON may contain and protobuf refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def read_json(text: bytes) -> Any:
    """Parses JSON so that all strings are valid in protobuf. Raises ValueError."""
    value = json.loads(text)
    # Only an escape sequence can yield a lone surrogate.
    return json.loads(well_formed(to_json(value))) if rb"\u" in text else value


def to_json(value: object) -> str:
    """Returns JSON without escaping non-ASCII letters."""
    return json.dumps(value, ensure_ascii=False)


def arguments_from_json(text: str) -> dict[str, object]:
    """Returns the arguments of an earlier call; a value that is no JSON object is stored under "input"."""
    try:
        value = read_json(text.encode()) if text.strip() else {}
    except (ValueError, RecursionError):
        return {"input": text}
    return value if isinstance(value, dict) else {"input": value}


def as_dict(value: object) -> dict[str, Any]:
    """Returns the value if it is an object, otherwise an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """Returns the value if it is a list, otherwise an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Returns the value if it is a string, otherwise an empty one."""
    return value if isinstance(value, str) else ""


def dicts_in(value: object) -> list[dict[str, Any]]:
    """Returns the objects in a list."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def without(value: Any, left_out: Callable[[str, Any], bool]) -> Any:
    """Returns the value without the keys that `left_out` selects by key and value, at any depth."""
    if isinstance(value, dict):
        return {key: without(one, left_out) for key, one in value.items() if not left_out(key, one)}
    return [without(one, left_out) for one in value] if isinstance(value, list) else value
