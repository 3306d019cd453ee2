"""Finds signs of trouble and of health in tool outputs, by the kinds of their fields."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from llm_service.providers.offline.kinds import BAD, DOUBTFUL, GOOD, NO_DATA, kind_of_trouble
from llm_service.providers.offline.measure import OTHER_TIME
from llm_service.providers.offline.outputs import (
    Line,
    Output,
    asked_about,
    labels_in,
    names_entity,
)
from llm_service.providers.offline.quantities import FREE, figure_of
from llm_service.providers.offline.records import records
from llm_service.providers.offline.subject import Entities, Subject, kind_of, normalise

# Shares (%) from which a part in use is almost full, and a part that fails is trouble.
FULL, FAILING = 90.0, 5.0
ALMOST_ALL = 0.95  # share (0 to 1) of a limit from which it is exhausted
# Share of a column's sum, and multiple of the second figure, from which one consumer stands out.
OUTLIER_SHARE, OUTLIER_TIMES, OUTLIER_ROWS = 0.5, 3.0, 3
MANY_RESTARTS, FEW_DAYS = 3, 7

_STATES = frozenset("status state phase reason condition conditions health healthy result available up".split())
_NAMES = ("object", "name", "pod", "host", "application", "app", "table", "path", "slot", "instance", "job", "workload")
_READY = re.compile(r"(\d{1,4})/(\d{1,4})")
_RESTARTS = re.compile(r"(\d{1,6})(?: \((?:\d+[dhms])+ ago\))?")
_RECENT = re.compile(r"\((?:\d+[hms])+ ago\)")
_PRESSURE = re.compile(r"pressure|unavailable|problem", re.IGNORECASE)
_FINISHED = re.compile(r"completed|succeeded", re.IGNORECASE)
_OF_FAILURE = re.compile(r"error|fail|drop|loss|lost|reject|5xx", re.IGNORECASE)
_OF_SUCCESS = re.compile(r"hit|success|uptime|\bup\b|complete|request|availability", re.IGNORECASE)
_LIMIT_NAME = re.compile(r"(?:^|\b)(?:limit|max|maximum|capacity|allowed)(?:\b|$)", re.IGNORECASE)
_DAYS_LEFT = re.compile(r"days left|days|expires in|valid for", re.IGNORECASE)
# Matches columns whose large figures are usual: the oldest entity has no trouble.
_OF_AGE = re.compile(r"age|seen|since|uptime|days|restarts|port|pid|id\b", re.IGNORECASE)
_LEVEL = re.compile(r"(?<![\w-])(?:ERROR|FATAL|PANIC|CRITICAL|SEVERE|panic|fatal)(?![\w-])")
# Matches a pipe or socket among the open files of a process, such as `pipe:[4711]`, which is no entity.
_KERNEL_OBJECT = re.compile(r"[a-z_]+:\[\S*\]")
_HASH = re.compile(
    r"-(?:[a-f0-9]{8,10}|[bcdfghjklmnpqrstvwxz2456789]{8,10})-[a-z0-9]{5}$|-\d{7,9}-[a-z0-9]{5}$|-\d{1,3}$"
)


@dataclass(frozen=True)
class Sign:
    """A sign of trouble. `of`: the names of the entity that has it. `strong`: trouble by itself."""

    label: str
    of: tuple[str, ...]
    strong: bool
    symptom: bool  # True if it usually follows from trouble elsewhere
    own: bool  # True if the entity is one that the alert names
    line: Line
    output: Output


def find_signs(outputs: Sequence[Output], subject: Subject) -> list[Sign]:
    """Returns the signs of trouble: strong ones first, then possible causes, then those of the alert's entities."""
    found = [sign for output in outputs if output.answered for sign in _signs_of(output, subject)]
    return sorted(found, key=lambda sign: (not sign.strong, sign.symptom, not sign.own))


def healthy_lines(outputs: Sequence[Output], subject: Subject) -> list[tuple[Line, Output]]:
    """Returns table rows that say that an entity of the alert is well. Logs never prove health."""
    return [
        (line, output)
        for output in outputs
        if output.answered
        for line in records(output)
        if line.cells and _is_own(line, output, subject) and _is_well(line.cells)
    ]


