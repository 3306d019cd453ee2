"""Scores: counted values in the requested form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from llm_service.proto.llm_service_pb2 import Task, ToolOutput, Work
from tests.conversations import ask, opening, request_of, tool

OUTPUTS = [
    ToolOutput(tool="host.disk", arguments="{}", content="/dev/sda1 91%", number=3),
    ToolOutput(tool="host.logs", arguments="{}", content="no such file", failed=True, number=5),
]


async def score_of(analysis: str, outputs: list[ToolOutput]) -> dict[str, Any]:
    request = request_of(
        opening(),
        [tool("submit_score")],
        purpose="scoring",
        task=Task(alert="Disk full", works=[Work(analysis=analysis, outputs=outputs)]),
    )
    request.tool_choice = "submit_score"
    [call] = (await ask(request)).calls
    assert call.name == "submit_score"
    made: dict[str, Any] = json.loads(call.arguments)
    return made


@pytest.mark.parametrize(
    ("analysis", "outputs", "outcome", "tags"),
    [
        ("It is full [T3].", OUTPUTS, 60, []),
        ("It is full.", OUTPUTS, 40, ["incomplete_evidence"]),
        ("It is full [T3] [T9].", OUTPUTS, 40, ["hallucinated_evidence"]),
        ("It is full [T5].", OUTPUTS[1:], 20, ["incomplete_evidence"]),
        ("", [], 20, ["incomplete_evidence"]),
    ],
)
async def test_calls_and_citations_are_counted(
    analysis: str, outputs: list[ToolOutput], outcome: int, tags: list[str]
) -> None:
    made = await score_of(analysis, outputs)
    assert made["dimensions"]["outcome"]["points"] == outcome
    assert made["failure_tags"] == tags
    assert "without a language model" in made["analysis"]
    assert all(one["reason"] and 0 <= one["points"] <= 100 for one in made["dimensions"].values())


async def test_failed_calls_are_reported() -> None:
    assert (await score_of("[T3]", OUTPUTS))["tool_report"] == "- host.logs: a call of it failed."


async def test_the_score_is_text_without_functions() -> None:
    task = Task(works=[Work(analysis="[T3]", outputs=OUTPUTS)])
    answer = await ask(request_of(opening(), purpose="scoring", task=task))
    assert json.loads(answer.text)["dimensions"]["tools"]["points"] == 50
