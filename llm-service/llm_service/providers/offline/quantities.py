"""Reads figures with units, and limits such as "above 90 %" or "more than 800 ms"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Factor to the base unit, by unit: seconds, bytes, percent. Units are compared in lower case.
_SECONDS = {
    **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), 0.001),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
}
_BYTES = {
    f"{prefix}{'i' if binary else ''}{end}".lower(): float(1024 if binary else 1000) ** power
    for power, prefix in enumerate("KMGTP", 1)
    for binary in (True, False)
    for end in (("b", "") if binary else ("b",))
}
UNITS = {
    **{name: ("s", factor) for name, factor in _SECONDS.items()},
    **{name: ("B", factor) for name, factor in _BYTES.items()},
    **dict.fromkeys(("%", "percent"), ("%", 1.0)),
}
_NAMES = "|".join(sorted((re.escape(name) for name in UNITS), key=len, reverse=True))
_FIGURE = re.compile(rf"(?<![\w.,:/-])(-?\d{{1,15}}(?:\.\d{{1,6}})?)\s?({_NAMES})?(?![\w.:/%-]*\w|%)", re.IGNORECASE)
_COMPARED = (
    r"(?P<side>above|over|exceed\w{0,3}|greater than|more than|>=?|below|under|less than|fewer than|<=?)"
    r"\s{0,3}(?:threshold\s{0,3})?(?:of\s{0,3})?"
)
# A percentage may be followed by any text; other limits must end there, because "above 3.5.1" is a version.
_PERCENT_LIMIT = re.compile(_COMPARED + r"(?P<number>\d{1,3}(?:\.\d{1,4})?)\s?(?P<unit>%|percent\b)", re.IGNORECASE)
_OTHER_LIMIT = re.compile(
    r"(?<!\bfor )(?<!\blast )(?<!\bwithin )(?<!\bpast )(?<!\w)"
    + _COMPARED
    + rf"(?P<number>\d{{1,12}}(?:\.\d{{1,4}})?)(?:\s?(?P<unit>{_NAMES}))?(?![\w.:/-]*\w)",
    re.IGNORECASE,
)
FREE = re.compile(r"free|avail|idle|remaining|\bleft\b", re.IGNORECASE)


@dataclass(frozen=True)
class Limit:
    """A limit in a text.

    `value`: in the base unit. `unit`: "%", "s", "B", or "" for a count. `above`: the alert fires above the limit.
    `free`: the percentage is free space, not used space. `written`: the limit as the text has it.
    """

    value: float
    unit: str
    above: bool
    free: bool
    written: str

    def holds(self, figure: float) -> bool:
        """Returns True if the figure is beyond the limit, so that the alert's condition holds."""
        return figure > self.value if self.above else figure < self.value


def find_limit(text: str) -> Limit | None:
    """Returns the first percentage limit in the text, otherwise the first other limit; None if there is none."""
    found = _PERCENT_LIMIT.search(text) or _OTHER_LIMIT.search(text)
    if found is None:
        return None
    near = text[max(0, found.start() - 60) : found.end() + 30]
    above = found["side"].lower().startswith(("above", "over", "exceed", "greater", "more", ">"))
    unit, factor = UNITS.get((found["unit"] or "").lower(), ("", 1.0))
    written = found["number"] + (f" {found['unit']}" if found["unit"] else "")
    if unit == "%":
        written = f"{float(found['number']):g} %"
    return Limit(float(found["number"]) * factor, unit, above, unit == "%" and FREE.search(near) is not None, written)


def figures(text: str) -> Iterator[tuple[float, str]]:
    """Yields the figures of a text in the base unit, with this unit ("" for a count)."""
    for number, written in _FIGURE.findall(text):
        unit, factor = UNITS.get(written.lower(), ("", 1.0))
        yield float(number) * factor, unit


def figure_of(cell: str) -> tuple[float, str] | None:
    """Returns the figure that a cell consists of; None if the cell has other text."""
    found = _FIGURE.match(cell.strip())
    if found is None or found.end() != len(cell.strip()):
        return None
    return next(figures(cell), None)