def has_no_data(outputs: Sequence[Output], subject: Subject) -> list[tuple[Line, Output]]:
    """Returns table rows of the alert's entities in which a current figure is missing."""
    return [
        (line, output)
        for output in outputs
        if output.answered
        for line in records(output)
        if _is_own(line, output, subject)
        and any(NO_DATA.fullmatch(cell) for name, cell in line.cells.items() if not OTHER_TIME.search(name))
    ]


def workload_of(name: str) -> str:
    """Returns the name of a pod's workload; the name itself if it has no such end."""
    return _HASH.sub("", name)


def _signs_of(output: Output, subject: Subject) -> Iterator[Sign]:
    lines = list(records(output))
    outliers = _outliers(lines)
    for at, line in enumerate(lines):
        own, kind = _is_own(line, output, subject), kind_of_trouble(line.text)
        if not line.cells or _is_log(line.cells):
            if _LEVEL.search(line.text) or _LEVEL.fullmatch(_level(line.cells)):
                label, symptom = (kind.label, kind.symptom) if kind else ("error in a log", True)
                yield Sign(label, (), own, symptom, own, line, output)
            continue
        names = names_of(line, output)
        for label, strong in _row_signs(line.cells):
            symptom = kind.symptom if kind else label.startswith("errors")
            yield Sign(kind.label if kind else label, names, strong, symptom, own, line, output)
        if at in outliers and names:
            yield Sign(f"stands out by its {outliers[at]}", names, False, False, own, line, output)


def _level(cells: Mapping[str, str]) -> str:
    return next((cell.upper() for name, cell in cells.items() if normalise(name) in ("level", "severity", "lvl")), "")


def _is_log(cells: Mapping[str, str]) -> bool:
    """Returns True if the fields are those of a log line, which proves trouble at most."""
    return bool(_level(cells)) or "msg" in cells


def _is_own(line: Line, output: Output, subject: Subject) -> bool:
    """Returns True if the line is about an entity that the alert names: by its name, else by the call's arguments."""
    kinds = subject.entities.kinds
    exact = {kind: values for kind, values in kinds.items() if kind not in ("namespace", "container", "port")}
    if not any(exact.values()):
        return names_entity(line.text, subject.entities) or asked_about(output, subject)
    if line.cells and _name_column(line.cells) is not None:
        around = line.cells.get("object", "").replace("/", " ")  # not in the text of an object of JSON
        return names_entity(f"{line.text} {around}", Entities(exact))
    arguments = [str(value) for value in output.arguments.values()]
    wanted = {value for values in exact.values() for value in values}
    asked = any(value in wanted or workload_of(value) in wanted for value in arguments)
    return asked or bool(labels_in(output, subject)) or names_entity(line.text, Entities(exact))


def _name_column(cells: Mapping[str, str]) -> str | None:
    """Returns the column with the row's entity: a usual name of such a column, else the first of a known kind."""
    return next((name for name in (*_NAMES, *filter(kind_of, cells)) if name in cells), None)


def names_of(line: Line, output: Output) -> tuple[str, ...]:
    """Returns the row's entity as `kind name`, and its workload if the entity is a pod; () if it names none."""
    column = _name_column(line.cells)
    if column is None or _KERNEL_OBJECT.fullmatch(line.cells[column]):
        return ()
    name = line.cells[column]
    kind = kind_of(column) or next((kind for word in output.words if (kind := kind_of(word))), None)
    if column == "object" and "/" in name:
        kind, name = name.split("/", 1)
    own = f"{kind or line.cells.get('kind', column).lower()} {name}"
    workload = workload_of(name) if kind == "pod" else name
    return (own,) if workload == name else (f"workload {workload}", own)


