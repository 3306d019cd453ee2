"""Reads tool outputs: lines to quote, entities for later calls, and the figure to compare with a limit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm_service.providers.offline.kinds import BAD
from llm_service.providers.offline.quantities import FREE, Limit, figure_of, figures, find_limit
from llm_service.providers.offline.subject import Entities, Subject, kind_of, normalise, read_subject
from llm_service.providers.offline.text import LINE_CHARS, code, words_of

MAX_LINES = 8
LOG_LINES = 16  # longer outputs without a table count as logs: of equally relevant lines, the newest ranks first
# Number of lines read of a long output: the first (headings, top of a ranking), the last (newest log lines).
FIRST_LINES, LAST_LINES = 300, 700
MAX_CELLS = 8

_COLUMNS = re.compile(r"\s{2,}|\t")
_PIECE = re.compile(rf".{{1,{LINE_CHARS - 1}}}[,\s]|.{{1,{LINE_CHARS}}}")
_TROUBLE = re.compile(
    r"(?<![\w-])(?:error|fail(?:ed|ure|ing)?|fatal|panic|critical|exception|crashloopbackoff|oomkilled|out of memory|"
    r"killed|evicted|back-?off|unhealthy|refused|timed? ?out|denied|no space left|unreachable|segfault|corrupt)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\s,;|()\[\]{}\"'=<>]+")
_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,6})?)\s?(%?)")
_PERCENT_NAME = re.compile(r"%|percent|pct", re.IGNORECASE)
# Matches columns with figures of another time, and with limits.
OTHER_TIME = re.compile(r"ago|before|previous|yesterday|last|usual|average|baseline|limit|max", re.IGNORECASE)
_OTHER_PERCENT = re.compile(r"inode|i/o|wait|steal|per cpu", re.IGNORECASE)


@dataclass(frozen=True)
class Output:
    """A tool call and its output. `content` None = no result. `number` = output number, 0 = not citable."""

    tool: str
    arguments: dict[str, Any]
    content: str | None
    failed: bool = False
    number: int = 0
    agents: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """True if the call succeeded."""
        return self.content is not None and not self.failed

    @property
    def words(self) -> list[str]:
        """Stems of the tool's name."""
        return words_of(self.tool.split(".", 1)[-1])


@dataclass(frozen=True)
class Line:
    """An exact line of an output; table rows have cells by column and the table's header line."""

    text: str
    cells: dict[str, str] = field(default_factory=dict)
    header: str = ""


def quotable_lines(output: Output) -> Iterator[Line]:
    """Yields the printable lines, cut at LINE_CHARS; a long single line is split into pieces."""
    lines = (output.content or "").split("\n")
    if len(lines) > FIRST_LINES + LAST_LINES:
        lines = lines[:FIRST_LINES] + lines[-LAST_LINES:]
    if len(lines) == 1 and len(lines[0]) > LINE_CHARS:
        lines = _PIECE.findall(lines[0][: 100 * LINE_CHARS])
    columns: list[str] = []
    header = ""
    for raw, after in zip(lines, [*lines[1:], ""], strict=True):
        text = raw.rstrip()[:LINE_CHARS].rstrip()
        if not text.strip() or not text.replace("\t", " ").isprintable():
            columns = []
            continue
        cells = _cells(raw)
        if columns and len(cells) == len(columns):
            yield Line(text, dict(zip(columns, cells, strict=True)), header)
        else:
            columns, header = _columns(text, cells, len(_cells(after))), text
            yield Line(text)


def _cells(line: str) -> list[str]:
    return _COLUMNS.split(line[: 4 * LINE_CHARS].strip())


def _columns(line: str, cells: list[str], following: int) -> list[str]:
    """Returns the columns of a table header (no figures, as many cells as the next line), otherwise []."""
    if (
        len(cells) < 3 - line[0].isspace()
        or re.search(r"(?<![a-z])\d", line, re.IGNORECASE)
        or line.endswith((":", "."))
    ):
        return []
    names = [cell.lower() for cell in cells]
    if following == len(names) and len(set(names)) == len(names):
        return names
    return ["", *names] if following == len(names) + 1 and line[0].isspace() else []


