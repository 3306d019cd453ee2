"""Writes the claims of a report, with their facts, from exact lines of tool outputs."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from llm_service.proto.llm_service_pb2 import Task
from llm_service.providers.offline.judge import MAX_SIGNS, judge
from llm_service.providers.offline.measure import Measurement, find_measurement
from llm_service.providers.offline.outputs import (
    Line,
    Output,
    labels_in,
    rank_lines,
    relevance,
    sort_by_relevance,
)
from llm_service.providers.offline.quantities import Limit, figure_of, find_limit
from llm_service.providers.offline.report import unknown
from llm_service.providers.offline.subject import Subject
from llm_service.providers.offline.text import one_line

MAX_HYPOTHESIS_FACTS = 6
MAX_CLAIMS, MAX_OF_ONE, MAX_FACTS, MAX_GAPS, MAX_ENTITIES = 10, 2, 11, 6, 10
# Maximum spaces in a column's name; a name with more spaces is several columns that stand close together.
MAX_SPACES = 2
# Limits in characters; MIN_QUOTE applies to lines of the alert, not to lines of tools.
MIN_QUOTE, MAX_QUOTE, MAX_TITLE, MAX_ENTITY = 12, 500, 140, 200
# Matches a field of the form `name: value` or `name  value`, also after the time of a log line, and nothing else.
_FIELD = re.compile(
    r"""\s*(?:[\d-]*[ T]?\d\d:\d\d\S*\s+)?(?P<name>[^\W\d_](?:(?!\s\s)[^:"'{}=|,]){0,60}?)(?::\s+|\s\s+)"""
    r"""(?P<value>(?:(?!\s\s|\d:\d|:\s)[^"'{}=|`])+)\s*"""
)
_LEVEL = re.compile(r"trace|debug|info|log|notice|warn(?:ing)?|error|fatal|panic|critical", re.IGNORECASE)
_NESTED = re.compile(r":\s|[=|\"'`{]")  # matches a text that holds more than one value
_NOTE = re.compile(r"\[… (?:cut|shortened): ")


def make_claims(task: Task, subject: Subject, outputs: Sequence[Output]) -> dict[str, Any]:
    """Returns the arguments of the report function from tool outputs; outputs without a number cannot be cited."""
    citable = [one for one in outputs if one.number]
    claims: list[dict[str, Any]] = []
    condition = _find_condition(task.alert, subject, citable)
    judged = judge(subject, outputs, holds=condition[0] if condition else None)
    if condition:
        claims.append(condition[2])
    for line, output in [*((sign.line, sign.output) for sign in judged.signs), *judged.well][:MAX_SIGNS]:
        claims += _line_claims(output, [line], subject)
    for output in sort_by_relevance(citable, subject):
        claims += _observations(output, subject)
    alerted = [f"{kind} {value}" for kind, values in subject.entities.kinds.items() for value in values[:2]]
    labels = {name: value for output in outputs for name, value in labels_in(output, subject).items()}
    alerted += [f"{name} {value}" for name, value in labels.items()]
    gaps = unknown(subject, limit_checked=condition is not None)
    gaps += [f"No result of {one.tool}: the call failed." for one in outputs if not one.answered]
    unique = {(claim["text"], str(claim["citations"])): claim for claim in reversed(claims)}
    return {
        "verdict": judged.verdict,
        "headline": f"{one_line(subject.title, MAX_TITLE) or 'Alert without text'}: {judged.conclusion}",
        "confidence": judged.confidence,
        "entities": list(dict.fromkeys(one[:MAX_ENTITY] for one in [*judged.names, *alerted]))[:MAX_ENTITIES],
        "claims": [
            *list(reversed(unique.values()))[:MAX_CLAIMS],
            *(_claim("GAP", one) for one in gaps[:MAX_GAPS]),
            _claim("RECOMMENDATION", "Set up an LLM provider for an analysis of the cause."),
        ],
    }


def make_hypothesis(alert: str, subject: Subject, outputs: Sequence[Output]) -> dict[str, Any] | None:
    """Returns the hypothesis that the alert's condition holds, with its proof or refutation; None without a figure."""
    condition = _find_condition(alert, subject, [one for one in outputs if one.number])
    if condition is None:
        return None
    holds, _, claim = condition
    return {
        "text": f"The condition of the alert holds: {one_line(subject.title, MAX_TITLE)}",
        "state": "SUPPORTED" if holds else "REFUTED",
        "citations": claim["citations"],
        "facts": claim["facts"][-MAX_HYPOTHESIS_FACTS:],
    }


def _find_condition(alert: str, subject: Subject, outputs: Sequence[Output]) -> tuple[bool, str, dict[str, Any]] | None:
    """Returns whether the alert's condition holds, the conclusion in words, and a claim that proves it."""
    measured = find_measurement(outputs, subject)
    facts = _facts(measured[1], subject) if measured and _can_cite(measured[1], measured[2]) else []
    if not (subject.limit and measured and facts):
        return None
    holds = subject.limit.holds(measured[0])
    conclusion = "its condition holds" if holds else "its condition does not hold"
    return holds, conclusion, _condition(alert, subject.limit, measured, conclusion, facts)


def _claim(
    kind: str, text: str, citations: Sequence[tuple[str, str]] = (), facts: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    cited = [{"source": source, "quote": quote} for source, quote in citations]
    return {"kind": kind, "text": text, "citations": cited, "facts": list(facts)}


def _fact(subject: str, attribute: str, value: str, unit: str | None = None, citation: int = 0) -> dict[str, Any]:
    known = {"subject": subject, "attribute": attribute, "value": value, "unit": unit, "citation": citation}
    return known | {"negated": False, "window": None, "filter": None}


def _condition(
    alert: str, limit: Limit, measured: Measurement, conclusion: str, shown_facts: list[dict[str, Any]]
) -> dict[str, Any]:
    """Returns a claim about the alert's condition, citing the tool's line and the alert's line if quotable."""
    (figure, shown, output), of, free = measured, "", " free" if limit.free else ""
    if limit.unit != "%":
        written = next((fact["value"] for fact in shown_facts if figure_of(fact["value"]) == (figure, limit.unit)), "")
        facts = [fact for fact in shown_facts if fact["value"] == written] or shown_facts[:]
    else:
        if all(float(one) != figure for one in re.findall(r"\d+(?:\.\d+)?", shown.text)):
            # The tool reports the opposite share, such as used instead of free space.
            figure, of = 100 - figure, " used" if free else " free"
        written = f"{figure:g} %{of}"
        exact = re.compile(rf"(?<![\d.]){re.escape(f'{figure:g}')}(?![\d.]*\d)")
        facts = [fact for fact in shown_facts if exact.search(fact["value"])] or shown_facts[:]
    cited = [(f"T{output.number}", shown.text)]
    names = ""
    for line in map(str.strip, alert.split("\n")):
        found = find_limit(line)
        if found and found.written == limit.written and MIN_QUOTE <= len(line) <= MAX_QUOTE and not names:
            cited.append(("ALERT", line))
            number, _, unit = limit.written.partition(" ")
            facts.append(_fact("ALERT", "above" if limit.above else "below", number, unit or None, 1))
            names = f" and the alert names {'more' if limit.above else 'less'} than {limit.written}{free}"
    return _claim("OBSERVATION", f"Measured is {written}{names}: {conclusion} now.", cited, facts)


def _observations(output: Output, subject: Subject) -> Iterator[dict[str, Any]]:
    """Yields claims that quote the relevant lines of an output."""
    lines, order = rank_lines(output, subject)
    best = [line for line in (lines[at] for at in order) if relevance(line, subject) >= 1]
    yield from islice(_line_claims(output, best, subject), MAX_OF_ONE)


def _line_claims(output: Output, lines: Sequence[Line], subject: Subject) -> Iterator[dict[str, Any]]:
    """Yields claims that quote those of the lines that can be cited and have facts."""
    for line in lines:
        if output.number and _can_cite(line, output) and (facts := _facts(line, subject)):
            values = [f"{fact['attribute']} {fact['value']}" if line.cells else fact["value"] for fact in facts]
            text = f"{facts[0]['subject']}: {', '.join(values)}"
            yield _claim("OBSERVATION", text, [(f"T{output.number}", line.text)], facts)


def _facts(line: Line, subject: Subject) -> list[dict[str, Any]]:
    """Returns the facts of a table row, a flat JSON object or a `name: value` field; none for other lines."""
    if not line.flat:
        return []
    if line.cells:
        cells = [(column, cell) for column, cell in line.cells.items() if cell]
        named = {value for values in subject.entities.kinds.values() for value in values}
        at = next((at for at, (_, cell) in enumerate(cells) if cell in named), 0)
        _, name = cells.pop(at)
        initials = {initial.isupper() for initial in re.findall(r"(?:^|\s{2}|\t)\s*([^\W\d_])", line.header)}
        readable = [(column, cell) for column, cell in cells if column and not _NESTED.search(f"{column} {cell}")]
        merged = any(column.count(" ") > MAX_SPACES for column in line.cells)
        if len(initials) > 1 or merged or _NESTED.search(f"{name} "):
            return []
        return [_fact(name, column, cell) for column, cell in readable[:MAX_FACTS]]
    found = _FIELD.fullmatch(line.text)
    if found and _LEVEL.fullmatch(found["name"]):
        return []
    return [_fact(found["name"], found["name"], found["value"])] if found else []


def _can_cite(line: Line, output: Output) -> bool:
    """Returns True if the output has the line as a whole, or the object of JSON."""
    is_object = bool(line.cells) and not line.header
    return len(line.text) <= MAX_QUOTE if is_object else line.text in _whole_lines(output)


def _whole_lines(output: Output) -> set[str]:
    """Returns the lines that can be cited: neither cut nor next to a note about omitted text."""
    lines = (output.content or "").split("\n")
    near = {at + step for at, line in enumerate(lines) if _NOTE.match(line) for step in (-1, 0, 1)}
    return {line.rstrip() for at, line in enumerate(lines) if at not in near and len(line) <= MAX_QUOTE}