def _row_signs(cells: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Yields the label and strength of each sign in a table row."""
    states = {name: cell for name, cell in cells.items() if normalise(name) in _STATES}
    if any(_FINISHED.fullmatch(cell) for cell in states.values()):
        return
    for name, cell in states.items():
        parts = re.split(r"[,;/]\s*", cell)
        if any(BAD.fullmatch(part) for part in parts) or (normalise(name) in ("up", "available") and cell == "0"):
            yield f"{name} {cell}", True
        elif any(DOUBTFUL.fullmatch(part) for part in parts):
            yield f"{name} {cell}", False
    if cells.get("type", "").lower() == "warning" and "message" in cells:
        yield f"warning {cells.get('reason', '')}".strip(), True
    ready = _READY.fullmatch(cells.get("ready", ""))
    if cells.get("ready") == "false" or (ready and int(ready[1]) < int(ready[2])):
        yield "not ready", True
    if _PRESSURE.search(cells.get("type", "")) and cells.get("status", "").lower() == "true":
        yield f"{cells['type']}", True
    restarts = _RESTARTS.fullmatch(cells.get("restarts", ""))
    if restarts and int(restarts[1]) >= MANY_RESTARTS and _RECENT.search(cells["restarts"]):
        yield "restarts", True
    yield from _figure_signs(cells)


def _figure_signs(cells: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    first = next(iter(cells.values()), "")
    current = {
        name: figure for name, cell in cells.items() if not OTHER_TIME.search(name) and (figure := figure_of(cell))
    }
    for name, (value, unit) in current.items():
        what = f"{first} {name}"
        percent = unit == "%" or "%" in name or "percent" in name
        if percent and _OF_FAILURE.search(what):
            if value >= FAILING:
                yield f"errors: {what}", True
        elif percent and not FREE.search(what) and not _OF_SUCCESS.search(what) and value >= FULL:
            yield f"almost full: {name if _name_column(cells) else first}", True
        elif _DAYS_LEFT.search(name) and value <= FEW_DAYS:
            yield ("certificate expired" if value <= 0 else "certificate expires soon"), value <= 0
    limits = {name: figure for name, cell in cells.items() if _LIMIT_NAME.search(name) and (figure := figure_of(cell))}
    for name, (most, unit) in limits.items():
        for used, (value, other) in current.items():
            if other == unit and _alike(used, name) and value >= ALMOST_ALL * most > 0:
                yield f"exhausted: {used}", True


def _alike(column: str, limit: str) -> bool:
    rest = _LIMIT_NAME.sub("", limit).strip()
    return rest in ("", column) or column in ("used", "now", "in use")


def _is_well(cells: Mapping[str, str]) -> bool:
    if _is_log(cells) or any(_row_signs(cells)):
        return False
    states = [cell for name, cell in cells.items() if normalise(name) in _STATES]
    ready = _READY.fullmatch(cells.get("ready", ""))
    return any(GOOD.fullmatch(cell) for cell in states) or bool(ready and ready[1] == ready[2])


def _outliers(lines: Sequence[Line]) -> dict[int, str]:
    """Returns rows with a figure larger than all others of its column together, by index, with the column.

    Tables with percentages have none, because each of their rows is a part of another whole.
    """
    rows = [(at, line.cells) for at, line in enumerate(lines) if line.cells]
    if any("%" in name for _, cells in rows for name in cells):
        return {}
    found: dict[int, str] = {}
    for column in dict.fromkeys(name for _, cells in rows for name in cells):
        if OTHER_TIME.search(column) or FREE.search(column) or _OF_AGE.search(column):
            continue
        figures = sorted(
            ((figure[0], at) for at, cells in rows if (figure := _amount(cells.get(column, "")))), reverse=True
        )
        if len(figures) < OUTLIER_ROWS or len(figures) < len(rows) - 1:
            continue
        (largest, at), (second, _) = figures[0], figures[1]
        total = sum(value for value, _ in figures)
        if largest > OUTLIER_SHARE * total and largest >= OUTLIER_TIMES * second > 0:
            found.setdefault(at, column)
    return found


def _amount(cell: str) -> tuple[float, str] | None:
    """Returns the figure of a cell, also with the suffixes of CPU (`250m`) and of counts (`1.2 M`, `3 k`)."""
    suffixed = re.fullmatch(r"(\d{1,12}(?:\.\d{1,6})?) ?([mkM])", cell)
    if suffixed:
        return float(suffixed[1]) * {"m": 0.001, "k": 1e3, "M": 1e6}[suffixed[2]], ""
    return figure_of(cell)
