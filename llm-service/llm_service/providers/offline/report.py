"""Writes reports (as text and as claims), answers and summaries from exact lines of tool outputs."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from llm_service.proto.llm_service_pb2 import Work
from llm_service.providers.offline.judge import MAX_SIGNS, NO_DATA, NO_SIGNS, NONE, SIGNS_TITLE, judge
from llm_service.providers.offline.measure import find_measurement
from llm_service.providers.offline.outputs import (
    Line,
    Output,
    best_line,
    names_entity,
    quotable_lines,
    quote,
    relevance,
    sort_by_relevance,
)
from llm_service.providers.offline.subject import Entities, Subject
from llm_service.providers.offline.text import code, code_block, plain, to_json

NOTE = (
    "No language model was involved: fixed rules chose the tools, and quote what they answered. They do not understand "
    "it. Set up an LLM provider for an analysis of the cause."
)
SHORT_NOTE = "(Made by rules; no language model was involved.)"
MAX_OUTPUTS, MAX_NAMED, MAX_LEFT, MAX_PLACES = 16, 10, 12, 4
NEAR = 0.6  # outputs and lines below this share of the best relevance are left out

_NO_FIGURE = "no answer has a figure that rules can compare"
_MARK = re.compile(r"^\s*(?:(?:[-*+>]|\d{1,3}[.)])\s+)*")
_CODE = re.compile(r"^[ \t]{0,8}(```|~~~).*?(?:^[ \t]{0,8}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)


def investigation(subject: Subject, outputs: Sequence[Output], gaps: list[str], works: Sequence[Work]) -> str:
    """Returns the report on an alert."""
    earlier = [line for work in works for line in _said(f"Stage {work.stage}", work)]
    return _report(subject, outputs, ["## From earlier stages", *earlier] if earlier else [], gaps)


def synthesis(subject: Subject, works: Sequence[Work], outputs: Sequence[Output]) -> str:
    """Returns one report from several agents: each output once, with its agents."""
    agents = ["## The agents", ""]
    for work in works:
        count = sum(1 for one in outputs if work.agent in one.agents and one.answered)
        error = f", with {code(work.error, 300)}" if work.error else ""
        agents.append(f"- **{plain(work.agent)}**: {plain(work.status)}{error}; {count} tools answered it")
    own = [line for work in works for line in _said(work.agent, work)]
    return _report(subject, outputs, agents + own, [])


def _report(subject: Subject, outputs: Sequence[Output], between: list[str], gaps: list[str]) -> str:
    answered = sort_by_relevance(outputs, subject)[:MAX_OUTPUTS]
    verdict = _verdict(subject, outputs)
    summary = ["## Summary", "", f"**Alert:** {plain(subject.title) or 'no text'}", "", *verdict]
    if not answered:
        why = "every tool call failed" if outputs else "there was no tool to look with that fits the alert"
        summary += [f"Nothing could be checked: {why}.", ""]
    summary += [*(f"- {_call(one)}: {best_line(one, subject)}{_cite(one)}" for one in answered), "", f"> {NOTE}"]
    quoted, left = (
        _answers(subject, answered, "## What the tools answered"),
        unknown(subject, limit_checked=bool(verdict)),
    )
    return _joined(
        summary,
        _signs(subject, outputs),
        between,
        quoted,
        _touched(subject, answered),
        _failed(outputs),
        _left(left, gaps),
    )


def unknown(subject: Subject, *, limit_checked: bool) -> list[str]:
    """Returns the statements that the rules leave open: the cause, and the limit unless `limit_checked`."""
    limit = [] if subject.limit is None or limit_checked else [f"The limit of {subject.limit.written}: {_NO_FIGURE}."]
    return ["The cause: rules cannot draw conclusions from what was found.", *limit]


class Findings(NamedTuple):
    """The material for answering a viewer's question."""

    before: list[str]  # lines from the investigation
    now: Sequence[Output]  # outputs of the calls made for this question
    gaps: list[str]


def answer(question: str, asked: Subject, findings: Findings) -> str:
    """Returns the answer to a question: new tool outputs and earlier findings."""
    before, now, gaps = findings
    answered = [one for one in now if one.answered]
    lead = [f"**Question:** {plain(question) or 'no text'}", "", *_verdict(asked, now)]
    if not before and not answered:
        lead += ["Nothing that was found before, and no tool, has anything on the question's words."]
    lead += [f"- Now {_call(one)}: {best_line(one, asked)}{_cite(one)}" for one in answered]
    left = _left(["The meaning of the question: rules match words only."], gaps)
    return _joined(lead, _answers(asked, answered, "## Looked up now"), before, _failed(now), left, [f"> {NOTE}"])


def from_before(asked: Subject, past: Sequence[Output]) -> list[str]:
    """Returns a section of earlier lines that match the question's words or entities."""
    places: list[tuple[float, list[str]]] = []
    for one in (one for one in past if one.answered and NOTE not in (one.content or "")):
        # A row counts for its header's words too, because a header without rows says nothing.
        scored = [
            (max(relevance(of, asked) for of in (line, Line(line.header))), line.text) for line in quotable_lines(one)
        ]
        best = max((score for score, _ in scored), default=0.0)
        lines = [text for score, text in scored if score >= max(1.0, NEAR * best)][:5]
        where = f"{', '.join(plain(name) for name in one.agents)}: {_call(one)}{_cite(one)}"
        places += [(best, ["", where, "", *code_block(lines)])] if lines else []
    places.sort(key=lambda place: -place[0])
    found = [line for best, lines in places[:MAX_PLACES] if best >= NEAR * places[0][0] for line in lines]
    return ["## From the investigation", "", "As it was then:", *found] if found else []


