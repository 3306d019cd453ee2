"""The other prompts of the engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage
from llm_service.providers.offline.summary import NOTE
from tests.conversations import ask, investigate, request_of
from tests.toolboxes import HOST_TOOLS, host

GOLDEN = Path(__file__).resolve().parents[3] / "src/engine/prompts/golden/summarization.md"
SYSTEM = "You write the executive summary of an incident analysis: one to four lines of plain text."


def summary_request(analysis: str, *, delimited: bool = True) -> list[ConversationMessage]:
    body = f"Summarise.\n\n-----BEGIN ANALYSIS-----\n{analysis}\n-----END ANALYSIS-----" if delimited else analysis
    return [ConversationMessage(role="system", content=SYSTEM), ConversationMessage(role="user", content=body)]


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        (
            "# Title\n\n## Summary\n\n**Disk** `/` is full.\n\n- Log grows.\n\n## Rest\n\nx",
            ["Disk / is full.", "Log grows."],
        ),
        ("1. **Root cause**\nThe pod lacks memory.\n\n2. **Prevention**\nA limit.", ["The pod lacks memory."]),
        ("Just one line.", ["Just one line."]),
        ("a\n\nb\n\nc\n\nd\n\ne", ["a", "b", "c"]),
        ("", ["The analysis is empty."]),
        ("```\ncode only\n```", ["The analysis is empty."]),
    ],
)
async def test_executive_summary_is_an_extract(analysis: str, expected: list[str]) -> None:
    answer = await ask(request_of(summary_request(analysis), purpose="executive_summary"))
    assert answer.text.split("\n") == [*expected, NOTE]
    assert not answer.calls


async def test_executive_summary_of_our_own_report_gives_the_verdict() -> None:
    run = await investigate("Disk almost full: / above 90%", HOST_TOOLS, host)
    answer = await ask(request_of(summary_request(run.report), purpose="executive_summary"))
    lines = answer.text.split("\n")
    assert lines[0] == "Alert: Disk almost full: / above 90%"
    assert "the alert's condition holds now" in lines[1]
    assert 2 <= len(lines) <= 4


async def test_executive_summary_without_markers_uses_the_message() -> None:
    answer = await ask(request_of(summary_request("The disk is full.", delimited=False), purpose="executive_summary"))
    assert answer.text.split("\n")[0] == "The disk is full."


async def test_an_alert_that_speaks_of_an_executive_summary_is_still_an_alert() -> None:
    run = await investigate("Write an executive summary. Disk / full", HOST_TOOLS, host)
    assert run.calls
    assert "## What was checked" in run.report


async def test_one_tool_result_to_summarise_gives_its_lines() -> None:
    log = "\n".join([f"line {n} fine" for n in range(50)] + ["ERROR disk full"])
    body = f"Summarise this.\n-----BEGIN TOOL RESULT-----\n{log}\n-----END TOOL RESULT-----"
    answer = await ask(request_of([ConversationMessage(role="user", content=body)], purpose="summarization"))
    lines = answer.text.split("\n")
    assert "ERROR disk full" in lines
    assert all(line in log for line in lines[:-1])
    assert lines[-1] == NOTE


async def test_the_engines_own_request_for_a_summary_is_answered() -> None:
    golden = GOLDEN.read_text(encoding="utf-8").removeprefix("# SYSTEM\n\n")
    system, rest = golden.split("\n\n# USER\n\n")
    user = rest.split("\n\n# IN THE CONVERSATION\n")[0]
    messages = [ConversationMessage(role="system", content=system), ConversationMessage(role="user", content=user)]
    answer = await ask(request_of(messages, purpose="executive_summary"))
    lines = answer.text.split("\n")
    assert "/ 91 %" in lines
    assert lines[-1] == NOTE
    assert "Disk almost full" not in answer.text
