"""Decides what to do next: which tools to call, or that it is time to write the report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.arguments import RESULT, Filled, Knowledge, fill
from llm_service.providers.offline.focus import read_focus
from llm_service.providers.offline.harvest import harvest
from llm_service.providers.offline.jsontext import canonical_json
from llm_service.providers.offline.matching import POSITIVE, Match, match

if TYPE_CHECKING:
    from collections.abc import Sequence

    from llm_service.providers.offline.conversation import Conversation
    from llm_service.providers.offline.subject import Subject
    from llm_service.providers.offline.toolspec import ToolSpec

ALERT_ARGUMENT_BONUS = 1.5
RESULT_ARGUMENT_BONUS = 0.75


@dataclass(frozen=True)
class Limits:
    """How far to look.

    Attributes:
        turns: assistant messages with calls.
        calls_per_turn: calls in one of them.
        calls: all calls.
        calls_per_tool: calls of one tool, with different arguments.
        tools: different tools that are called at least, if there are so many.
        near_best: a tool that fits less than this share of the best fit is left out.
        own_word: what a word of a tool's name counts in addition when it stands in the text itself, and not only
            belongs to its topic.
        measures_only: call only tools that measure what the strongest topic is about.
    """

    turns: int
    calls_per_turn: int
    calls: int
    calls_per_tool: int
    tools: int
    near_best: float
    own_word: float = 0.0
    measures_only: bool = False


# Nine calls are what a person reads in a report without skipping. One tool alone shows a symptom; a second one shows
# what it comes with.
INVESTIGATION = Limits(turns=4, calls_per_turn=3, calls=9, calls_per_tool=2, tools=2, near_best=0.2)
# A question asks for one thing; whoever asked is waiting.
QUESTION = Limits(turns=2, calls_per_turn=2, calls=4, calls_per_tool=1, tools=0, near_best=0.75, own_word=1.0)
# What the alert claims is one measurement.
AGAIN = Limits(turns=1, calls_per_turn=1, calls=1, calls_per_tool=1, tools=0, near_best=1, measures_only=True)


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
        left_alone: fitting tools of which nobody says that they change nothing.
    """

    calls: tuple[PlannedCall, ...]
    unfilled: tuple[tuple[str, tuple[str, ...]], ...] = ()
    unreadable: tuple[str, ...] = ()
    left_alone: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Option:
    tool: ToolSpec
    match: Match
    focused: tuple[str, ...]
    score: float
    calls: tuple[Filled, ...]


def make_plan(
    conversation: Conversation, tools: Sequence[ToolSpec], subject: Subject, limits: Limits = INVESTIGATION
) -> Plan:
    """Choose the next step. The same conversation always gives the same plan."""
    results = harvest(conversation.exchanges, subject, conversation.earlier_calls())
    known = Knowledge(subject=subject, results=results)
    focus = read_focus(conversation.instructions if conversation.kind == "investigation" else "", tools)
    made = {(exchange.tool, canonical_json(exchange.arguments)) for exchange in conversation.exchanges}
    used = Counter(exchange.tool for exchange in conversation.exchanges)
    options: list[_Option] = []
    unfilled: list[tuple[str, tuple[str, ...]]] = []
    unreadable: list[str] = []
    left_alone: list[str] = []
    best = 0.0
    for tool in tools:
        found = match(tool, subject)
        measures = _measures(tool, subject)
        if limits.measures_only and not measures:
            continue
        weighed = focus.weigh(tool, found.score, measures=measures) + limits.own_word * _own_words(tool, subject)
        fits = weighed >= POSITIVE
        if not tool.reads or tool.parameters is None:
            if fits:
                (unreadable if tool.reads else left_alone).append(tool.name)
            continue
        filled, missing = fill(tool, known)
        if missing:
            if fits:
                unfilled.append((tool.name, tuple(missing)))
            continue
        score = weighed + (_argument_bonus(tool, filled[0]) if fits else 0)
        best = max(best, score)
        room = limits.calls_per_tool - used[tool.name]
        fresh = [call for call in filled if (tool.name, canonical_json(call.arguments)) not in made]
        if room > 0 and fresh:
            options.append(_Option(tool, found, focus.hits(tool), score, tuple(fresh[:room])))
    left = limits.calls - len(conversation.exchanges)
    calls: list[PlannedCall] = []
    if conversation.turns < limits.turns and left > 0:
        calls = _choose(options, best, set(used), limits)[: min(left, limits.calls_per_turn)]
    return Plan(tuple(calls), tuple(unfilled), tuple(unreadable), tuple(left_alone))


def _measures(tool: ToolSpec, subject: Subject) -> bool:
    """Its name begins with what the strongest topic is about."""
    return bool(subject.topics and tool.name_words) and subject.topics[0].related.get(tool.name_words[0], 0) >= 1


def _own_words(tool: ToolSpec, subject: Subject) -> int:
    return sum(1 for word in set(tool.name_words) if subject.words.get(word, 0) >= 1)


def _choose(options: list[_Option], best: float, used: set[str], limits: Limits) -> list[PlannedCall]:
    """Order the calls: the best tools first, second variants of a tool after the first ones of others."""
    fitting = [o for o in options if o.score >= max(POSITIVE, limits.near_best * best)]
    fitting.sort(key=lambda option: (-option.score, option.tool.name))
    # A tool that only found its arguments in results is called again only when nothing new is to be seen.
    first = [_call(o, o.calls[0]) for o in fitting if o.tool.name not in used]
    more = [_call(o, call) for o in fitting for call in (o.calls if o.tool.name in used else o.calls[1:])]
    distinct = used | {call.tool for call in first}
    if len(distinct) < limits.tools:
        # Tools that need no arguments give an overview; they are worth a look whatever the alert is.
        overview = [o for o in options if o.tool.name not in distinct and not o.tool.required]
        overview.sort(key=lambda option: (-option.score, option.tool.name))
        first += [_overview(o) for o in overview[: limits.tools - len(distinct)]]
    return first + more


def _argument_bonus(tool: ToolSpec, filled: Filled) -> float:
    origins = [filled.origins.get(parameter.name) for parameter in tool.required]
    if "the alert" in origins:
        return ALERT_ARGUMENT_BONUS
    return RESULT_ARGUMENT_BONUS if RESULT in origins else 0.0


def _call(option: _Option, filled: Filled) -> PlannedCall:
    reasons = []
    if option.match.score >= POSITIVE or not option.focused:
        reasons.append(f"its name or description fits ({', '.join(option.match.words) or 'the alert'})")
    if option.focused:
        reasons.append(f"my instructions name it ({', '.join(option.focused)})")
    if option.match.in_runbook:
        reasons.append("the runbook names it")
    sources = sorted({origin for origin in filled.origins.values() if origin == RESULT})
    tail = f"; arguments taken from {', '.join(sources)}" if sources else ""
    return PlannedCall(option.tool.name, filled.arguments, " and ".join(reasons) + tail)


def _overview(option: _Option) -> PlannedCall:
    return PlannedCall(option.tool.name, option.calls[0].arguments, "it needs no arguments and gives an overview")
