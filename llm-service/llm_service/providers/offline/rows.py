"""Reads a tool result, whatever its form, as rows: named fields plus the exact text they stand in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llm_service.providers.offline.jsontext import object_spans, parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_ROWS = 600
FIRST_LINES = 300
LAST_LINES = 700
"""Of a long result the beginning (headings, the top of a ranking) and the end (a log's newest lines) are read."""
MAX_FIELDS = 30
_PAIR = re.compile(r"^\s{0,12}([A-Za-z][\w .()/%-]{0,50}?)\s{0,3}[:=]\s{1,8}(\S.{0,300})$")
_INLINE = re.compile(r"([A-Za-z][\w/-]{0,30}) (\d{1,3}(?:\.\d{1,4})?%)(?: (used|free|available|full|busy|idle)\b)?")
_COLUMNS = re.compile(r"\s{2,}|\t")
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True)
class Row:
    """A piece of a result.

    Attributes:
        fields: values by name, as text exactly as the tool wrote them; empty for plain lines.
        text: the lines it stands in, verbatim.
        header: the line that names the columns, verbatim, or "".
        order: position in the result.
    """

    fields: dict[str, str]
    text: str
    header: str
    order: int


def read_rows(result: str) -> list[Row]:
    """Read a result. JSON gives a row for each object, text one for each line."""
    value = parse_json(result)
    return list(_json_rows(result, value)) if value is not None else list(_text_rows(result))


def _json_rows(text: str, value: Any) -> Iterator[Row]:
    spans = object_spans(text, MAX_ROWS)
    order = 0
    # Depth first in the order of the text, as the spans are; an explicit stack bounds nothing but memory.
    stack: list[tuple[str, Any]] = [("", value)]
    while stack and order < len(spans):
        path, item = stack.pop()
        if isinstance(item, list):
            stack.extend((path, inner) for inner in reversed(item))
        elif isinstance(item, dict):
            begin, end = spans[order]
            fields = dict(list(_scalars(path, item))[:MAX_FIELDS])
            yield Row(fields=fields, text=text[begin:end], header="", order=order)
            order += 1
            stack.extend(
                (f"{path}.{key}" if path else str(key), inner)
                for key, inner in reversed(item.items())
                if isinstance(inner, dict | list)
            )


def _scalars(path: str, item: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in item.items():
        if isinstance(value, bool) or value is None:
            continue
        if isinstance(value, str | int | float):
            yield (
                (f"{path.rsplit('.', 1)[-1]} {key}" if path and len(item) <= 2 else str(key)),
                str(value)[:300],
            )


@dataclass(frozen=True)
class _Table:
    header: str
    names: list[str]
    wide: bool


def _text_rows(text: str) -> Iterator[Row]:
    table: _Table | None = None
    lines = text.split("\n")
    if len(lines) > FIRST_LINES + LAST_LINES:
        lines = lines[:FIRST_LINES] + lines[-LAST_LINES:]
    for order, raw in enumerate(lines):
        line = raw.rstrip("\r")
        if not line.strip():
            table = None
            continue
        following = lines[order + 1] if order + 1 < len(lines) else ""
        if table is None and (table := _table(line, following)):
            continue
        fields = _cells(line, table) if table else {}
        if fields and table:
            yield Row(fields=fields, text=line, header=table.header, order=order)
            continue
        if line.rstrip().endswith((":", ".")):
            table = None
        yield Row(fields=_line_fields(line), text=line, header="", order=order)


def _line_fields(line: str) -> dict[str, str]:
    """Fields of a line of prose: `Load: 0.5`, `busy 12.3%`, `with 91% used`."""
    pair = None if line.rstrip().endswith(":") else _PAIR.match(line)
    cells = _COLUMNS.split(line.strip())
    if pair:
        fields = {pair[1].strip(): pair[2].strip()}
    elif len(cells) == 2 and not _NUMBER.search(cells[0]):
        fields = {cells[0]: cells[1][:300]}
    else:
        fields = {}
    for inline in _INLINE.finditer(line[:1000]):
        fields.setdefault(inline[3] or inline[1], inline[2])
    return fields


def _table(line: str, following: str) -> _Table | None:
    """Recognise the line that names the columns: no numbers in it, as many cells as in the next line."""
    if _NUMBER.search(line.removeprefix("Filesystem").replace("1K-blocks", "")) or line.rstrip().endswith((":", ".")):
        return None
    wide = [name.strip() for name in _COLUMNS.split(line.strip())]
    cells = len(_COLUMNS.split(following.strip()))
    if len(wide) >= 3 and cells == len(wide):
        return _Table(line, wide, wide=True)
    if len(wide) >= 2 and cells == len(wide) + 1 and line[0].isspace():
        return _Table(line, ["name", *wide], wide=True)  # the first column has no heading
    narrow = line.replace("Mounted on", "Mounted_on").split()
    capitals = all(name.isupper() or name in "%/-" for name in narrow) or narrow[0] == "Filesystem"
    if len(narrow) >= 3 and capitals and _NUMBER.search(following) and len(following.split()) >= len(narrow):
        return _Table(line, narrow, wide=False)
    return None


def _cells(line: str, table: _Table) -> dict[str, str]:
    cells = _COLUMNS.split(line.strip()) if table.wide else line.split(None, len(table.names) - 1)
    if len(cells) != len(table.names):
        return {}
    names = (name.lower().replace("_", " ") for name in table.names)
    return dict(zip(names, (cell.strip()[:300] for cell in cells), strict=True))
