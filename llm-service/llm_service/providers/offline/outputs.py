"""What tools answered: exact lines to quote, things for later calls, the percentage that a limit is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from llm_service.providers.offline.about import FREE, About, Things, kind_of, limit_in, read_about
from llm_service.providers.offline.text import LINE_CHARS, code, words_of

MAX_LINES = 8
LOG_LINES = 16  # an output of more lines that is no table is read as a log: of equal lines the last one counts most
FIRST_LINES, LAST_LINES = 300, 700
"""Of a long output the beginning (headings, the top of a ranking) and the end (the newest of a log) are read."""
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
_OTHER_PERCENT = re.compile(r"inode|i/o|wait|steal|per cpu", re.IGNORECASE)


@dataclass(frozen=True)
class Output:
    """A call and what the tool answered, to which agents; content None: nothing yet, number 0: it cannot be cited."""

    tool: str
    arguments: dict[str, Any]
    content: str | None
    failed: bool = False
    number: int = 0
    agents: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        """The tool did what it was asked."""
        return self.content is not None and not self.failed

    @property
    def words(self) -> list[str]:
        """Stems of the tool's own name."""
        return words_of(self.tool.split(".", 1)[-1])


@dataclass(frozen=True)
class Line:
    """A line of an output as it stands there; of a table with its cells by column and the table's first line."""

    text: str
    cells: dict[str, str] = field(default_factory=dict)
    header: str = ""


def lines_of(output: Output) -> Iterator[Line]:
    """The lines that can be quoted: printable, long ones by their beginning, or in pieces where all is one line."""
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
    """Names of the columns, if this line is the head of a table: without figures, as wide as what follows."""
    if len(cells) < 3 - line[0].isspace() or re.search(r"\d", line) or line.endswith((":", ".")):
        return []
    names = [cell.lower() for cell in cells]
    if following == len(names) and len(set(names)) == len(names):
        return names
    return ["", *names] if following == len(names) + 1 and line[0].isspace() else []


def named_in(text: str, things: Things) -> bool:
    """Tell whether a text has one of the things, whole."""
    lowered = text.lower()
    tokens = {token.strip(".:`") or token for token in _TOKEN.split(lowered)}
    values = (value.lower() for values in things.kinds.values() for value in values)
    return any(value in tokens or (len(value) >= 6 and value in lowered) for value in values)


def touches(line: Line, about: About) -> float:
    """How much a line has to do with the text: things count most, then words, then signs of trouble."""
    if line.text.endswith(":"):
        return 0.0
    # Words of a command line are options and names of files.
    words = about.words.keys() & set(words_of(line.text)) if "pid" not in line.cells else set()
    score = 4.0 * named_in(line.text, about.things) + 2.0 * bool(_TROUBLE.search(line.text))
    return score + min(3.0, sum(about.words[word] for word in words))


def ranked(output: Output, about: About) -> tuple[list[Line], list[int]]:
    """Give the lines, and their places, with what says most for the text first."""
    lines = list(lines_of(output))
    newest = len(lines) > LOG_LINES and not any(line.cells for line in lines)
    scores = [touches(line, about) for line in lines]
    return lines, sorted(range(len(lines)), key=lambda at: (-scores[at], -at if newest else at))


def quote(output: Output, about: About, most: int = MAX_LINES) -> list[str]:
    """The lines that say most for the text, in their order; exact parts of the output."""
    lines, order = ranked(output, about)
    heads = {lines[at].header for at in order[:most]} - {""}
    return [line.text for at, line in enumerate(lines) if at in order[:most] or (line.text in heads and not line.cells)]


def headline(output: Output, about: About) -> str:
    """What says most, in one line of Markdown: of a table the best row with its columns, else a line and the next."""
    lines, order = ranked(output, about)
    heads = {line.header for line in lines}
    row = next((lines[at] for at in order if lines[at].cells), None)
    at = next((at for at in order if lines[at].text not in heads and not lines[at].text.endswith(":")), None)
    if row is not None and (at is None or touches(row, about) >= min(1.0, touches(lines[at], about))):
        return ", ".join(f"{name} {code(cell, 60)}".strip() for name, cell in list(row.cells.items())[:MAX_CELLS])
    following = [line for line in lines[at : at + 2] if line.text not in heads] if at is not None else []
    return " / ".join(code(line.text) for line in following) or "nothing that can be quoted"


