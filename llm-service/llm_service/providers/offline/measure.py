"""Finds the figure in tool outputs that an alert's limit is about."""

import re
from collections.abc import Sequence

from llm_service.providers.offline.outputs import Line, Output, asked_about, names_entity, tokens_of
from llm_service.providers.offline.quantities import FREE, Limit, figure_of, figures, find_limit
from llm_service.providers.offline.records import records
from llm_service.providers.offline.subject import Subject
from llm_service.providers.offline.text import words_of

_PERCENT = re.compile(r"(?<![\w.])(\d{1,3}(?:\.\d{1,6})?)\s?(%?)")
_PERCENT_NAME = re.compile(r"%|percent|pct", re.IGNORECASE)
# Matches columns with figures of another time, and with limits.
OTHER_TIME = re.compile(r"ago|before|previous|yesterday|last|usual|average|baseline|limit|max", re.IGNORECASE)
_OTHER_PERCENT = re.compile(r"inode|i/o|wait|steal|per cpu", re.IGNORECASE)

# Resources that figures are about, by the stems of their names. A figure of one says nothing about the others.
_RESOURCES = (
    frozenset(("memory", "swap", "oom")),
    frozenset(("cpu", "load", "processor")),
    frozenset(("disk", "filesystem", "volume", "space", "storage", "partition", "inode")),
)
_THIS_MACHINE = frozenset(("localhost", "127.0.0.1", "::1"))
# Matches what a title is about, such as db-03 in "on db-03": a word with a digit, a dot or a hyphen.
_ABOUT = re.compile(r"\b(?:on|at|of|from) ([a-z][\w.-]{0,100}?[\d.-][\w.-]{0,100})")

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
    exact = {token for token in tokens_of(subject.title) if re.search(r"\d", token)}  # such as p95
    found: list[tuple[tuple[bool, int, int, float], Measurement]] = []
    for output in (one for one in outputs if one.answered and not _is_of_another(one, titled)):
        asked = asked_about(output, subject)
        fitting: list[tuple[float, Line, int]] = []
        for line in records(output):
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
                len(exact.intersection(tokens_of(line.text))),
                figure if limit.above else -figure,
            )
            found.append((rank, (figure, line, output)))
    best = max(found, key=lambda one: one[0], default=None)
    # Returns None if the alert names a path or a machine, and the figure may be that of another one.
    if best is None or (kinds.get("path") and not best[0][0]):
        return None
    return None if _is_elsewhere(best[1][2], subject) else best[1]


def _is_of_another(output: Output, titled: set[str]) -> bool:
    """Returns True if the tool's name names a resource, and the alert's title only other ones."""
    wanted, given = ({at for at, names in enumerate(_RESOURCES) if names & of} for of in (titled, {*output.words}))
    return bool(wanted and given) and wanted.isdisjoint(given)


def _is_elsewhere(output: Output, subject: Subject) -> bool:
    """Returns True if the alert names a machine, and neither the call nor its output names anything of the alert."""
    kinds = subject.entities.kinds
    about = {name.rstrip(".-") for name in _ABOUT.findall(subject.title.lower())}
    machines = {*kinds.get("host", ()), *kinds.get("node", ()), *about}
    if not machines or not _THIS_MACHINE.isdisjoint(machines):
        return False
    told = tokens_of(" ".join((output.content or "", *map(str, output.arguments.values()))))
    named = names_entity(output.content or "", subject.entities) or asked_about(output, subject)
    return not named and told.isdisjoint(about)


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
