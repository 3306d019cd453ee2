"""Secrets in what providers say: they quote the key that they refuse."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MASK = "***"
_MIN_LENGTH = 6

_SECRETS = re.compile(
    r"\b(?:sk|xai|pk|rk|gsk|key|ghp|gho|tvly)[-_][A-Za-z0-9_*.-]{8,}"
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bAKIA[A-Z0-9]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}"
    r"|(?<=[Bb]earer )[A-Za-z0-9_.~+/=-]{8,}"
)


def masked(text: str, known: Iterable[str] = ()) -> str:
    """Replace the secrets that are known, and what looks like one."""
    for secret in known:
        if len(secret) >= _MIN_LENGTH:
            text = text.replace(secret, MASK)
    return _SECRETS.sub(MASK, text)
