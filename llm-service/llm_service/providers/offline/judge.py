"""Judges an alert by its condition, by signs of trouble, and by what is well. Chooses a cause from a list."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from llm_service.providers.offline.measure import find_measurement
from llm_service.providers.offline.outputs import Line, Output
from llm_service.providers.offline.signs import Sign, find_signs, has_no_data, healthy_lines
from llm_service.providers.offline.subject import Subject
from llm_service.providers.offline.text import words_of

ACTION, NONE, OPEN = "ACTION_REQUIRED", "NO_ACTION", "INCONCLUSIVE"
# Confidence (0 to 1). Both have only 0.4: signs do not show the cause, and tables do not measure the condition. A chain
# that asks a model about what the rules leave open therefore asks it.
TROUBLE_CONFIDENCE, MEASURED_CONFIDENCE, WELL_CONFIDENCE = 0.4, 0.8, 0.4
MIN_ANSWERS = 3  # minimum number of answers of tools that show together that all is well
MAX_NAMES, MAX_SIGNS = 6, 6
# Matches the entity of a sign, because its words say nothing about the kind of trouble.
_WHOSE = re.compile(r" of `[^`]*`")
# The title of the section of a report that lists signs; a cause is chosen by the words of this section.
SIGNS_TITLE = "## Signs of trouble"
NO_SIGNS = "None: no fault was found."
NO_DATA = "Monitoring data is missing."


@dataclass(frozen=True)
class Judgement:
    """The result: a verdict with its confidence (0 to 1), the reason in words, and the rows that it rests on."""

    verdict: str
    confidence: float
    conclusion: str
    signs: Sequence[Sign] = ()
    names: Sequence[str] = ()
    well: Sequence[tuple[Line, Output]] = ()
    missing: bool = False  # True if monitoring has no current figure of the alert's entities


def judge(subject: Subject, outputs: Sequence[Output], *, holds: bool | None) -> Judgement:
    """Judges an alert. `holds`: True if a tool measured that its condition holds, None if no tool measured it."""
    signs = find_signs(outputs, subject)
    missing = has_no_data(outputs, subject)
    own = [sign for sign in signs if sign.own and sign.strong]
    names = _names(signs)
    if holds is True:
        return Judgement(ACTION, TROUBLE_CONFIDENCE, "its condition holds", signs, names)
    if holds is False:
        # The measured figure itself is no trouble, because the alert's limit says more than a general one.
        measured = find_measurement(outputs, subject)
        rows = [sign for sign in own if sign.line.cells and not (measured and sign.line.text == measured[1].text)]
        if not rows:
            return Judgement(NONE, MEASURED_CONFIDENCE, "its condition does not hold")
        return Judgement(OPEN, 0.0, f"its condition does not hold, but there is trouble: {rows[0].label}", signs, names)
    if subject.limit and missing:
        return Judgement(OPEN, 0.0, "monitoring has no figure for its condition", signs, names, missing=True)
    if own:
        return Judgement(ACTION, TROUBLE_CONFIDENCE, f"there is trouble: {own[0].label}", signs, names)
    well = healthy_lines(outputs, subject)
    answered = sum(1 for one in outputs if one.answered)
    strong = any(sign.strong for sign in signs)
    if well and not strong and not subject.limit and not missing and answered >= max(MIN_ANSWERS, len(outputs)):
        return Judgement(NONE, WELL_CONFIDENCE, "all that it names is well", well=well)
    return Judgement(OPEN, 0.0, "rules cannot tell from what was found", signs, names, missing=bool(missing))


def needs_more(judged: Judgement, outputs: Sequence[Output]) -> bool:
    """Returns True if more tools can help: there is trouble, or few tools answered."""
    few = sum(1 for one in outputs if one.answered) < MIN_ANSWERS
    return judged.verdict == ACTION or (judged.verdict == OPEN and few)


def _names(signs: Sequence[Sign]) -> list[str]:
    """Returns the entities with signs: workloads and other entities first, single pods last."""
    found = dict.fromkeys(name for sign in signs for name in sign.of)
    return sorted(found, key=lambda name: name.startswith("pod "))[:MAX_NAMES]


def choose_cause(causes: Sequence[str], analysis: str) -> str | None:
    """Returns the cause that shares most words with the signs that an analysis lists; None if none shares any."""
    listed = analysis.partition(f"{SIGNS_TITLE}\n")[2].partition("\n## ")[0]
    scores = dict.fromkeys(causes, 0.0)
    for rank, line in enumerate(listed.strip().split("\n")):
        words = words_of(_WHOSE.sub(" ", line))
        for cause in causes:
            scores[cause] += len(set(words).intersection(words_of(cause))) / (1 + rank)
    best = max(causes, key=lambda cause: scores[cause], default=None)
    return best if best is not None and scores[best] > 0 else None
