"""Which tools to call next: those whose words fit and whose arguments are known; the same request, the same choice."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.outputs import harvest
from llm_service.providers.offline.text import words_of
from llm_service.providers.offline.tools import fill

if TYPE_CHECKING:
    from llm_service.providers.offline.about import About
    from llm_service.providers.offline.outputs import Output
    from llm_service.providers.offline.tools import Tool

FITS = 1.0
"""Below this a fit is taken for chance."""
NAME_WEIGHT, DESCRIPTION_WEIGHT, DESCRIPTION_MOST = 3.0, 0.7, 2.1
"""A long description has many words by chance: together they count less than one word of the name."""
ARGUMENT_BONUS, RUNBOOK_BONUS, INSTRUCTED_BONUS = 1.5, 3.0, 2.0
OUTSIDE, SET_ASIDE = 0.5, 0.1
"""What is left of a tool's score that the agent's instructions do not speak of, or leave to others."""

_SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n\s*\n")
_ASIDE = re.compile(r"\b(?:leave|skip|ignore|do not|don't|never|(?:an)?other agents?)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Limits:
    """How far to look: calls in all and of one answer; tools that fit less than `near` of the best are left out."""

    calls: int
    at_once: int
    near: float
    tools: int


# Eight answers are what a person reads in a report without skipping. One shows a symptom, a second what it comes with.
INVESTIGATION = Limits(calls=8, at_once=3, near=0.25, tools=2)
# A question asks for one thing, and somebody waits.
QUESTION = Limits(calls=4, at_once=2, near=0.6, tools=0)


@dataclass(frozen=True)
class Choice:
    """A call to make, and why, for people."""

    tool: str
    arguments: dict[str, Any]
    reason: str


@dataclass
class Plan:
    """What to call next (nothing: it is time to report), and which fitting tools cannot or may not be called."""

    choices: list[Choice] = field(default_factory=list)
    lacking: dict[str, list[str]] = field(default_factory=dict)
    not_called: list[str] = field(default_factory=list)


def make_plan(
    tools: list[Tool], about: About, made: list[Output], limits: Limits, *, runbook: str = "", instructions: str = ""
) -> Plan:
    """Choose the next calls; each tool is called once."""
    plan = Plan()
    results = harvest(made, about)
    told, aside = _instructed(instructions, tools)
    used = {one.tool for one in made}
    options: list[tuple[float, Choice]] = []
    best = 0.0
    for tool in tools:
        score, reasons = _fit(tool, about)
        if runbook and tool.name.split(".", 1)[-1] in runbook:
            score, reasons = score + RUNBOOK_BONUS, [*reasons, "the runbook names it"]
        if told.intersection(tool.words):
            score, reasons = score + INSTRUCTED_BONUS, [*reasons, "my instructions name it"]
        elif told or aside:
            score *= SET_ASIDE if aside.intersection(tool.words) else OUTSIDE
        if not tool.reads or tool.parameters is None:
            plan.not_called += [tool.name] if score >= FITS else []
            continue
        filling = fill(tool, about, results)
        if filling.missing:
            plan.lacking |= {tool.name: filling.missing} if score >= FITS else {}
            continue
        score += ARGUMENT_BONUS if filling.named and score else 0
        best = max(best, score)
        if tool.name not in used:
            reason = " and ".join(reasons) or "it needs nothing and gives an overview"
            options.append((score, Choice(tool.name, filling.arguments, reason)))
    options.sort(key=lambda one: (-one[0], one[1].tool))
    least = max(FITS, limits.near * best)
    fitting = [one for score, one in options if score >= least]
    spare = [one for score, one in options if score < least and not one.arguments]
    chosen = fitting + spare[: max(0, limits.tools - len(fitting) - len(used))]
    plan.choices = chosen[: max(0, min(limits.at_once, limits.calls - len(made)))]
    return plan


def _fit(tool: Tool, about: About) -> tuple[float, list[str]]:
    words, name = about.words, dict.fromkeys(tool.words)
    described = sorted(word for word in tool.described if word in words and word not in name)
    score = sum(words.get(word, 0.0) * NAME_WEIGHT for word in name)
    score += min(DESCRIPTION_MOST, sum(words[word] * DESCRIPTION_WEIGHT for word in described))
    hits = [*(word for word in name if word in words), *described]
    return score, [f"its words fit ({', '.join(hits[:4])})"] if hits else []


def _instructed(instructions: str, tools: list[Tool]) -> tuple[set[str], set[str]]:
    """Words of tool names that an agent's instructions speak of, and of those that they leave to others."""
    names = {word for tool in tools for word in tool.words}
    told: set[str] = set()
    aside: set[str] = set()
    for sentence in _SENTENCE.split(instructions[:20_000]):
        (aside if _ASIDE.search(sentence) else told).update(names.intersection(words_of(sentence)))
    return told, aside - told