def names_entity(text: str, entities: Entities) -> bool:
    """Returns True if the text has an entity's name as a word; names of six characters may be part of a word."""
    lowered = text.lower()
    tokens = {token.strip(".:`") or token for token in _TOKEN.split(lowered)}
    values = (value.lower() for values in entities.kinds.values() for value in values)
    return any(value in tokens or (len(value) >= 6 and value in lowered) for value in values)


def relevance(line: Line, subject: Subject) -> float:
    """Returns the relevance of a line: entities weigh most, then words, then signs of trouble. Headings get 0."""
    if line.text.endswith(":"):
        return 0.0
    # In process lists, words do not count, because command lines consist of options and file names.
    words = subject.words.keys() & set(words_of(line.text)) if "pid" not in line.cells else set()
    score = 4.0 * names_entity(line.text, subject.entities) + 2.0 * bool(
        _TROUBLE.search(line.text) or any(map(BAD.fullmatch, line.cells.values()))
    )
    return score + min(3.0, sum(subject.words[word] for word in words))


def rank_lines(output: Output, subject: Subject) -> tuple[list[Line], list[int]]:
    """Returns the output's quotable lines in their order, and their indices with the most relevant first."""
    lines = list(quotable_lines(output))
    newest = len(lines) > LOG_LINES and not any(line.cells for line in lines)
    scores = [relevance(line, subject) for line in lines]
    return lines, sorted(range(len(lines)), key=lambda at: (-scores[at], -at if newest else at))


def quote(output: Output, subject: Subject, most: int = MAX_LINES) -> list[str]:
    """Returns the most relevant lines, unchanged and in their order, with their tables' header lines."""
    lines, order = rank_lines(output, subject)
    heads = {lines[at].header for at in order[:most]} - {""}
    return [line.text for at, line in enumerate(lines) if at in order[:most] or (line.text in heads and not line.cells)]


def best_line(output: Output, subject: Subject) -> str:
    """Returns the most relevant part as one line of Markdown.

    The part is a table row with its column names, or a line and the line after it.
    """
    lines, order = rank_lines(output, subject)
    heads = {line.header for line in lines}
    row = next((lines[at] for at in order if lines[at].cells), None)
    at = next((at for at in order if lines[at].text not in heads and not lines[at].text.endswith(":")), None)
    if row is not None and (at is None or relevance(row, subject) >= min(1.0, relevance(lines[at], subject))):
        return ", ".join(f"{name} {code(cell, 60)}".strip() for name, cell in list(row.cells.items())[:MAX_CELLS])
    following = [line for line in lines[at : at + 2] if line.text not in heads] if at is not None else []
    return " / ".join(code(line.text) for line in following) or "nothing that can be quoted"


def sort_by_relevance(outputs: Sequence[Output], subject: Subject) -> list[Output]:
    """Returns the successful outputs, most relevant first: by tool name, arguments and best line."""

    def weight(one: Output) -> float:
        best = max((relevance(line, subject) for line in quotable_lines(one)), default=0.0)
        return -best - 4.0 * asked_about(one, subject) - 3.0 * sum(subject.words.get(word, 0.0) for word in one.words)

    return sorted((one for one in outputs if one.answered), key=weight)


def asked_about(output: Output, subject: Subject) -> bool:
    """Returns True if the call's arguments name an entity of the alert."""
    arguments = output.arguments.values()
    return any(names_entity(str(value), subject.entities) for value in arguments) or bool(labels_in(output, subject))


def labels_in(output: Output, subject: Subject) -> dict[str, str]:
    """Returns the arguments that are labels of the alert of no known kind, such as `queue` or `topic`."""
    fields, arguments = subject.entities.fields, output.arguments.items()
    return {
        name: value for name, value in arguments if not kind_of(name) and value and fields.get(normalise(name)) == value
    }


def find_entities(outputs: Sequence[Output], subject: Subject) -> Entities:
    """Returns entities named in relevant lines of the outputs, best first."""
    found = Entities()
    for output in (one for one in outputs if one.answered):
        lines, order = rank_lines(output, subject)
        owner = next((word for word in output.words if kind_of(word)), "")
        for at in order[:50]:
            for column, cell in lines[at].cells.items():
                kind = kind_of(owner if column == "name" else column)
                if kind not in (None, "host", "process") and " " not in cell and len(cell) > 1:
                    found.add(str(kind), cell)
        rest = read_subject("\n".join(lines[at].text for at in order[:50] if not lines[at].cells)).entities
        for kind in ("path", "pod", "namespace"):
            for value in rest.kinds.get(kind, ()):
                found.add(kind, value)
    return found


