"""Says in plain words what a tool result shows, with the numbers as the tool wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from llm_service.providers.offline.entities import kind_of
from llm_service.providers.offline.markdown import inline_code
from llm_service.providers.offline.measure import Measurement, measure
from llm_service.providers.offline.readings import busiest, is_log, label_of, scored, troubled
from llm_service.providers.offline.rows import Row, read_rows
from llm_service.providers.offline.words import tokenize

if TYPE_CHECKING:
    from llm_service.providers.offline.exchange import Exchange
    from llm_service.providers.offline.subject import Limit, Subject

MAX_FIELDS = 6
MAX_ROWS = 3
MAX_NAME_WORDS = 6
_REQUESTS = frozenset({"http", "probe", "url", "curl"})
_TARGETS = ("path", "mount", "pod", "deployment", "node", "service")
_RANKING = frozenset({"largest", "biggest", "top", "most", "slowest", "hottest"})


def verdict(exchanges: list[Exchange], subject: Subject) -> tuple[str, Measurement | None]:
    """Say whether what the alert claims is true now, as far as it was measured."""
    found = measure(exchanges, subject)
    if found is None:
        if subject.limit is None:
            return "", None
        limit = f"{subject.limit.percent:g} %"
        return f"Whether the alert's limit of {limit} is passed now could not be read from the tool results.", None
    what = f" for {inline_code(found.label)}" if found.label else ""
    name = inline_code(found.percentage.name)
    fact = f"{inline_code(found.tool)} shows {inline_code(found.percentage.text)} ({name}){what}"
    if subject.limit is None:
        return f"{fact}.", found
    return f"{fact}: {_against(found, subject.limit)}", found


def _against(found: Measurement, limit: Limit) -> str:
    value = found.percentage.value
    converted = ""
    if found.percentage.of_free != limit.of_free:
        value = 100 - value
        converted = f" (that leaves {value:g} %)"
    side = "above" if value > limit.percent else "below" if value < limit.percent else "exactly at"
    holds = value > limit.percent if limit.above else value < limit.percent
    told = f"{side} the {limit.percent:g} % that the alert names"
    if holds:
        return f"{told}{converted}, so **the alert's condition holds now**."
    return f"{told}{converted}, so **the alert's condition does not hold now**."


def sentence(exchange: Exchange, subject: Subject) -> str:
    """One sentence on one result."""
    tool = _tool(exchange)
    result = exchange.result or ""
    rows = read_rows(result)
    if not rows:
        return f"{tool} returned {'nothing that can be read' if result.strip() else 'nothing'}."
    if _REQUESTS & set(tokenize(exchange.tool)):  # the status stands first, then headers and the page
        return f"{tool}: {' / '.join(inline_code(row.text, 160) for row in rows[:2])}."
    processes = busiest(rows, subject)
    if processes:
        count = "1 process" if len(processes) == 1 else f"{len(processes)} processes"
        return f"{tool}: {count} listed; most active: {_rows(processes)}."
    return f"{tool}: {_of_table(exchange.tool, rows, subject) or _of_log(rows) or _of_lines(rows, subject)}."


def _of_table(tool: str, rows: list[Row], subject: Subject) -> str:
    """The rows that have to do with the subject."""
    candidates = [row for _, row in scored(rows, subject)]
    if _RANKING & set(tokenize(tool)):
        candidates = rows  # the tool's own order says more
    tabular = [row for row in candidates if len(row.fields) >= 2]
    return "" if is_log(rows) else _rows(tabular)


def _of_log(rows: list[Row]) -> str:
    trouble = [row for row in rows if troubled(row)]
    if trouble and len(rows) > 2:
        last = inline_code(trouble[-1].text, 160)
        return f"{len(trouble)} of {len(rows)} lines speak of trouble, the last: {last}"
    if is_log(rows):
        return f"{len(rows)} lines, none speaks of trouble; the last: {inline_code(rows[-1].text, 160)}"
    return ""


def _of_lines(rows: list[Row], subject: Subject) -> str:
    """Values by name, else the first rows or lines."""
    ranked = [row for _, row in scored(rows, subject)]
    pairs = [row for row in rows if len(row.fields) == 1]
    told = [row for row in ranked if len(row.fields) == 1]
    if told or len(pairs) >= 3:
        shown = sorted((told or pairs)[:MAX_FIELDS], key=lambda row: row.order)
        return "; ".join(_row(row) for row in shown)
    with_fields = [row for row in rows if len(row.fields) >= 2]
    if with_fields:
        return f"{len(with_fields)} rows; first: {_rows(with_fields)}"
    # A line that ends in a colon is a heading.
    lines = [row.text for row in ranked or rows if not row.text.rstrip().endswith(":")] or [rows[0].text]
    return " / ".join(inline_code(line, 160) for line in lines[:MAX_ROWS])


def _tool(exchange: Exchange) -> str:
    """The tool and what it was called for, as the same tool may be called for two files."""
    kinds = ((kind_of(name), value) for name, value in exchange.arguments.items())
    about = next((value for kind, value in kinds if kind in _TARGETS and isinstance(value, str)), "")
    return f"{inline_code(exchange.tool)} of {inline_code(about, 120)}" if about else inline_code(exchange.tool)


def _rows(rows: list[Row]) -> str:
    return "; ".join(_row(row) for row in rows[:MAX_ROWS])


def _row(row: Row) -> str:
    """`/`: size 50.0 GiB, used 45.3 GiB, … with each value as it stands in the result."""
    if len(row.fields) == 1 and any(len(name.split()) > MAX_NAME_WORDS for name in row.fields):
        return inline_code(row.text, 160)  # a sentence with a colon
    label = label_of(row)
    shown = [(name, value) for name, value in row.fields.items() if label is None or name != label[0]]
    # Names of devices and the like say less than numbers.
    shown.sort(key=lambda item: not any(character.isdigit() for character in item[1]))
    parts = [f"{name} {inline_code(value, 60)}{_human(name, value)}" for name, value in shown[:MAX_FIELDS]]
    if label is None:
        return ", ".join(parts) or inline_code(row.text, 160)
    head = f"{label[0]} {inline_code(label[1])}" if kind_of(label[0]) in ("pid", "port") else inline_code(label[1])
    return f"{head}: {', '.join(parts)}" if parts else head


def _human(name: str, value: str) -> str:
    """The size in words people use, where a tool counts bytes."""
    if "byte" not in name.lower() or not value.isdecimal() or len(value) > 18:
        return ""
    size, unit = float(value), 0
    while size >= 1024 and unit < 5:
        size, unit = size / 1024, unit + 1
    return f" ({size:.1f} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[unit]})" if unit else ""
