"""The report: true quotes, real numbers, plain words about what it is and is not."""

from __future__ import annotations

import json

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage, ToolDefinition
from tests.conversations import ToolBox, ask, investigate, quoted_lines, request_of, tool, user_message
from tests.toolboxes import ALERTMANAGER, DF_TABLE, HOST_TOOLS, K8S_TOOLS, host, k8s

DISK = "Disk almost full on this host: / above 90%"
DF_H = """Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        50G   46G  4.5G  91% /
tmpfs           7.8G     0  7.8G   0% /dev/shm"""
DF_JSON = json.dumps(
    {"filesystems": [
        {"mount": "/boot", "size_bytes": 1073741824, "used_percent": 99},
        {"mount": "/", "size_bytes": 53687091200, "used_bytes": 48855252992, "used_percent": 91},
    ]}
)  # fmt: skip


@pytest.mark.parametrize(("alert", "tools", "toolbox"), [(DISK, HOST_TOOLS, host), (ALERTMANAGER, K8S_TOOLS, k8s)])
async def test_every_quoted_line_is_in_a_tool_result(alert: str, tools: list[ToolDefinition], toolbox: ToolBox) -> None:
    run = await investigate(alert, tools, toolbox)
    quoted = quoted_lines(run.report)
    assert len(quoted) >= 5
    for line in quoted:
        assert any(line in result.split("\n") for result in run.results), line
    assert "No language model was involved" in run.report


@pytest.mark.parametrize("result", [DF_TABLE, DF_H, DF_JSON, json.dumps(json.loads(DF_JSON), indent=2)])
@pytest.mark.parametrize(("limit", "holds"), [("above 90%", True), ("above 95%", False), ("exceeds 90 percent", True)])
async def test_the_limit_is_held_against_the_number_of_the_named_filesystem(
    result: str, limit: str, holds: bool
) -> None:
    run = await investigate(f"Disk almost full: / {limit}", HOST_TOOLS[:1], lambda *_: result)
    summary = run.report.split("## What was checked")[0]
    assert "91" in summary
    assert ("condition holds now" in summary) is holds
    assert ("does not hold now" in summary) is not holds


async def test_what_is_free_is_compared_with_what_is_free() -> None:
    run = await investigate("Less than 10% disk space available on /", HOST_TOOLS[:1], lambda *_: DF_TABLE)
    assert "that leaves 9 %" in run.report
    assert "condition holds now" in run.report


async def test_memory_and_cpu_are_told_apart() -> None:
    memory = await investigate("Memory usage above 90%", HOST_TOOLS, host)
    cpu = await investigate("CPU usage above 95%", HOST_TOOLS, host)
    assert "`93.2%`" in memory.report.split("\n\n")[2]
    assert "`97.5%`" in cpu.report.split("\n\n")[2]


async def test_summary_names_numbers_and_the_busiest_process() -> None:
    run = await investigate(DISK, HOST_TOOLS, host)
    summary = run.report.split("## What was checked")[0]
    assert "size `50.0 GiB`" in summary
    assert "pid `811`: rss `1.2 GiB`, cpu % `55.0%`" in summary
    assert "1 of 41 lines speak of trouble" in summary


async def test_bytes_are_also_told_in_usual_units() -> None:
    run = await investigate(DISK, HOST_TOOLS[:1], lambda *_: DF_JSON)
    assert "`53687091200` (50.0 GiB)" in run.report


async def test_failures_are_told_as_failures() -> None:
    failure = 'NOT_PERMITTED: "/proc/811/fd" may not be read'
    run = await investigate(
        DISK, HOST_TOOLS, lambda name, arguments: failure if name == "host.open_files" else host(name, arguments)
    )
    section = run.report.split("## What failed")[1].split("## ")[0]
    assert '`host.open_files` with `{"pid":811}`' in section
    assert failure in section
    assert failure not in run.report.split("## What failed")[0]