def by_relevance(outputs: Sequence[Output], about: About) -> list[Output]:
    """Those that answered, by the tool's name, what it was asked, and the line that has most to do with the text."""

    def weight(one: Output) -> float:
        best = max((touches(line, about) for line in lines_of(one)), default=0.0)
        return -best - 4.0 * _asked(one, about) - 3.0 * sum(about.words.get(word, 0.0) for word in one.words)

    return sorted((one for one in outputs if one.answered), key=weight)


def _asked(output: Output, about: About) -> bool:
    return any(named_in(str(value), about.things) for value in output.arguments.values())


def harvest(outputs: Sequence[Output], about: About) -> Things:
    """What the answers name, best first: things in lines that have to do with the text."""
    found = Things()
    for output in (one for one in outputs if one.answered):
        lines, order = ranked(output, about)
        owner = next((word for word in output.words if kind_of(word)), "")
        for at in order[:50]:
            for column, cell in lines[at].cells.items():
                kind = kind_of(owner if column == "name" else column)
                if kind not in (None, "host", "process") and " " not in cell and len(cell) > 1:
                    found.add(str(kind), cell)
        rest = read_about("\n".join(lines[at].text for at in order[:50] if not lines[at].cells)).things
        for kind in ("path", "pod", "namespace"):
            for value in rest.kinds.get(kind, ()):
                found.add(kind, value)
    return found


Measured = tuple[float, Line, Output]  # a percentage of what the limit is about, and where it stands


def measure(outputs: Sequence[Output], about: About) -> Measured | None:
    """The percentage that the text's limit is about: of the thing it names, else the one furthest beyond it."""
    if about.limit is None:
        return None
    titled = {word for word, weight in about.words.items() if weight >= 1}
    found: list[tuple[tuple[bool, bool, float], Measured]] = []
    for output in (one for one in outputs if one.answered):
        asked = _asked(output, about)
        figures: list[tuple[float, Line, bool]] = []
        for line in lines_of(output):
            shared = not titled.isdisjoint(words_of(line.text))
            fits = shared or asked or not titled.isdisjoint(output.words)
            figure = _percentage(line, free=about.limit.free) if fits else None
            # What gives a limit measures nothing: it is the alert again, in a command line or a rule.
            if figure is not None and "pid" not in line.cells and limit_in(line.text) is None:
                figures.append((figure, line, shared))
        # Asked for the thing that is named, and one figure came: it is that of the thing.
        alone = asked and len({figure for figure, _, _ in figures}) == 1
        for figure, line, shared in figures:
            rank = (alone or named_in(line.text, about.things), shared, figure if about.limit.above else -figure)
            found.append((rank, (figure, line, output)))
    best = max(found, key=lambda one: one[0], default=None)
    # What is true of another filesystem says nothing about the one that is named.
    return None if best is None or (about.things.kinds.get("path") and not best[0][0]) else best[1]


def _percentage(line: Line, *, free: bool) -> float | None:
    """The one percentage of a line, as that of what is free or of what is used; None when it may be several."""
    if line.cells:
        cells = [(name, _PERCENT.fullmatch(cell)) for name, cell in line.cells.items()]
        told = [(name, found) for name, found in cells if found and (found[2] or _PERCENT_NAME.search(name))]
    else:
        parts = re.split(r"[,;(]", line.text)
        told = [(part, found) for part in parts for found in _PERCENT.finditer(part) if found[2]]
    values = [(bool(FREE.search(name)), float(found[1])) for name, found in told if not _OTHER_PERCENT.search(name)]
    fitting = [value for of_free, value in values if of_free is free]
    if len(values) == 1:
        return values[0][1] if fitting else 100 - values[0][1]
    return fitting[0] if len(fitting) == 1 else None
