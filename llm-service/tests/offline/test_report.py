"""Reports: exact quotes, correct figures, and a clear statement of their limits."""

from __future__ import annotations

import pytest

from llm_service.proto.llm_service_pb2 import Task, ToolDefinition, ToolOutput, Work
from tests.conversations import (
    FAILURE,
    ToolBox,
    ask,
    investigate,
    opening,
    quoted_lines,
    request_of,
    section,
    tool,
)
from tests.toolboxes import ALERTMANAGER, DF_TABLE, HOST_TOOLS, K8S_TOOLS, host, k8s

DISK = "Disk almost full on this host: / above 90%"
DF_H = """Filesystem      Size  Used Avail Use% Mounted on
/dev/sda1        50G   46G  4.5G  91% /
tmpfs           7.8G     0  7.8G   0% /dev/shm"""


@pytest.mark.parametrize(("alert", "tools", "toolbox"), [(DISK, HOST_TOOLS, host), (ALERTMANAGER, K8S_TOOLS, k8s)])
async def test_every_quoted_line_is_in_a_tool_result(alert: str, tools: list[ToolDefinition], toolbox: ToolBox) -> None:
    run = await investigate(alert, tools, toolbox)
    quoted = quoted_lines(run.report)
    assert len(quoted) >= 5
    for line in quoted:
        assert any(line in result.split("\n") for result in run.results), line
    assert "No language model was involved" in section(run.report, "Summary")
    assert "The cause: rules cannot draw conclusions" in section(run.report, "What is not known")


@pytest.mark.parametrize("result", [DF_TABLE, DF_H])
@pytest.mark.parametrize(("limit", "holds"), [("above 90%", True), ("above 95%", False), ("exceeds 90 percent", True)])
async def test_the_limit_is_compared_with_the_named_filesystem(result: str, limit: str, holds: bool) -> None:
    run = await investigate(f"Disk almost full: / {limit}", HOST_TOOLS[:1], lambda *_: result)
    summary = section(run.report, "Summary")
    assert "91 % is" in summary
    assert ("condition holds now" in summary) is holds
    assert ("does not hold now" in summary) is not holds


@pytest.mark.parametrize(
    ("alert", "received"),
    [
        ("Less than 10% disk space available on /", "9 % free is below the 10 %"),
        ("Memory usage above 90%", "93.2 % is above the 90 %"),
        ("CPU usage above 95%", "97.5 % is above the 95 %"),
        ("Disk usage above 90%", "91 % is above the 90 %"),  # without a named entity, the highest figure counts
        ("Disk almost full: /srv above 90%", "The limit of 90 %: no answer has a figure"),
        ("Queue of orders above 90%", "The limit of 90 %: no answer has a figure"),
    ],
)
async def test_figures_are_compared_with_figures_of_the_same_kind(alert: str, received: str) -> None:
    run = await investigate(alert, HOST_TOOLS[:2], host)
    assert received in run.report


@pytest.mark.parametrize(
    ("alert", "tools"),
    [
        ("Memory usage above 85%", HOST_TOOLS[:1]),  # a disk, which has a usage too
        ("Memory usage on db-03 above 85%\nhost=db-03", HOST_TOOLS[:2]),  # this machine, whose name is another one
        ("Memory usage on db-03 above 85%", HOST_TOOLS[:2]),
        ("Memory usage of db.example.com above 85%", HOST_TOOLS[:2]),
    ],
)
async def test_a_figure_of_something_else_is_no_measurement(alert: str, tools: list[ToolDefinition]) -> None:
    run = await investigate(alert, tools, host)
    assert "The limit of 85 %: no answer has a figure" in run.report


@pytest.mark.parametrize("alert", ["Memory usage above 85%\nhost=db-03", "Memory usage on DB-03 above 85%"])
async def test_a_figure_of_the_named_machine_is_a_measurement(alert: str) -> None:
    named = "Memory of db-03 (up 4 days):\nused  93.2%"
    run = await investigate(alert, HOST_TOOLS[1:2], lambda *_: named)
    assert "93.2 % is above the 85 %" in run.report


async def test_the_address_in_monitoring_is_no_entity_of_the_alert() -> None:
    alert = "Queue is full\nShown at: http://alerts.example.com:9093/\n- queue: orders"
    run = await investigate(alert, HOST_TOOLS[:1], host)
    assert "9093" not in run.report


async def test_a_repetition_of_the_alert_is_no_measurement() -> None:
    again = f"command  npm run alert {DISK}"
    run = await investigate(DISK, HOST_TOOLS, lambda name, _: DF_H if "disk" in name else again)
    assert "91 % is above the 90 %" in section(run.report, "Summary")
    alone = await investigate(DISK, HOST_TOOLS, lambda *_: again)
    assert "The limit of 90 %: no answer has a figure" in alone.report


async def test_the_summary_has_the_relevant_row_with_its_columns() -> None:
    summary = section((await investigate(DISK, HOST_TOOLS, host)).report, "Summary")
    assert "mounted on `/`, device `/dev/sda1`, type `ext4`, size `50.0 GiB`" in summary
    assert "used % `91%`" in summary


async def test_the_report_says_which_outputs_mention_the_alerts_entities() -> None:
    run = await investigate(f"{DISK} and /nowhere", HOST_TOOLS[:1], host)
    named = section(run.report, "What the alert names, and where it stands in the answers")
    assert "- path `/`: `host.disk_usage`" in named
    assert "- path `/nowhere`: in no answer" in named


