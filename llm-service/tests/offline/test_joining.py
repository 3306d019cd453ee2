"""Results of several agents are combined into one report, and long texts are shortened."""

from __future__ import annotations

import pytest

from llm_service.proto.llm_service_pb2 import Task, ToolOutput, Work
from llm_service.providers.offline.report import SHORT_NOTE
from tests.conversations import ask, investigate, opening, quoted_lines, request_of, section, work_of
from tests.toolboxes import DF_TABLE, HOST_TOOLS, host

DISK = "Disk almost full on this host: / above 90%"


async def two_agents() -> list[Work]:
    first = await investigate(DISK, [*HOST_TOOLS[:3]], host)
    second = await investigate(DISK, [HOST_TOOLS[0], *HOST_TOOLS[5:7]], host)
    return [work_of(first, "HostAgent"), work_of(second, "HostLogAgent")]


async def joined(works: list[Work]) -> str:
    task = Task(alert=DISK, works=works)
    answer = await ask(request_of(opening(), purpose="synthesis", task=task))
    assert not answer.calls
    assert answer.thinking
    return answer.text


async def test_outputs_of_several_agents_are_reported_once_with_their_names() -> None:
    works = await two_agents()
    report = await joined(works)
    assert report.count("**the alert's condition holds now**") == 1
    assert report.count("### `host.disk_usage`") == 1
    assert '### `host.disk_usage` with `{"path":"/"}` for HostAgent and HostLogAgent' in report
    assert "### `host.list_logs` for HostLogAgent" in report
    # The offline rules report these outputs themselves instead of quoting analyses.
    assert ">" not in section(report, "The agents")
    outputs = [output.content for work in works for output in work.outputs]
    for line in quoted_lines(report):
        assert any(line in content.split("\n") for content in outputs), line
    assert "No language model was involved" in section(report, "Summary")


async def test_an_agent_that_failed_is_named_with_its_error_and_its_answers_count() -> None:
    failed = Work(
        agent="Second <b>",
        status="failed",
        error="model lost\nat noon",
        outputs=[
            ToolOutput(tool="host.disk_usage", arguments="{}", content=DF_TABLE),
            ToolOutput(tool="host.open_files", arguments='{"pid":1}', content="may not", failed=True),
        ],
    )
    report = await joined([Work(agent="First", status="completed", analysis="# Cause\n\nThe shop's log grew."), failed])
    agents = section(report, "The agents")
    assert "- **First**: completed; 0 tools answered it" in agents
    assert "> The shop's log grew." in agents
    assert "- **Second \\<b\\>**: failed, with `model lost at noon`; 1 tools answered it" in agents
    assert '- `host.open_files` with `{"pid":1}`: `may not`' in section(report, "What failed")
    assert "91 % is above the 90 %" in report


async def test_the_later_of_two_successful_results_counts() -> None:
    def work(content: str, *, failed: bool = False) -> Work:
        return Work(agent=content, outputs=[ToolOutput(tool="x.disk", content=content, failed=failed)])

    report = await joined([work("disk 91% old"), work("disk 55% new"), work("gone", failed=True)])
    assert quoted_lines(report) == ["disk 55% new"]
    assert "for disk 91% old and disk 55% new and gone" in report
    assert "## What failed" not in report


async def test_agents_are_named_in_their_order() -> None:
    def work(agent: str, number: int) -> Work:
        return Work(agent=agent, outputs=[ToolOutput(tool="x.disk", content="disk 55%", number=number)])

    assert "### `x.disk` for First and Second [T2]" in await joined([work("First", 2), work("Second", 1)])


async def test_the_most_relevant_output_comes_first() -> None:
    def work(tool: str, content: str, arguments: str = "{}") -> Work:
        return Work(agent="A", outputs=[ToolOutput(tool=tool, content=content, arguments=arguments)])

    asked = work("x.size", "big / root", '{"path": "/"}')
    report = await joined([work("x.weather", "sun"), work("x.log", "big / root"), asked, work("x.disk", "/ 91%")])
    order = [line.split("`")[1] for line in report.split("\n") if line.startswith(("- `", "### `"))]
    assert order == ["x.size", "x.disk", "x.log", "x.weather"] * 2


async def test_an_empty_synthesis_says_so() -> None:
    assert "Nothing could be checked" in await joined([])


@pytest.mark.parametrize(
    ("analysis", "expected"),
    [
        (
            "# Title\n\n## Summary\n\n**Disk** `/` is full.\n\n- Log grows.\n\n```\ncode\n```",
            ["Disk / is full.", "Log grows."],
        ),
        ("1. The pod lacks memory.\n2. **Prevention**: a limit.", ["The pod lacks memory.", "Prevention: a limit."]),
        ("a\n\nb\n\nc\n\nd", ["a.", "b.", "c."]),
        ("", ["The analysis is empty."]),
        ("```\ncode only\n```", ["The analysis is empty."]),
    ],
)
async def test_the_executive_summary_is_an_extract(analysis: str, expected: list[str]) -> None:
    answer = await ask(request_of(opening(), purpose="executive_summary", task=Task(shorten=analysis)))
    assert answer.text.split("\n") == [*expected, SHORT_NOTE]


async def test_the_executive_summary_of_our_own_report_gives_the_verdict() -> None:
    report = await joined(await two_agents())
    lines = (await ask(request_of(opening(), purpose="executive_summary", task=Task(shorten=report)))).text.split("\n")
    assert lines[0] == "Alert: Disk almost full on this host: / above 90%."
    assert "the alert's condition holds now" in lines[1]
    assert len(lines) == 4


async def test_a_long_result_is_reduced_to_relevant_lines() -> None:
    log = "\n".join([f"line {n} fine" for n in range(50)] + ["ERROR disk full"] + ["line"] * 50)
    task = Task(alert=DISK, shorten=log)
    lines = (await ask(request_of(opening(), purpose="summarization", task=task))).text.split("\n")
    assert "ERROR disk full" in lines
    assert all(line in log for line in lines[:-1])
    assert lines[-1] == SHORT_NOTE
