"""Text that can go on our wire."""

from __future__ import annotations

import json

CUT_NOTE = "\n\n[The answer was cut here: it reached the output limit of the model.]"
"""Ends a text that the model's output limit cut off, so that nobody takes it for whole."""


def well_formed(text: str) -> str:
    """Replace lone surrogates, which a provider's JSON may hold and protobuf refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def arguments_to_json(arguments: object) -> str:
    """Write a tool call's arguments as ToolCallDelta carries them; nothing becomes an empty object."""
    return well_formed(json.dumps(arguments if arguments is not None else {}, ensure_ascii=False))


def arguments_from_json(text: str) -> dict[str, object]:
    """Read the arguments of an earlier call; what is no JSON object is kept under "input"."""
    if not text.strip():
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {"input": text}
    return value if isinstance(value, dict) else {"input": value}
