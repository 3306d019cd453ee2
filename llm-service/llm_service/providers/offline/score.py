"""Scores an investigation by counting calls and citations, and says so in the score's text."""

import re
from collections.abc import Sequence, Sized
from typing import Any

from llm_service.proto.llm_service_pb2 import Task
from llm_service.providers.offline.outputs import Output

NOTE = "Counted by rules without a language model. The conclusion itself was not judged."
ANSWERED, PARTLY, NOTHING = 60, 40, 20  # points (0 to 100) of the dimension `outcome`
UNKNOWN = 50  # points of dimensions that rules cannot assess
_CITED = re.compile(r"\[T(\d{1,9})\]")


def make_score(task: Task, outputs: Sequence[Output]) -> dict[str, Any]:
    """Returns the arguments of the score function, counted from successful calls and cited results."""
    answered = {one.number for one in outputs if one.answered}
    cited = {int(number) for work in task.works for number in _CITED.findall(work.analysis)}
    made_up = sorted(cited - {one.number for one in outputs})
    resting = cited & answered
    outcome = ANSWERED if resting and not made_up else PARTLY if answered else NOTHING
    tags = [] if resting else ["incomplete_evidence"]
    calls, results = _count(len(outputs), "call"), _count(len(answered), "result")
    summary = f"The analysis cites {len(resting)} of {results}"
    dimensions = {
        "outcome": (outcome, f"{summary}; whether it is right, rules cannot tell."),
        "evidence": (_share(resting, cited), f"{summary}, and {_count(len(made_up), 'number')} that no call has."),
        "tools": (_share(answered, outputs), f"{calls}, {results}."),
        "reasoning": (UNKNOWN, "Rules do not follow reasoning."),
        "completeness": (_share(resting, answered), f"{summary}."),
    }
    return {
        "dimensions": {name: {"reason": why, "points": points} for name, (points, why) in dimensions.items()},
        "failure_tags": [*tags, "hallucinated_evidence"] if made_up else tags,
        "analysis": f"{summary}; {calls} were made. {NOTE}",
        "tool_report": "\n".join(f"- {one.tool}: a call of it failed." for one in outputs if not one.answered),
    }


def _share(part: Sized, whole: Sized) -> int:
    return round(100 * len(part) / len(whole)) if whole else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
