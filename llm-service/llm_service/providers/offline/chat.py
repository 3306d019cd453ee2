"""Answers a question about an investigation: what its history holds, what the tools return now, what stays open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from llm_service.providers.offline.facts import is_fact
from llm_service.providers.offline.findings import sentence, verdict
from llm_service.providers.offline.history import TOOL_CALL, HistoryItem, calls_of
from llm_service.providers.offline.jsontext import to_json
from llm_service.providers.offline.markdown import code_block, inline_code, plain, quotable
from llm_service.providers.offline.matching import name_score
from llm_service.providers.offline.quotes import choose_quotes
from llm_service.providers.offline.rows import read_rows
from llm_service.providers.offline.sections import quoted, read_sections, unmarked
from llm_service.providers.offline.words import content_words, tokenize

if TYPE_CHECKING:
    from llm_service.providers.offline.conversation import Conversation
    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.planner import Plan
    from llm_service.providers.offline.subject import Subject

NO_MODEL = (
    "No language model was involved. Fixed rules looked for the question's words and quote what has them; they do not "
    "understand the question. Set up an LLM provider for a real answer."
)
MAX_PLACES = 3
NEAR_BEST = 0.5
"""A place that matches less than this share of the best one is left out."""
MAX_LINES = 5
QUESTION_CHARS = 4000
SCAN_CHARS = 200_000
SCAN_ITEMS = 400
NAMED_TOOL = 2.0
"""Score from which on a tool is what the question asks about: a word of its name is one of the question's."""

_REASON = re.compile(r"\b(?:why|how come|reason|cause|explain|should|recommend|fix|prevent)\b", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:now|still|again|meanwhile|gone|resolved|over|better|worse|recovered|yet|currently)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class _Place:
    """Lines of the history that match, and where they stand."""

    where: str
    told: str
    lines: tuple[str, ...]
    score: float


def asks_again(question: str) -> bool:
    """Tell whether a question is about the alert itself: it names nothing else, or asks how things are by now."""
    return not content_words(question) or bool(_AGAIN.search(question))


