"""What a provider's words say about why it refused a request. They are read here and never passed on."""

from __future__ import annotations

import re

_STATUSES = frozenset({400, 413, 422, 500})
"""HTTP statuses with which providers refuse a conversation that is too long."""

_TOO_LONG = re.compile(
    r"context[ _]?(?:length|size|window|limit)"
    r"|\b(?:prompt|input|request|messages?|conversation) (?:is|are) too (?:long|large)"
    r"|too (?:long|large) for (?:the |this )?(?:requested )?model"
    r"|maximum number of (?:input |prompt )?tokens|maximum (?:prompt|input|sequence) length"
    r"|token limit|too many (?:input |prompt )?tokens|reduce the length of",
    re.IGNORECASE,
)
_TOO_LARGE_FOR_RATE = re.compile(r"tokens must be reduced", re.IGNORECASE)
"""OpenAI's words for one request above the rate of a whole minute: waiting does not help."""

_SHOWN = 4000
"""Characters of an error that are looked at; what follows may be a quoted prompt."""


def is_too_long(status: int, text: str) -> bool:
    """Tell whether a provider refused a conversation because the model cannot read so much."""
    pattern = _TOO_LONG if status in _STATUSES else _TOO_LARGE_FOR_RATE if status == 429 else None
    return pattern is not None and pattern.search(text[:_SHOWN]) is not None