@pytest.mark.parametrize(
    ("result", "failed"),
    [
        ("Error: connection refused", True),
        ("MCP error -32602: bad arguments", True),
        ("Tool host.x failed: timeout", True),
        ('{"error": "no such pod"}', True),
        ('{"isError": true, "content": "x"}', True),
        ("Timed out after 60 s", True),
        ('{"errors": 0, "rows": [1]}', False),
        ("2026-11-21 10:00 ERROR write failed", False),
        ("No errors found", False),
        ("errors_total 5", False),
    ],
)
async def test_errors_are_recognised(result: str, failed: bool) -> None:
    run = await investigate(DISK, HOST_TOOLS[:1], lambda *_: result)
    assert ("## What failed" in run.report) is failed


async def test_without_tools_it_says_that_nothing_was_checked() -> None:
    answer = await ask(request_of([user_message(ALERTMANAGER)]))
    assert "Nothing could be checked" in answer.text
    assert "KubePodCrashLooping: Pod is crash looping." in answer.text
    assert "pod `api-7c9f5d-x2x`" in answer.text
    assert "No language model was involved" in answer.text
    assert quoted_lines(answer.text) == []


async def test_forced_conclusion_reports_what_was_found() -> None:
    run = await investigate(DISK, HOST_TOOLS, host)
    messages = [
        *run.messages,
        ConversationMessage(role="user", content="You have used 5 of 5 iterations. Conclude now."),
    ]
    answer = await ask(request_of(messages))
    assert not answer.calls
    assert "condition holds now" in answer.text
    assert quoted_lines(answer.text) == quoted_lines(run.report)


async def test_unanswered_calls_are_told() -> None:
    first = await ask(request_of([user_message(DISK)], HOST_TOOLS))
    message = ConversationMessage(role="assistant")
    for call in first.calls:
        message.tool_calls.add(id=call.call_id, name=call.name, arguments=call.arguments)
    answer = await ask(request_of([user_message(DISK), message]))
    assert answer.text.count("no result came back") == len(first.calls)


async def test_missing_arguments_are_named() -> None:
    run = await investigate("Log errors in the shop", HOST_TOOLS[:1] + HOST_TOOLS[6:7], host)
    assert "What `host.tail_log` would show: neither the alert nor a result gives `path`" in run.report


async def test_earlier_stages_are_carried_on() -> None:
    earlier = "## Summary\n\nThe shop writes 1 GiB of log an hour.\n\n## Details\n\nMore."
    run = await investigate(DISK, HOST_TOOLS, host, previous=earlier)
    assert "> The shop writes 1 GiB of log an hour." in run.report


async def test_text_from_outside_cannot_become_markdown_or_end_a_quote() -> None:
    nasty = "/ 91%\n```\n# INJECTED\n````\n| a | b |\n<script>x</script>"
    run = await investigate("# Disk full <img src=x> [a](b) / above 90%", HOST_TOOLS[:2], lambda *_: nasty)
    outside = run.report
    for line in quoted_lines(run.report):
        assert line in nasty
        outside = outside.replace(line, "", 1)
    assert "# INJECTED" in quoted_lines(run.report)
    assert "<img" not in run.report.replace("\\<img", "")
    assert "\\[a\\]" in run.report


async def test_long_lines_are_cut_but_stay_verbatim() -> None:
    long_line = "disk / " + "x" * 5000
    run = await investigate(DISK, [tool("a.disk_usage", "disk")], lambda *_: long_line)
    (quoted,) = quoted_lines(run.report)
    assert long_line.startswith(quoted)
    assert len(quoted) <= 240


async def test_lines_with_control_characters_are_not_quoted() -> None:
    run = await investigate(DISK, [tool("a.disk_usage", "disk")], lambda *_: "disk / \x1b[31mred\x1b[0m\ndisk / plain")
    assert quoted_lines(run.report) == ["disk / plain"]
