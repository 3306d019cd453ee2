"""Health and shutdown, in this process and in the real process that the engine starts."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process, create_subprocess_exec
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2

from llm_service.proto.llm_service_pb2 import ConversationMessage
from llm_service.proto.llm_service_pb2_grpc import LLMServiceStub
from llm_service.providers.registry import ProviderRegistry
from llm_service.server import LLMServer
from tests.conftest import GatedProvider, Running, health_stub
from tests.conversations import request_of, user_message

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

ROOT = Path(__file__).parent.parent
SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
NAMES = ("", "llm.v1.LLMService")
USER = ConversationMessage(role="user", content="disk full")
LIMIT = 20
"""Seconds after which a test fails; every step is much faster."""


def check(name: str) -> health_pb2.HealthCheckRequest:
    return health_pb2.HealthCheckRequest(service=name)


@pytest.mark.parametrize("name", NAMES)
async def test_health_serves_when_ready(running: Running, name: str) -> None:
    answer = await running.health.Check(check(name))
    assert answer.status == SERVING


async def test_an_unknown_service_has_no_health(running: Running) -> None:
    with pytest.raises(aio.AioRpcError) as caught:
        await running.health.Check(check("other"))
    assert caught.value.code() == grpc.StatusCode.NOT_FOUND


async def test_stop_turns_health_off_and_lets_streams_end(running: Running, gated: GatedProvider) -> None:
    watch = running.health.Watch(check(NAMES[1]))
    seen = aiter(watch)
    assert (await anext(seen)).status == SERVING
    stream = aiter(running.llm.Generate(request_of([USER], backend="gated")))
    assert (await anext(stream)).text.content == "first"
    stopping = asyncio.create_task(running.server.stop(LIMIT))
    assert (await anext(seen)).status == NOT_SERVING
    (refused,) = [response async for response in running.llm.Generate(request_of([USER]))]
    assert (refused.error.code, refused.error.retryable, refused.is_final) == ("service_stopping", True, True)
    gated.gate.set()
    rest = [response async for response in stream]
    assert [response.text.content for response in rest] == ["second", ""]
    assert rest[-1].is_final
    # The health watch is still open and must not delay the stop.
    await asyncio.wait_for(stopping, LIMIT / 2)
    assert gated.how == "finished"
    assert gated.closed


async def test_stop_cancels_streams_at_the_limit(running: Running, gated: GatedProvider) -> None:
    stream = aiter(running.llm.Generate(request_of([USER], backend="gated")))
    await anext(stream)
    await gated.started.wait()
    await asyncio.wait_for(running.server.stop(0.05), LIMIT)
    with pytest.raises(aio.AioRpcError) as caught:
        await anext(stream)
    assert caught.value.code() in (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)
    assert gated.how == "cancelled"


async def test_a_port_is_never_shared() -> None:
    first = LLMServer(ProviderRegistry({}), "127.0.0.1", 0)
    await first.start()
    with pytest.raises(RuntimeError):
        LLMServer(ProviderRegistry({}), "127.0.0.1", first.port)
    await first.stop(0)


@asynccontextmanager
async def process(*options: str, **env: str) -> AsyncIterator[Process]:
    started = await create_subprocess_exec(
        sys.executable,
        *("-W", "error", "-m", "llm_service", *options),
        cwd=ROOT,
        env={**os.environ, "OFFLINE_CHUNK_DELAY_MS": "0", "GRPC_PORT": "0", **env},
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    try:
        yield started
    finally:
        if started.returncode is None:
            started.kill()
        # Reads both pipes to their end, which also closes them.
        await asyncio.wait_for(started.communicate(), LIMIT)


async def port_of(started: Process) -> int:
    assert started.stdout is not None
    line = json.loads(await asyncio.wait_for(started.stdout.readline(), LIMIT))
    assert line.keys() == {"event", "port"}
    assert line["event"] == "listening"
    port = line["port"]
    assert isinstance(port, int)
    return port


async def finish(started: Process) -> tuple[int | None, bytes, list[dict[str, Any]]]:
    """Waits for the end; returns the status, the rest of stdout and the log."""
    assert started.stdout is not None
    assert started.stderr is not None
    out, err = await asyncio.wait_for(asyncio.gather(started.stdout.read(), started.stderr.read()), LIMIT)
    return await asyncio.wait_for(started.wait(), LIMIT), out, [json.loads(line) for line in err.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_process_serves_and_stops_on_a_signal(number: signal.Signals) -> None:
    async with process() as started:
        port = await port_of(started)
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert (await health_stub(channel).Check(check(""))).status == SERVING
            stub = LLMServiceStub(channel)
            responses = [response async for response in stub.Generate(request_of([user_message("s3cret disk")]))]
            assert responses[-1].is_final
            started.send_signal(number)
            status, out, log = await finish(started)
    assert status == 0
    assert out == b""
    messages = [entry["msg"] for entry in log]
    assert messages == ["ready", "generate ended", "stopping", "stopped"]
    assert "s3cret" not in json.dumps(log)


async def test_the_end_of_stdin_stops_the_process() -> None:
    async with process("--exit-on-stdin-eof") as started:
        await port_of(started)
        assert started.stdin is not None
        started.stdin.write(b"ignored\n")
        await started.stdin.drain()
        started.stdin.close()
        status, _, log = await finish(started)
    assert status == 0
    assert {"stopping", "stopped"} <= {entry["msg"] for entry in log}
    assert next(entry for entry in log if entry["msg"] == "stopping")["reason"] == "stdin ended"


async def test_without_the_option_the_end_of_stdin_is_ignored() -> None:
    async with process() as started:
        port = await port_of(started)
        assert started.stdin is not None
        started.stdin.close()
        await started.stdin.wait_closed()
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert (await health_stub(channel).Check(check(""))).status == SERVING
        assert started.returncode is None


async def test_it_ends_when_its_parent_is_killed() -> None:
    # The parent only starts the service with a pipe as stdin, forwards the service's first line, and waits.
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-m', 'llm_service', '--port', '0', '--exit-on-stdin-eof'],"
        " stdin=subprocess.PIPE)\n"
        "child.wait()\n"
    )
    parent = await create_subprocess_exec(
        *(sys.executable, "-c", code), cwd=ROOT, stdin=DEVNULL, stdout=PIPE, stderr=DEVNULL
    )
    assert parent.stdout is not None
    await port_of(parent)
    parent.kill()
    await parent.wait()
    # The child holds the other end of this pipe, so the pipe closes only when the child ends.
    assert await asyncio.wait_for(parent.stdout.read(), LIMIT) == b""


async def test_a_taken_port_is_logged() -> None:
    taken = LLMServer(ProviderRegistry({}), "127.0.0.1", 0)
    await taken.start()
    async with process("--port", str(taken.port)) as started:
        status, out, log = await finish(started)
    await taken.stop(0)
    assert (status, out) == (1, b"")
    assert [(entry["level"], entry["port"]) for entry in log] == [("error", taken.port)]


@pytest.mark.parametrize(
    ("options", "env", "named"),
    [
        (["--port", "70000"], {}, "--port"),
        (["--stop-seconds", "-1"], {}, "--stop-seconds"),
        (["--port", "x"], {}, "--port"),
        ([], {"GRPC_PORT": "-5"}, "--port"),
        ([], {"LOG_LEVEL": "loud"}, "LOG_LEVEL"),
        ([], {"OFFLINE_CHUNK_DELAY_MS": "soon"}, "OFFLINE_CHUNK_DELAY_MS"),
        ([], {"OFFLINE_CHUNK_DELAY_MS": "nan"}, "OFFLINE_CHUNK_DELAY_MS"),
    ],
)
async def test_invalid_options_are_refused(options: list[str], env: dict[str, str], named: str) -> None:
    async with process(*options, **env) as started:
        out, err = await asyncio.wait_for(started.communicate(), LIMIT)
        assert started.returncode == 2
    assert out == b""
    assert named in err.decode().splitlines()[-1]
