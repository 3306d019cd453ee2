"""Reads tool outputs: lines to quote, entities for later calls, and the figure to compare with a limit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm_service.providers.offline.kinds import BAD
from llm_service.providers.offline.subject import Entities, Subject, kind_of, normalise
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
    """An exact line of an output; table rows have cells by column and the table's header line.

    An object of JSON is a line as well, with its fields as cells. `flat`: False if it has objects or lists inside.
    """

    text: str
    cells: dict[str, str] = field(default_factory=dict)
    header: str = ""
    flat: bool = True


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


def tokens_of(text: str) -> set[str]:
    """Returns the words of a text in lower case, with the digits and signs in them."""
    return {token.strip(".:`") or token for token in _TOKEN.split(text.lower())}


def names_entity(text: str, entities: Entities) -> bool:
    """Returns True if the text has an entity's name as a word; names of six characters may be part of a word."""
    lowered = text.lower()
    tokens = tokens_of(text)
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


def rank_lines(output: Output, subject: Subject, of: Sequence[Line] | None = None) -> tuple[list[Line], list[int]]:
    """Returns the given or the quotable lines in their order, and their indices with the most relevant first."""
    lines = list(quotable_lines(output) if of is None else of)
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