Measurement = tuple[float, Line, Output]  # figure to compare with the limit (base unit), its line and output


def find_measurement(outputs: Sequence[Output], subject: Subject) -> Measurement | None:
    """Returns the figure to compare with the limit: the named entity's, otherwise the most extreme one."""
    if subject.limit is None:
        return None
    limit, kinds = subject.limit, subject.entities.kinds
    named = set(words_of(" ".join(value for values in kinds.values() for value in values)))
    titled = {word for word, weight in subject.words.items() if weight >= 1}
    if limit.unit != "%":
        titled -= named  # rows that only name the entity have figures of every kind
    exact = {token for token in _tokens(subject.title) if re.search(r"\d", token)}  # such as p95
    found: list[tuple[tuple[bool, int, int, float], Measurement]] = []
    for output in (one for one in outputs if one.answered):
        asked = asked_about(output, subject)
        fitting: list[tuple[float, Line, int]] = []
        for line in quotable_lines(output):
            shared = len((titled - named).intersection(words_of(line.text)))
            fits = not titled.isdisjoint(words_of(line.text)) or asked or not titled.isdisjoint(output.words)
            figure = _figure(line, limit) if fits and (shared or limit.unit == "%") else None
            # A line with a limit quotes the alert or its rule, so it is no measurement.
            if figure is not None and "pid" not in line.cells and find_limit(line.text) is None:
                fitting.append((figure, line, shared))
        # True if the call asked about the entity and its output has one figure, so that the figure is the entity's.
        alone = asked and len({figure for figure, _, _ in fitting}) == 1
        for figure, line, shared in fitting:
            rank = (
                alone or names_entity(line.text, subject.entities) or (asked and shared > 0 and not kinds.get("path")),
                shared,
                len(exact.intersection(_tokens(line.text))),
                figure if limit.above else -figure,
            )
            found.append((rank, (figure, line, output)))
    best = max(found, key=lambda one: one[0], default=None)
    # Returns None if the alert names a path and the figure may be that of another filesystem.
    return None if best is None or (kinds.get("path") and not best[0][0]) else best[1]


def _tokens(text: str) -> set[str]:
    return {token.strip(".:`") for token in _TOKEN.split(text.lower())}


def _figure(line: Line, limit: Limit) -> float | None:
    """Returns a line's only current figure in the limit's unit; None if there is not exactly one."""
    if limit.unit == "%":
        return _percentage(line, free=limit.free)
    if line.cells:
        cells = [(name, figure_of(cell)) for name, cell in line.cells.items() if not OTHER_TIME.search(name)]
        values = [figure[0] for _, figure in cells if figure and figure[1] == limit.unit]
    else:
        values = [value for value, unit in figures(line.text) if unit == limit.unit]
    return values[0] if len(values) == 1 else None


def _percentage(line: Line, *, free: bool) -> float | None:
    """Returns a line's only percentage, converted to free or used space; None if there is not exactly one."""
    if line.cells:
        row = next(iter(line.cells.values()), "")
        cells = [(name, _PERCENT.fullmatch(cell)) for name, cell in line.cells.items() if not OTHER_TIME.search(name)]
        candidates = [
            (f"{row} {name}" if found[2] and not _PERCENT_NAME.search(name) else name, found)
            for name, found in cells
            if found and (found[2] or _PERCENT_NAME.search(name))
        ]
    else:
        parts = re.split(r"[,;(]", line.text)
        candidates = [(part, found) for part in parts for found in _PERCENT.finditer(part) if found[2]]
    values = [
        (bool(FREE.search(name)), float(found[1])) for name, found in candidates if not _OTHER_PERCENT.search(name)
    ]
    fitting = [value for of_free, value in values if of_free is free]
    if len(values) == 1:
        return values[0][1] if fitting else 100 - values[0][1]
    return fitting[0] if len(fitting) == 1 else None