def executive_summary(analysis: str) -> str:
    """Returns the first lines of an analysis without Markdown and citations, and a note about their origin."""
    lines = [re.sub(r" \[T\d{1,9}\]", "", line) for line in _lines(analysis)[:3]]
    lines = [line if len(line) <= 280 else line[:280].rsplit(" ", 1)[0] + " …" for line in lines]
    lines = [line if line.endswith((".", "!", "?", "…")) else f"{line}." for line in lines]
    return "\n".join([*(lines or ["The analysis is empty."]), SHORT_NOTE])


def tool_result_summary(content: str, subject: Subject) -> str:
    """Returns the lines of a tool result that matter for the alert."""
    return "\n".join([*quote(Output("", {}, content), subject, 20), SHORT_NOTE])


def _joined(*sections: list[str]) -> str:
    return "\n\n".join("\n".join(section).strip() for section in sections if section) + "\n"


def _verdict(subject: Subject, outputs: Sequence[Output]) -> list[str]:
    """Returns a statement that the alert's condition holds or not; [] if there is no limit or measurement."""
    measured, limit = find_measurement(outputs, subject), subject.limit
    if limit is None or measured is None:
        return []
    figure, line, output = measured
    side = "above" if figure > limit.value else "below" if figure < limit.value else "exactly at"
    holds = "holds now" if limit.holds(figure) else "does not hold now"
    number = f"{figure:g} %" if limit.unit == "%" else code(line.text)
    what = f"{number} free" if limit.free else number
    statement = f"{what} is {side} the {limit.written} that the alert names, so **the alert's condition {holds}**"
    return [f"{statement} ({code(output.tool)}: {code(line.text)}){_cite(output)}.", ""]


def _signs(subject: Subject, outputs: Sequence[Output]) -> list[str]:
    """Returns the section of the signs of trouble, strongest first."""
    measured, limit = find_measurement(outputs, subject), subject.limit
    judged = judge(subject, outputs, holds=limit.holds(measured[0]) if limit and measured else None)
    shown = {(sign.label, sign.of): sign for sign in reversed(judged.signs)}
    lines = [NO_DATA] if judged.missing else [NO_SIGNS] if judged.verdict == NONE else []
    for (label, of), sign in list(reversed(shown.items()))[:MAX_SIGNS]:
        whose = f" of {code(of[0])}" if of else ""
        lines.append(f"{label}{whose} ({code(sign.output.tool)}: {code(sign.line.text)}){_cite(sign.output)}")
    return [SIGNS_TITLE, "", *(f"- {line}" for line in lines)] if lines else []


def _call(one: Output) -> str:
    return f"{code(one.tool)} with {code(to_json(one.arguments))}" if one.arguments else code(one.tool)


def _cite(one: Output) -> str:
    return f" [T{one.number}]" if one.number else ""


def _left(unknown: list[str], gaps: list[str]) -> list[str]:
    return ["## What is not known", "", *(f"- {one}" for one in [*unknown, *gaps[:MAX_LEFT]])]


def _answers(subject: Subject, answered: Sequence[Output], heading: str) -> list[str]:
    lines = [heading, "", "Lines exactly as the tools wrote them; long ones are cut at their end."]
    for one in answered:
        quoted = quote(one, subject)
        total = sum(1 for _ in quotable_lines(one))
        some = f": {len(quoted)} of {total} lines" if total > len(quoted) else ""
        whose = f" for {' and '.join(plain(name) for name in one.agents)}" if any(one.agents) else ""
        block = code_block(quoted) if quoted else ["Nothing that can be quoted."]
        lines += ["", f"### {_call(one)}{whose}{_cite(one)}{some}", "", *block]
    return lines if answered else []


def _touched(subject: Subject, answered: Sequence[Output]) -> list[str]:
    lines = []
    for kind, value in [(kind, value) for kind, values in subject.entities.kinds.items() for value in values[:3]]:
        one = Entities({kind: [value]})
        tools = dict.fromkeys(code(output.tool) for output in answered if names_entity(output.content or "", one))
        lines.append(f"- {kind} {code(value)}: {', '.join(tools) or 'in no answer'}")
    return ["## What the alert names, and where it stands in the answers", "", *lines[:MAX_NAMED]] if lines else []


def _failed(outputs: Sequence[Output]) -> list[str]:
    lines = []
    for one in (one for one in outputs if not one.answered):
        first = next((line for line in (one.content or "").split("\n", 20) if line.strip()), "")
        lines.append(f"- {_call(one)}: {code(first, 300) if first else 'no result came back'}{_cite(one)}")
    return ["## What failed", "", *lines] if lines else []


def _said(whose: str, work: Work) -> list[str]:
    """Quotes the first lines of an agent's analysis.

    An agent's analysis that these rules wrote is omitted, because its tool outputs are reported anyway.
    """
    lines = [] if NOTE in work.analysis and work.agent else _lines(work.analysis)[:6]
    return ["", f"{plain(whose)}:", "", *(f"> {plain(line)}" for line in lines)] if lines else []


def _lines(analysis: str) -> list[str]:
    """Returns lines of running text, without Markdown, headings, code and the note that these rules add."""
    lines = []
    for line in _CODE.sub("", analysis[:60_000]).split("\n"):
        if not line.lstrip().startswith("#") and NOTE not in line:
            text = re.sub(r"\\([\\`*_\[\]<>#|])", r"\1", _MARK.sub("", line[:2000]).replace("**", "").replace("`", ""))
            lines += [" ".join(text.split())] if text.strip() else []
    return lines
