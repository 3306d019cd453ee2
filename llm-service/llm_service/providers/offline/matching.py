"""How well a tool fits an alert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.providers.offline.words import STOPWORDS, tokenize

if TYPE_CHECKING:
    from llm_service.providers.offline.subject import Subject
    from llm_service.providers.offline.toolspec import ToolSpec

NAME_WEIGHT = 3.0
DESCRIPTION_WEIGHT = 0.5
DESCRIPTION_CAP = 1.5
"""A long description holds many words by chance; together they count at most half of one name word."""
RUNBOOK_BONUS = 3.0
POSITIVE = 1.0
"""Below this a match is taken for chance."""


@dataclass(frozen=True)
class Match:
    """A score and the words it comes from, best first."""

    score: float
    words: tuple[str, ...]
    in_runbook: bool


def match(tool: ToolSpec, subject: Subject) -> Match:
    """Score a tool: words of its name count most, the first of them more than later ones."""
    hits: dict[str, float] = {}
    score = 0.0
    for position, word in enumerate(dict.fromkeys(tool.name_words)):
        weight = _weight(word, subject)
        if weight:
            gain = weight * NAME_WEIGHT * (1.0 if position == 0 else 0.85)
            hits[word] = gain
            score += gain
    described = 0.0
    for word in sorted(tool.description_words):
        weight = _weight(word, subject)
        if weight and word not in hits:
            hits[word] = weight * DESCRIPTION_WEIGHT
            described += weight * DESCRIPTION_WEIGHT
    score += min(described, DESCRIPTION_CAP)
    in_runbook = bool(subject.runbook) and (
        tool.name in subject.runbook or tool.name.split(".", 1)[-1] in subject.runbook
    )
    if in_runbook:
        score += RUNBOOK_BONUS
    best = sorted(hits, key=lambda word: (-hits[word], word))
    return Match(score=score, words=tuple(best[:4]), in_runbook=in_runbook)


def name_score(tool: str, words: set[str]) -> float:
    """Score a tool by its name alone against the words of a question."""
    found = [word for word in dict.fromkeys(tokenize(tool.split(".", 1)[-1])) if word in words]
    return NAME_WEIGHT * len(found)


def nearness(tool: str, subject: Subject) -> float:
    """Score a tool by its name alone against the alert."""
    return sum(_weight(word, subject) for word in dict.fromkeys(tokenize(tool.split(".", 1)[-1])))


def _weight(word: str, subject: Subject) -> float:
    # A topic names words on purpose; of the alert's own words those without meaning were left out.
    return 0.0 if len(word) < 2 or (word in STOPWORDS and word not in subject.query) else subject.query.get(word, 0.0)
