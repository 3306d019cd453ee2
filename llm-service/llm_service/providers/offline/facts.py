"""What agents say in short: their own lines, each once, with everyone who says it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from llm_service.providers.offline.findings import sentence
from llm_service.providers.offline.history import calls_of
from llm_service.providers.offline.readings import number_of
from llm_service.providers.offline.sections import read_sections, summing_up, unmarked

if TYPE_CHECKING:
    from llm_service.providers.offline.agents import AgentResult
    from llm_service.providers.offline.subject import Subject

MAX_FACTS = 10
"""Of one agent: as many as a person reads; the agent's own analysis has the rest."""
DRIFT = 0.05
"""Agents measure at different moments; so much a number may move in a minute without being another one."""

# Lines of a summary that repeat the alert or count the report's own parts.
_NO_FACT = re.compile(
    r"\*\*(?:Alert|Question):\*\*|Further results are quoted|\d+ of \d+ tool calls failed|Nothing could be checked:"
)
# Plain numbers with their unit; those of dates, versions and addresses belong to the words around them.
_NUMBER = re.compile(r"(?<![\w.:/-])\d{1,15}(?:\.\d{1,9})?(?: ?(?:%|(?:[KMGTP]?i?B|ms|s|min|h)\b))?(?![\w/-]|[:.]\d)")
_DURATION = re.compile(r"(?:ms|s|min|h)$")
# Which processes are busiest and which ports are open changes by the second: of such lists one is enough.
_LISTING = re.compile(r"(`[^`]{1,200}`(?: of `[^`]{1,200}`)?: )(?:.{0,200}\bpid `|\d+ rows; first: |\d+ process)")


@dataclass
class Fact:
    """A line and the agents that have it.

    Attributes:
        line: verbatim, as the first agent wrote it.
        agents: who has exactly this line.
        nearly: who has it as it was at another moment: a number has moved a little, a list has changed.
        otherwise: who has it with quite other numbers, and their line.
    """

    line: str
    agents: list[AgentResult]
    nearly: list[AgentResult] = field(default_factory=list)
    otherwise: list[tuple[AgentResult, str]] = field(default_factory=list)


def read_facts(agents: list[AgentResult], subject: Subject) -> list[Fact]:
    """Read the facts in the order of the agents."""
    by_key: dict[str, Fact] = {}
    by_shape: dict[str, Fact] = {}
    for agent in agents:
        for line in _lines(agent, subject):
            key = key_of(line)
            same = by_key.get(key)
            if same is not None:
                if not any(other is agent for other in same.agents):
                    same.agents.append(agent)
                continue
            shape = _shape(line)
            alike = by_shape.get(shape)
            if alike is None or any(other is agent for other in [*alike.agents, *alike.nearly]):
                by_key[key] = Fact(line, [agent])
                by_shape.setdefault(shape, by_key[key])
            elif not _LISTING.match(line) and other_numbers(alike.line, line):
                alike.otherwise.append((agent, line))
            else:
                alike.nearly.append(agent)
    return list(by_key.values())


def is_fact(line: str) -> bool:
    """Tell whether a line of a summary says more than what was asked and how the report is made."""
    return not _NO_FACT.match(line)


def key_of(line: str) -> str:
    """The same for lines that only differ in marks, case and blanks."""
    return " ".join(re.sub(r"[*_`]|\.(?=\s|$)", "", line).casefold().split())


def _shape(line: str) -> str:
    listing = _LISTING.match(line)
    return listing[1] if listing else without_numbers(key_of(line))


def without_numbers(text: str) -> str:
    """The same for texts that only differ in their numbers."""
    return _NUMBER.sub("#", text)


def other_numbers(one: str, two: str) -> list[tuple[str, str]]:
    """Numbers in the same places of two lines that differ by more than time explains."""
    pairs = zip(_NUMBER.findall(one), _NUMBER.findall(two), strict=False)
    return [(a, b) for a, b in pairs if _far(a, b)]


def _far(one: str, two: str) -> bool:
    if _DURATION.search(one) and _DURATION.search(two):
        return False  # how long ago, how long it took: it is never twice the same
    first, second = number_of(one), number_of(two)
    if first is None or second is None:
        return one != two
    return abs(first - second) > DRIFT * max(abs(first), abs(second))


def _lines(agent: AgentResult, subject: Subject) -> list[str]:
    """What an agent says in short; of one that wrote no analysis what its tools returned."""
    if agent.analysis:
        lines = [unmarked(line) for line in summing_up(read_sections(agent.analysis))]
        return [line for line in lines if line and is_fact(line)][:MAX_FACTS]
    return [sentence(call, subject) for call in calls_of(agent.items) if not call.failed][: MAX_FACTS // 2]
