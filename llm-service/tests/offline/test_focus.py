"""An agent's own instructions weigh in what it looks at."""

from __future__ import annotations

import pytest

from llm_service.proto.llm_service_pb2 import ConversationMessage
from llm_service.providers.offline.conversation import read_conversation
from llm_service.providers.offline.focus import read_focus
from llm_service.providers.offline.toolspec import read_tool
from tests.conversations import Investigation, ask, investigate, names, request_of, user_message
from tests.toolboxes import HOST_TOOLS, host

DISK = "Disk almost full on this host: / above 90%"
RESOURCES = """You look at disk space, memory and load, processes with their open files, and listening ports.
Another agent looks at the logs: leave them to it."""
LOGS = """You look at logs: list them, read the newest lines, search for errors; probe HTTP on listening ports.
Another agent looks at memory, open files and processes at the same time; leave them to it."""


async def run_with(instructions: str, alert: str = DISK) -> Investigation:
    messages = [system(instructions), user_message(alert)]
    return await investigate("", HOST_TOOLS, host, messages=messages)


def system(instructions: str) -> ConversationMessage:
    content = (
        "You are the agent X.\n\n## Who you are\n\nYou read logs.\n\n"
        f"## Instructions for this agent\n\n{instructions}\n\n"
        "Investigate this alert now with the tools you have, then write the analysis."
    )
    return ConversationMessage(role="system", content=content)


async def test_two_agents_look_at_different_things_and_together_at_more() -> None:
    resources, logs = await run_with(RESOURCES), await run_with(LOGS)
    first, second = set(names(resources)), set(names(logs))
    assert {"host.processes", "host.memory_and_load", "host.open_files"} <= first
    assert {"host.list_logs", "host.tail_log", "host.search_log", "host.http_probe"} <= second
    assert not first & {"host.list_logs", "host.tail_log", "host.search_log", "host.http_probe"}
    assert not second & {"host.processes", "host.memory_and_load", "host.open_files"}
    alone = set(names(await run_with("")))
    assert len(first | second) > len(alone)


@pytest.mark.parametrize("instructions", [RESOURCES, LOGS, ""])
async def test_what_the_alert_claims_is_measured_by_each(instructions: str) -> None:
    run = await run_with(instructions)
    assert names(run)[0] == "host.disk_usage"
    assert "the alert's condition holds now" in run.report


async def test_instructions_that_name_no_tool_change_nothing() -> None:
    run = await run_with("You are careful and quote figures. Never guess.")
    assert run.calls == (await run_with("")).calls


async def test_thoughts_say_that_the_instructions_led_there() -> None:
    answer = await ask(request_of([system(LOGS), user_message(DISK)], HOST_TOOLS))
    assert "my instructions name it (log)" in answer.thinking


def test_only_the_own_section_is_read() -> None:
    conversation = read_conversation(request_of([system("Look at ports.\nAnd at files."), user_message(DISK)]))
    assert conversation.instructions == "Look at ports.\nAnd at files."


@pytest.mark.parametrize(
    ("instructions", "words", "aside"),
    [
        ("Look at logs and the disk.", {"log", "disk"}, set()),
        ("Look at logs. Do not look at the disk.", {"log"}, {"disk"}),
        ("Look at the disk; leave logs to others.", {"disk"}, {"log"}),
        ("Leave logs to others. Read logs of the kernel only.", {"log"}, set()),
        ("", set(), set()),
    ],
)
def test_what_is_left_to_others_is_told_apart(instructions: str, words: set[str], aside: set[str]) -> None:
    focus = read_focus(instructions, [read_tool(tool) for tool in HOST_TOOLS])
    assert focus.words == words
    assert focus.set_aside == aside
