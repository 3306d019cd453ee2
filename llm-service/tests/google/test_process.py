"""The backend in the real process: loaded on its first call, counted in metrics, and without prompts in the log."""

from __future__ import annotations

import asyncio
import json
import signal
import urllib.request

from grpc import aio

from llm_service.metrics import Metrics, MetricsServer
from llm_service.proto.llm_service_pb2 import GenerateRequest, LLMConfig
from llm_service.proto.llm_service_pb2_grpc import LLMServiceStub
from tests.google.gemini import answer, failure, shown, text_part, tool, user
from tests.shared.fake_http import FakeHttp
from tests.test_server import finish, process

KEY = "process-key-42"
LIMIT = 30


def read(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=LIMIT) as response:
        return bytes(response.read()).decode()


async def test_the_process_serves_a_call_from_start_to_end() -> None:
    env = {"MY_KEY": KEY, "LOG_LEVEL": "debug", "NO_PROXY": "127.0.0.1"}
    async with (
        FakeHttp().run() as http,
        process("--metrics-port", "0", TARSY_COMMIT="0123456789abcdef", **env) as started,
    ):
        assert started.stdout is not None
        line = json.loads(await asyncio.wait_for(started.stdout.readline(), LIMIT))
        config = LLMConfig(
            backend="google-native", provider="google", model="gemini-3", api_key_env="MY_KEY", base_url=http.url
        )
        request = GenerateRequest(messages=[user("SECRET-PROMPT")], llm_config=config, tools=[tool("a.b")])
        async with aio.insecure_channel(f"127.0.0.1:{line['port']}") as channel:
            for reply in (
                answer(text_part("SECRET-ANSWER")),
                failure(400, "INVALID_ARGUMENT", message=f"refused with the key {KEY}"),
            ):
                http.replies.append(reply)
                received = [shown(response) async for response in LLMServiceStub(channel).Generate(request)]
                assert next(iter(received[0])) in ("text", "error")
        figures = await asyncio.to_thread(read, line["metrics_port"])
        started.send_signal(signal.SIGTERM)
        status, _, log = await finish(started)
    assert status == 0
    assert 'tarsy_llm_service_calls_total{model="gemini-3",outcome="finished",provider="google"} 1.0' in figures
    assert 'tarsy_llm_service_errors_total{code="invalid_request",model="gemini-3",provider="google"} 1.0' in figures
    assert 'tarsy_llm_service_build_info{commit="0123456789ab"} 1.0' in figures
    assert [entry.get("outcome") for entry in log if entry["msg"] == "generate ended"] == ["finished", "failed"]
    for secret in (KEY, "SECRET-PROMPT", "SECRET-ANSWER"):
        assert secret not in json.dumps(log)


async def test_a_taken_metrics_port_is_reported() -> None:
    taken = MetricsServer(Metrics(), "127.0.0.1", 0)
    async with process(METRICS_PORT=str(taken.port)) as started:
        status, out, log = await finish(started)
    await asyncio.to_thread(taken.close)
    assert (status, out) == (1, b"")
    assert [(entry["level"], entry["metrics_port"]) for entry in log] == [("error", taken.port)]
