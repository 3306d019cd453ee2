"""Reads the records of an output: the rows of its tables, its lines, and the objects of its JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from llm_service.providers.offline.outputs import Line, Output, quotable_lines, rank_lines
from llm_service.providers.offline.subject import Entities, Subject, kind_of, read_subject

MAX_CHARS, MAX_OBJECTS, MAX_DEPTH = 200_000, 2_000, 4
MAX_CELLS, MAX_CELL_CHARS = 60, 300


class _Span(NamedTuple):
    """The position of an object in a text. `outer`: index of the object around it, or None; `element`: not a value."""

    start: int
    end: int
    outer: int | None
    element: bool


def records(output: Output) -> list[Line]:
    """Returns JSON objects with their fields as cells, if the output has any, otherwise its lines and table rows."""
    content = output.content or ""
    found = list(_objects(content)) if content.lstrip().startswith(("{", "[")) and len(content) <= MAX_CHARS else []
    return found or list(quotable_lines(output))


def _objects(text: str) -> Iterator[Line]:
    """Yields the elements of lists and the outermost objects. Fields of inner objects count as their own.

    An object in a list of a named object gets that object as `object`, such as `pod/web-1`.
    """
    spans = _spans(text)
    named: dict[int, str] = {}
    for at, span in enumerate(spans):
        quote = text[span.start : span.end]
        value = _parse(quote)
        if value is None:
            continue
        cells = _flatten(value)
        if name := cells.get("name"):
            named[at] = f"{cells.get('kind', 'object').lower()}/{name}"
        if not span.element or not cells:
            continue
        outer = span.outer
        while outer is not None and outer not in named:
            outer = spans[outer].outer
        owner = {} if outer is None else {"object": named[outer]}
        flat = not any(isinstance(inner, dict | list) for inner in value.values())
        yield Line(quote, owner | cells, flat=flat and not owner)


def _spans(text: str) -> list[_Span]:
    """Returns the objects of a text in the order of their beginnings; [] if there are too many."""
    found: list[_Span] = []
    opened: list[tuple[str, int]] = []  # brackets; for an object its index in `found`
    quoted = escaped = False
    for at, sign in enumerate(text):
        if quoted:
            escaped, quoted = sign == "\\" and not escaped, sign != '"' or escaped
        elif sign == '"':
            quoted = True
        elif sign in "{[":
            outer = next((index for kind, index in reversed(opened) if kind == "{"), None)
            opened.append((sign, len(found)))
            if sign == "{":
                found.append(_Span(at, at, outer, len(opened) == 1 or opened[-2][0] == "["))
                if len(found) > MAX_OBJECTS:
                    return []
        elif sign in "}]" and opened:
            kind, index = opened.pop()
            if kind == "{":
                found[index] = found[index]._replace(end=at + 1)
    return found


def _parse(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _flatten(value: dict[str, Any], depth: int = 0) -> dict[str, str]:
    """Returns the scalars of an object and of the objects in it by their keys; outer ones win."""
    cells: dict[str, str] = {}
    for key, inner in value.items():
        if isinstance(inner, bool):
            cells[key] = str(inner).lower()
        elif isinstance(inner, str | int | float) and str(inner).strip():
            cells[key] = str(inner)[:MAX_CELL_CHARS]
    for inner in value.values():
        if isinstance(inner, dict) and depth < MAX_DEPTH:
            cells = _flatten(inner, depth + 1) | cells
    return dict(list(cells.items())[:MAX_CELLS])


def find_entities(outputs: Sequence[Output], subject: Subject) -> Entities:
    """Returns entities named in relevant lines of the outputs, best first."""
    found = Entities()
    for output in (one for one in outputs if one.answered):
        lines, order = rank_lines(output, subject, records(output))
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