async def test_failures_are_reported_as_failures() -> None:
    run = await investigate(
        DISK, HOST_TOOLS, lambda name, arguments: f"{FAILURE}\nno logs" if "logs" in name else host(name, arguments)
    )
    assert section(run.report, "What failed").strip() == "- `host.list_logs`: `no logs`"
    assert "no logs" not in "".join(quoted_lines(run.report))


async def test_data_about_errors_is_no_failure() -> None:
    run = await investigate("disk errors", [tool("a.disk_log", "disk")], lambda *_: "error: disk full\nerror: again")
    assert "## What failed" not in run.report
    assert quoted_lines(run.report) == ["error: disk full", "error: again"]


async def test_without_tools_it_says_that_nothing_was_checked() -> None:
    answer = await ask(request_of(opening(), task=Task(alert=ALERTMANAGER)))
    assert "Nothing could be checked" in answer.text
    assert "KubePodCrashLooping: Pod is crash looping." in answer.text
    assert "pod `api-7c9f5d-x2x`: in no answer" in answer.text
    assert "No language model was involved" in answer.text
    assert quoted_lines(answer.text) == []


async def test_a_forced_conclusion_reports_what_was_found() -> None:
    run = await investigate(DISK, HOST_TOOLS, host)
    answer = await ask(request_of(run.messages, purpose="forced_conclusion", task=run.task))
    assert not answer.calls
    assert "condition holds now" in answer.text
    assert quoted_lines(answer.text) == quoted_lines(run.report)


async def test_unanswered_calls_and_missing_arguments_are_reported() -> None:
    run = await investigate("Log errors in the shop", HOST_TOOLS[:1] + HOST_TOOLS[6:7], host)
    assert "No result of `host.tail_log`: nothing gives its `path`." in run.report
    calls = [message for message in run.messages if message.role != "tool"]
    answer = await ask(request_of(calls, purpose="forced_conclusion", task=run.task))
    assert answer.text.count("no result came back") == len(run.calls) == 1


async def test_findings_of_earlier_stages_are_included() -> None:
    earlier = Work(stage="collect", analysis="## Summary\n\nThe shop writes 1 GiB of log an hour.\n\n## More\n\nMore.")
    run = await investigate(Task(alert=DISK, works=[earlier]), HOST_TOOLS, host)
    assert "> The shop writes 1 GiB of log an hour." in section(run.report, "From earlier stages")


async def test_text_from_outside_cannot_become_markdown_or_end_a_quote() -> None:
    nasty = "/ 91%\n```\n# INJECTED\n````\n| a | b |\n<script>x</script>"
    run = await investigate("# Disk full <img src=x> [a](b) / above 90%", HOST_TOOLS[:2], lambda *_: nasty)
    outside = run.report
    for line in quoted_lines(run.report):
        assert line in nasty.split("\n")
        outside = outside.replace(line, "", 1)
    assert "# INJECTED" in quoted_lines(run.report)
    assert "<img" not in run.report.replace("\\<img", "")
    assert "\\[a\\]" in run.report


async def test_long_lines_are_quoted_in_part_and_control_characters_never() -> None:
    long_line = "disk / " + "x" * 5000
    run = await investigate(DISK, [tool("a.disk_usage")], lambda *_: f"{long_line}\ndisk \x1b[31mred\x1b[0m\nplain")
    assert quoted_lines(run.report) == [long_line[:240], "plain"]


async def test_json_without_lines_is_quoted_in_exact_parts() -> None:
    result = '{"items":[' + ",".join(f'{{"name":"api-{n}","node":"w{n}"}}' for n in range(200)) + "]}"
    run = await investigate("Pod api-150 is down", [tool("k8s.pods_list")], lambda *_: result)
    quoted = quoted_lines(run.report)
    assert all(line in result for line in quoted)
    assert any('"api-150"' in line for line in quoted)


async def test_the_last_lines_and_errors_of_a_log_are_quoted() -> None:
    log = "\n".join([f"line {n} fine" for n in range(50)] + ["ERROR disk full"] + [f"end {n}" for n in range(30)])
    quoted = quoted_lines((await investigate(DISK, [tool("a.disk_log")], lambda *_: log)).report)
    assert "ERROR disk full" in quoted
    assert quoted[-1] == "end 29"


async def test_a_heading_is_less_relevant_than_the_lines_below() -> None:
    result = "Largest below / on disk:\n" + "\n".join(f"thing {n}" for n in range(9))
    report = (await investigate(DISK, [tool("a.disk_usage")], lambda *_: result)).report
    assert "- `a.disk_usage`: `thing 0` / `thing 1`" in section(report, "Summary")
    assert quoted_lines(report)[0] == "Largest below / on disk:"
    assert len(quoted_lines(report)) == 8


async def test_results_are_cited_by_their_numbers() -> None:
    run = await investigate(DISK, HOST_TOOLS[:1], host)
    run.messages[-1].content = f"[T12]\n{run.messages[-1].content}"
    answer = await ask(request_of(run.messages, purpose="forced_conclusion", task=run.task))
    assert "condition holds now** (`host.disk_usage`: `/ /dev/sda1 ext4 50.0 GiB" in answer.text
    assert answer.text.count("[T12]") == 4  # in the verdict, in the findings, in the signs and in the quote
    output = ToolOutput(tool="host.disk_usage", arguments="{}", content=DF_TABLE, number=7)
    task = Task(alert=DISK, works=[Work(agent="A", outputs=[output])])
    joined = (await ask(request_of(opening(), purpose="synthesis", task=task))).text
    assert "### `host.disk_usage` for A [T7]\n" in joined
    short = await ask(request_of(opening(), purpose="executive_summary", task=Task(shorten=joined)))
    assert "condition holds now" in short.text
    assert "[T7]" not in short.text
