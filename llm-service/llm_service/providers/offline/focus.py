"""What an agent's own instructions tell it to look at, and what to leave to others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.providers.offline.words import content_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.toolspec import ToolSpec

SCAN_CHARS = 20_000
NAME_BONUS = 2.0
"""Two thirds of a word of the alert itself: an agent's field weighs, the alert still leads."""
OUTSIDE = 0.4
"""Share of its score that a tool keeps that the instructions do not speak of."""
LEFT_TO_OTHERS = 0.15

_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
_SET_ASIDE = re.compile(r"\b(?:leave|leaves|skip|ignore|do not|don't|never|(?:an)?other agents?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Focus:
    """Stems of tool names that the instructions speak of, and of those they set aside; both may be empty."""

    words: frozenset[str]
    set_aside: frozenset[str]

    def weigh(self, tool: ToolSpec, score: float, *, measures: bool) -> float:
        """Weigh a tool's score; a tool that measures what the alert claims is no one's own field."""
        hits = self.hits(tool)
        if hits:
            return score + NAME_BONUS * (1.0 if tool.name_words[0] in hits else 0.85)
        if self.set_aside.intersection(tool.name_words):
            return score * LEFT_TO_OTHERS
        return score * OUTSIDE if self.words and not measures else score

    def hits(self, tool: ToolSpec) -> tuple[str, ...]:
        """Words of the tool's name that the instructions speak of."""
        return tuple(word for word in dict.fromkeys(tool.name_words) if word in self.words)


def read_focus(instructions: str, tools: Sequence[ToolSpec]) -> Focus:
    """Read the instructions; only words that name tools count, since all others say how to work, not where."""
    named = {word for tool in tools for word in tool.name_words}
    words: set[str] = set()
    aside: set[str] = set()
    for sentence in _SENTENCE_END.split(instructions[:SCAN_CHARS]):
        found = named.intersection(content_words(sentence))
        (aside if _SET_ASIDE.search(sentence) else words).update(found)
    return Focus(frozenset(words), frozenset(aside - words))
