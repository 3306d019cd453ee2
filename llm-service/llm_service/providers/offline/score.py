"""The score by function call: what can be counted of an investigation, said to be no more than that."""

import re
from collections.abc import Sequence
from typing import Any

from llm_service.proto.llm_service_pb2 import Task
from llm_service.providers.offline.outputs import Output

NOTE = "Counted by rules; no language model was involved, and nobody judged whether the conclusion is right."
ANSWERED, PARTLY, NOTHING = 60, 40, 20  # points of the outcome: what can be shown, at most
UNKNOWN = 50  # of what rules cannot see
_CITED = re.compile(r"\[T(\d{1,9})\]")


def make_score(task: Task, outputs: Sequence[Output]) -> dict[str, Any]:
    """Make the arguments of the function: which calls answered, and which results the analysis cites."""
    answered = {one.number for one in outputs if one.answered}
    cited = {int(number) for work in task.works for number in _CITED.findall(work.analysis)}
    made_up = sorted(cited - {one.number for one in outputs})
    resting = cited & answered
    outcome = ANSWERED if resting and not made_up else PARTLY if answered else NOTHING
    tags = [
        *(["incomplete_evidence"] if not resting else []),
        *(["hallucinated_evidence"] if made_up else []),
    ]
    calls, results = _count(len(outputs), "call"), _count(len(answered), "result")
    told = f"The analysis cites {len(resting)} of {results}"
    return {
        "dimensions": {
            "outcome": _judged(outcome, f"{told}; whether it is right, rules cannot tell."),
            "evidence": _judged(
                _share(len(resting), len(cited)),
                f"{told}, and {_count(len(made_up), 'number')} that no call has.",
            ),
            "tools": _judged(_share(len(answered), len(outputs)), f"{calls}, {results}."),
            "reasoning": _judged(UNKNOWN, "Rules do not follow reasoning."),
            "completeness": _judged(_share(len(resting), len(answered)), f"{told}."),
        },
        "failure_tags": tags,
        "analysis": f"{told}; {calls} were made. {NOTE}",
        "tool_report": "\n".join(f"- {one.tool}: a call of it failed." for one in outputs if not one.answered),
    }


def _judged(points: int, reason: str) -> dict[str, Any]:
    return {"reason": reason, "points": points}


def _share(part: int, whole: int) -> int:
    return round(100 * part / whole) if whole else 0


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