def write_answer(conversation: Conversation, subject: Subject, plan: Plan) -> str:
    """Write the answer as Markdown."""
    places = _search(conversation, subject)
    good = [call for call in conversation.exchanges if call.result is not None and not call.failed]
    parts = [
        _lead(conversation, subject, places, good),
        _past(conversation, places),
        _now(conversation, subject, good),
        _open(conversation, subject, plan, found=bool(places or good)),
        [f"> {NO_MODEL}"],
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _lead(conversation: Conversation, subject: Subject, places: list[_Place], good: list[Exchange]) -> list[str]:
    lines = [f"**Question:** {plain(conversation.question) or 'no text'}", ""]
    claim, measured = verdict(good, subject)
    if measured is not None and subject.limit is not None:
        lines += [f"Now {claim}", ""]
    if good:
        return [*lines, *(f"- Now: {sentence(call, subject)}" for call in good)]
    if places:
        return [*lines, *(f"- Then: {place.told}" for place in places)]
    return [*lines, "Neither the investigation nor a tool has anything that matches the question's words."]


def _past(conversation: Conversation, places: list[_Place]) -> list[str]:
    if not places:
        told = "Nothing in it matches the question." if conversation.history else "The request holds no investigation."
        return ["## From the investigation", "", told]
    lines = ["## From the investigation", "", "Exact lines; they show what was true then."]
    for place in places:
        lines += ["", f"{place.where}:", "", *code_block(list(place.lines))]
    return lines


def _now(conversation: Conversation, subject: Subject, good: list[Exchange]) -> list[str]:
    if not conversation.exchanges:
        return []
    lines = ["## Looked up now"]
    for call in good:
        quotes = choose_quotes(call.result or "", subject)
        lines += ["", f"{_call(call.tool, call.arguments)}:", ""]
        lines += code_block(quotes) if quotes else ["The result has no line that can be quoted."]
    for call in conversation.exchanges:
        if call.result is None or call.failed:
            first = next((line for line in (call.result or "").split("\n", 20) if line.strip()), "no result came back")
            lines += ["", f"{_call(call.tool, call.arguments)} failed: {inline_code(first, 200)}"]
    return lines


def _open(conversation: Conversation, subject: Subject, plan: Plan, *, found: bool) -> list[str]:
    lines = ["## What this does not answer", ""]
    if _REASON.search(conversation.question):
        lines.append(
            "- Why, and what to do: rules cannot draw conclusions. The lines above are what there is to go by."
        )
    else:
        lines.append("- Whether the lines above are what was meant: rules match words, not meaning.")
    for tool, missing in plan.unfilled[:3]:
        names = ", ".join(inline_code(name) for name in missing[:6])
        lines.append(f"- What {inline_code(tool)} would show: neither the question nor a result gives {names}.")
    if plan.left_alone:
        names = ", ".join(inline_code(name) for name in plan.left_alone[:6])
        lines.append(f"- {names}: not called, as neither the operator nor its server says that it only reads.")
    if not found and subject.shown_words():
        lines.append(f"- Nothing was found for: {', '.join(subject.shown_words())}.")
    return lines


def _search(conversation: Conversation, subject: Subject) -> list[_Place]:
    # "Is it still so?" asks about the alert.
    words = set(content_words(conversation.question) or content_words(subject.title))
    named = _names(conversation.question)
    places: list[_Place] = []
    seen: set[str] = set()
    items = [(part.title, item) for part in conversation.history for item in part.items][-SCAN_ITEMS:]
    for title, item in items:
        place = (
            _in_call(title, item, subject, words, named)
            if item.kind == TOOL_CALL
            else _in_text(title, item, words, named)
        )
        if place is not None and "\n".join(place.lines) not in seen:
            seen.add("\n".join(place.lines))
            places.append(place)
    places.sort(key=lambda place: -place.score)  # stable: older first among equals
    return [place for place in places if place.score >= places[0].score * NEAR_BEST][:MAX_PLACES]


def _names(question: str) -> set[str]:
    """Words that are no plain words: paths, addresses, numbers, names of workloads."""
    words = re.findall(r"[\w./:@-]+", question[:QUESTION_CHARS])
    found = (word.strip(".:-").lower() for word in words)
    return {word for word in found if 2 < len(word) <= 200 and re.search(r"[./:@\d-]", word)}


def _in_call(title: str, item: HistoryItem, subject: Subject, words: set[str], named: set[str]) -> _Place | None:
    if item.failed:
        return None
    text = item.text[:SCAN_CHARS]
    by_name = name_score(item.tool, words)
    hits = [(hit, row) for row in read_rows(text) if (hit := _hits(row.text[:2000], words, named)) > 0]
    needed = _needed(words, named)
    best = [row for hit, row in sorted(hits, key=lambda pair: -pair[0]) if hit >= needed][:MAX_LINES]
    where = f"**{plain(title) or 'Before'}**, {_call(item.tool, item.arguments)}"
    told = sentence(calls_of([item])[0], subject)
    if best:
        lines: list[str] = []
        for row in sorted(best, key=lambda row: row.order):
            if row.header and row.header not in lines:
                lines.append(row.header)
            lines += row.text.split("\n")[:MAX_LINES]
        return _place(where, told, lines, by_name + max(hit for hit, _ in hits))
    if by_name >= NAMED_TOOL:
        return _place(where, told, choose_quotes(text, subject)[: MAX_LINES + 1], by_name)
    return None


def _in_text(title: str, item: HistoryItem, words: set[str], named: set[str]) -> _Place | None:
    """Analyses, answers, errors. Thoughts only tell what an agent was about to do."""
    if item.kind in ("Thought", "Question", ""):
        return None
    needed = max(_needed(words, named), 1)
    found = []
    for lines in read_sections(item.text).values():
        for line in lines:
            text = unmarked(line)
            hit = _hits(text, words, named)
            if hit >= needed and is_fact(text):
                found.append((hit, text))
    found.sort(key=lambda pair: -pair[0])
    where = f"**{plain(title) or 'Before'}**, {item.kind.lower()}"
    return _place(where, quoted(found[0][1]), [line for _, line in found[:2]], found[0][0]) if found else None


def _place(where: str, told: str, lines: list[str], score: float) -> _Place | None:
    verbatim = tuple(cut for line in dict.fromkeys(lines) if (cut := quotable(line)) is not None)
    return _Place(where, told, verbatim, score) if verbatim else None


def _hits(text: str, words: set[str], named: set[str]) -> float:
    lowered = text.lower()
    return len(words.intersection(tokenize(text[:1000]))) + 2.0 * sum(1 for value in named if value in lowered)


def _needed(words: set[str], named: set[str]) -> float:
    """A name is enough; of several words two must meet, as one alone is chance."""
    return 2.0 if named or len(words) > 1 else 1.0


def _call(tool: str, arguments: dict[str, object]) -> str:
    return f"{inline_code(tool)} with {inline_code(to_json(arguments), 160)}" if arguments else inline_code(tool)
