"""What a provider's words say about why it refused a request. They are read here and never passed on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_TOO_LONG = re.compile(
    r"context[ _]?(?:length|size|window|limit)"
    r"|\b(?:prompt|input|request|messages?|conversation) (?:is|are) too (?:long|large)"
    r"|too (?:long|large) for (?:the |this )?(?:requested )?model"
    r"|maximum number of (?:input |prompt )?tokens|maximum (?:prompt|input|sequence) length"
    r"|token limit|too many (?:input |prompt )?tokens|reduce the length of",
    re.IGNORECASE,
)
# OpenAI's words for one request above the rate of a whole minute: waiting does not help.
_TOO_LARGE_FOR_RATE = re.compile(r"tokens must be reduced", re.IGNORECASE)
_TOO_LONG_BY_STATUS = {**dict.fromkeys((400, 413, 422, 500), _TOO_LONG), 429: _TOO_LARGE_FOR_RATE}

_SHOWN = 4000
"""Characters of an error that are looked at; what follows may be a quoted prompt."""


def is_too_long(status: int, text: str) -> bool:
    """Tell whether a provider refused a conversation because the model cannot read so much."""
    pattern = _TOO_LONG_BY_STATUS.get(status)
    return pattern is not None and pattern.search(text[:_SHOWN]) is not None


# Gemini: tools[0].function_declarations[3].parameters…; its tools[0] holds all of them.
_DECLARATION = re.compile(r"function_?declarations\[(\d{1,4})\]()", re.IGNORECASE)
# OpenAI: tools[3].parameters; Anthropic: tools.3.custom.input_schema.
_TOOL = re.compile(r"\btools(?:\[(\d{1,4})\]|\.(\d{1,4})\b)")
_OF_SCHEMAS = re.compile(r"schema|parameters|propert|declaration|description", re.IGNORECASE)
_QUOTED = re.compile(r"[\"'`]([A-Za-z_][A-Za-z0-9_-]{0,63})[\"'`]")


def refused_tools(status: int, text: str, names: Sequence[str]) -> list[int]:
    """Numbers of the tools because of which a provider refused a request, by its words: by number, else by name."""
    if status not in (400, 422):
        return []
    shown = text[:_SHOWN]
    pattern = _DECLARATION if "declarations" in shown.lower() else _TOOL
    found = {int(match[1] or match[2]) for match in pattern.finditer(shown)}
    if not found and _OF_SCHEMAS.search(shown):
        quoted = set(_QUOTED.findall(shown))
        found = {index for index, name in enumerate(names) if name in quoted}
    return sorted(index for index in found if index < len(names))
