"""How each model family is asked to think, in one table for each provider (Gemini's: google/models.py).

A model that no row knows is asked for nothing: it answers as it does by default, instead of refusing a
parameter that it does not have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Row(Generic[T]):
    """Models whose name matches, and what holds for them."""

    pattern: re.Pattern[str]
    value: T


def _row(pattern: str, value: T) -> Row[T]:
    return Row(re.compile(pattern), value)


@dataclass(frozen=True)
class ClaudeThinking:
    """How a Claude model thinks.

    Attributes:
        parameter: the "thinking" of a request; None = the model has no thinking.
        max_tokens: limit of thoughts and answer together; Anthropic demands one.
        needs_blocks: a turn that called tools must come back with its thinking blocks, or not at all:
            without them the request is only valid with thinking off.
    """

    parameter: dict[str, Any] | None
    max_tokens: int
    needs_blocks: bool = False


_ADAPTIVE = {"type": "adaptive"}
_ADAPTIVE_SHOWN = {"type": "adaptive", "display": "summarized"}
"""From Opus 4.7 on thoughts are left out of the stream unless a summary is asked for."""

CLAUDE: tuple[Row[ClaudeThinking], ...] = (
    _row(r"claude-(opus|sonnet)-4-6", ClaudeThinking(_ADAPTIVE, 64_000)),
    _row(
        r"claude-(opus-4-5|sonnet-4-5|haiku-4-5|sonnet-4|3-7-sonnet)(?!\d)",
        ClaudeThinking({"type": "enabled", "budget_tokens": 32_000}, 64_000, needs_blocks=True),
    ),
    # Their output limit is 32,000, so half of it is left for the answer.
    _row(
        r"claude-opus-4(-0|-1|-2025|@|$)",
        ClaudeThinking({"type": "enabled", "budget_tokens": 16_000}, 32_000, needs_blocks=True),
    ),
    _row(r"claude-(opus|sonnet|haiku)-4-[7-9]", ClaudeThinking(_ADAPTIVE_SHOWN, 64_000)),
    _row(r"claude-(opus|sonnet|haiku|fable|mythos)-([5-9]|\d\d)", ClaudeThinking(_ADAPTIVE_SHOWN, 64_000)),
    _row(r"claude-3-5-", ClaudeThinking(None, 8192)),
    _row(r"claude-", ClaudeThinking(None, 4096)),
)

OPENAI: tuple[Row[dict[str, Any] | None], ...] = (
    _row(r"gpt-5[^-]*-chat", None),
    _row(r"o[1-9]|gpt-[5-9]|codex", {"effort": "high", "summary": "auto"}),
)
"""The "reasoning" of a Responses request."""

XAI: tuple[Row[str | None], ...] = (_row(r"grok-3-mini|grok-4\.3", "high"),)
"""reasoning_effort; every other Grok model refuses the parameter and thinks as much as it wants."""


def find(table: tuple[Row[T], ...], model: str, default: T) -> T:
    """Find what holds for a model; its name may have a path in front, as on Vertex AI."""
    name = model.rpartition("/")[2]
    return next((row.value for row in table if row.pattern.match(name)), default)


NO_CLAUDE_THINKING = ClaudeThinking(None, 8192)
