"""The report by function call. What it claims are lines as tools wrote them: each is proven by what it cites."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from llm_service.proto.llm_service_pb2 import Task
from llm_service.providers.offline.about import About, Limit, limit_in
from llm_service.providers.offline.outputs import Measured, Output, by_relevance, measure, ranked, touches
from llm_service.providers.offline.report import unknown
from llm_service.providers.offline.text import one_line

MAX_CLAIMS, MAX_OF_ONE, MAX_GAPS, MAX_ENTITIES = 10, 2, 6, 10
MIN_QUOTE, MAX_QUOTE, MAX_TITLE, MAX_ENTITY = 12, 500, 140, 200  # characters; a whole line may be shorter
# Verdict and confidence: that an alert is true can be measured, why it is cannot.
TRUE, FALSE, OPEN = ("ACTION_REQUIRED", 0.4), ("NO_ACTION", 0.8), ("INCONCLUSIVE", 0.0)

_NOTE = re.compile(r"\[… (?:cut|shortened): ")
_CUT = re.compile(r"\[… (?:cut|shortened): |truncated", re.IGNORECASE)
_ABSENT = re.compile(r"(?<![\w-])(?:no|none|nothing|not found)(?![\w-])", re.IGNORECASE)
# Of an output that is not whole, nothing that is not there is claimed; in these forms never.
_DENIES = re.compile(
    r"\b(?:not?|none|nothing|without|missing|absent|kein\w*|aucune?|pas)\b|没有|不存在|未", re.IGNORECASE
)
_UNSURE = re.compile(r"n't\b|\b(?:nicht|introuvable|n'existe|ning[uú]n|no se|nessun)|não|しない|ません", re.IGNORECASE)


def make_report(task: Task, about: About, outputs: Sequence[Output]) -> dict[str, Any]:
    """Make the arguments of the function from what tools answered; what has no number cannot be cited."""
    citable = [one for one in outputs if one.number]
    measured = measure(citable, about)
    claims: list[dict[str, Any]] = []
    (verdict, confidence), told = OPEN, "rules cannot tell from what was found"
    if about.limit and measured and measured[1].text in _whole_lines(measured[2]):
        holds = about.limit.holds(measured[0])
        (verdict, confidence), told = (TRUE, "its condition holds") if holds else (FALSE, "its condition does not hold")
        claims.append(_condition(task.alert, about.limit, measured, told))
    for output in by_relevance(citable, about):
        claims += _observations(output, about)
    named = [f"{kind} {value}" for kind, values in about.things.kinds.items() for value in values[:2]]
    gaps = unknown(about, told=verdict != OPEN[0])
    gaps += [f"What {one.tool} would show: the call failed." for one in outputs if not one.answered]
    return {
        "verdict": verdict,
        "headline": f"{one_line(about.title, MAX_TITLE) or 'Alert without text'}: {told}",
        "confidence": confidence,
        "entities": [one[:MAX_ENTITY] for one in named[:MAX_ENTITIES]],
        "claims": [
            *claims[:MAX_CLAIMS],
            *(_claim("GAP", one) for one in gaps[:MAX_GAPS]),
            _claim("RECOMMENDATION", "Set up an LLM provider for an analysis of the cause."),
        ],
    }


def _claim(kind: str, text: str, *citations: tuple[str, str], absence: bool = False) -> dict[str, Any]:
    cited = [{"source": source, "quote": quote} for source, quote in citations]
    return {"kind": kind, "text": text, "absence": absence, "citations": cited}


def _condition(alert: str, limit: Limit, measured: Measured, told: str) -> dict[str, Any]:
    """Whether the alert is true: by the tool's line, and the alert's own for its limit, where that can be quoted."""
    (figure, shown, output), of, free = measured, "", " free" if limit.free else ""
    if all(float(one) != figure for one in re.findall(r"\d+(?:\.\d+)?", shown.text)):
        figure, of = 100 - figure, " used" if free else " free"  # the tool tells it the other way round
    cited = [(f"T{output.number}", shown.text)]
    names = ""
    for line in map(str.strip, alert.split("\n")):
        found = limit_in(line)
        if found and found[0].percent == limit.percent and MIN_QUOTE <= len(line) <= MAX_QUOTE and not names:
            cited.append(("ALERT", line))
            names = f" and the alert names {'more' if limit.above else 'less'} than {limit.percent:g} %{free}"
    return _claim("OBSERVATION", f"Measured is {figure:g} %{of}{names}: {told} now.", *cited)


def _observations(output: Output, about: About) -> Iterator[dict[str, Any]]:
    """What an output has to say of the alert, in its own words."""
    lines, order = ranked(output, about)
    whole = _whole_lines(output)
    best = [line for line in (lines[at] for at in order) if line.text in whole and touches(line, about) >= 1]
    for line in best[:MAX_OF_ONE]:
        text = f"{output.tool}: {' '.join(line.text.replace('`', ' ').split())}"
        yield _claim("OBSERVATION", text, (f"T{output.number}", line.text), absence=bool(_ABSENT.search(line.text)))


def _whole_lines(output: Output) -> set[str]:
    """The lines that can be cited: neither cut, nor next to where something is left out."""
    content = output.content or ""
    refused, lines = _DENIES if _CUT.search(content) else _UNSURE, content.split("\n")
    near = {at + step for at, line in enumerate(lines) if _NOTE.match(line) for step in (-1, 0, 1)}
    return {
        line.rstrip()
        for at, line in enumerate(lines)
        if at not in near and len(line) <= MAX_QUOTE and not refused.search(line) and not _UNSURE.search(line)
    }
