"""Decides what to do next: which tools to call, or that it is time to write the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.arguments import RESULT, Filled, Knowledge, fill
from llm_service.providers.offline.harvest import harvest
from llm_service.providers.offline.jsontext import canonical_json
from llm_service.providers.offline.matching import POSITIVE, Match, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.conversation import Conversation
    from llm_service.providers.offline.subject import Subject
    from llm_service.providers.offline.toolspec import ToolSpec

MAX_TURNS = 4
MAX_CALLS_PER_TURN = 3
MAX_CALLS = 9
"""All calls of an investigation: what a person reads in a report without skipping."""
MAX_CALLS_PER_TOOL = 2
MIN_TOOLS = 2
"""One tool alone shows a symptom; a second one shows what it comes with."""
NEAR_BEST = 0.2
"""A tool that fits less than this share of the best fit is left out."""
ALERT_ARGUMENT_BONUS = 1.5
RESULT_ARGUMENT_BONUS = 0.75


@dataclass(frozen=True)
class PlannedCall:
    """A call to make and, for people, why."""

    tool: str
    arguments: dict[str, Any]
    reason: str


@dataclass(frozen=True)
class Plan:
    """What to do next.

    Attributes:
        calls: empty = write the report.
        unfilled: fitting tools that cannot be called, with the arguments that are missing.
        unreadable: fitting tools whose schema cannot be read.
        left_alone: fitting tools that seem to change something.
    """

    calls: tuple[PlannedCall, ...]
    unfilled: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unreadable: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Option:
    tool: ToolSpec
    match: Match
    score: float
    calls: tuple[Filled, ...]


def make_plan(conversation: Conversation, tools: Sequence[ToolSpec], subject: Subject) -> Plan:
    """Choose the next step. The same conversation always gives the same plan."""
    known = Knowledge(subject=subject, results=harvest(conversation.exchanges, subject))
    made = {(exchange.tool, canonical_json(exchange.arguments)) for exchange in conversation.exchanges}
    used = Counter(exchange.tool for exchange in conversation.exchanges)
    options: list[_Option] = []
    unfilled: list[tuple[str, tuple[str, ...]]] = []
    unreadable: list[str] = []
    left_alone: list[str] = []
    best = 0.0
    for tool in tools:
        found = match(tool, subject)
        fits = found.score >= POSITIVE
        if tool.changes or tool.parameters is None:
            if fits:
                (left_alone if tool.changes else unreadable).append(tool.name)
            continue
        filled, missing = fill(tool, known)
        if missing:
            if fits:
                unfilled.append((tool.name, tuple(missing)))
            continue
        score = found.score + (_argument_bonus(tool, filled[0]) if fits else 0)
        best = max(best, score)
        room = MAX_CALLS_PER_TOOL - used[tool.name]
        fresh = [call for call in filled if (tool.name, canonical_json(call.arguments)) not in made]
        if room > 0 and fresh:
            options.append(_Option(tool, found, score, tuple(fresh[:room])))
    left = MAX_CALLS - len(conversation.exchanges)
    calls: list[PlannedCall] = []
    if conversation.turns < MAX_TURNS and left > 0:
        calls = _choose(options, best, set(used))[: min(left, MAX_CALLS_PER_TURN)]
    return Plan(tuple(calls), tuple(unfilled), tuple(unreadable), tuple(left_alone))


def _choose(options: list[_Option], best: float, used: set[str]) -> list[PlannedCall]:
    """Order the calls: the best tools first, second variants of a tool after the first ones of others."""
    fitting = [o for o in options if o.score >= max(POSITIVE, NEAR_BEST * best)]
    fitting.sort(key=lambda option: (-option.score, option.tool.name))
    # A tool that only found its arguments in results is called again only when nothing new is to be seen.
    first = [_call(o, o.calls[0]) for o in fitting if o.tool.name not in used]
    more = [_call(o, call) for o in fitting for call in (o.calls if o.tool.name in used else o.calls[1:])]
    distinct = used | {call.tool for call in first}
    if len(distinct) < MIN_TOOLS:
        # Tools that need no arguments give an overview; they are worth a look whatever the alert is.
        overview = [o for o in options if o.tool.name not in distinct and not o.tool.required]
        overview.sort(key=lambda option: (-option.score, option.tool.name))
        first += [_overview(o) for o in overview[: MIN_TOOLS - len(distinct)]]
    return first + more


def _argument_bonus(tool: ToolSpec, filled: Filled) -> float:
    origins = [filled.origins.get(parameter.name) for parameter in tool.required]
    if "the alert" in origins:
        return ALERT_ARGUMENT_BONUS
    return RESULT_ARGUMENT_BONUS if RESULT in origins else 0.0


def _call(option: _Option, filled: Filled) -> PlannedCall:
    words = ", ".join(option.match.words) or "the alert"
    reason = f"its name or description fits the alert ({words})"
    if option.match.in_runbook:
        reason += " and the runbook names it"
    sources = sorted({origin for origin in filled.origins.values() if origin == RESULT})
    if sources:
        reason += f"; arguments taken from {', '.join(sources)}"
    return PlannedCall(option.tool.name, filled.arguments, reason)


def _overview(option: _Option) -> PlannedCall:
    return PlannedCall(option.tool.name, option.calls[0].arguments, "it needs no arguments and gives an overview")
