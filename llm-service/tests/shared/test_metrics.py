"""Metrics of calls, read over HTTP."""

from __future__ import annotations

import asyncio
import urllib.request

import pytest
from grpc import aio

from llm_service.errors import ProviderError
from llm_service.metrics import MAX_MODELS, CallResult, Metrics, MetricsServer
from llm_service.proto.llm_service_pb2 import (
    ConversationMessage,
    GenerateRequest,
    GenerateResponse,
    LLMConfig,
    TextDelta,
    UsageInfo,
)
from llm_service.proto.llm_service_pb2_grpc import LLMServiceStub
from llm_service.providers.registry import ProviderRegistry
from llm_service.server import LLMServer
from tests.conftest import FailingProvider, GatedProvider
from tests.shared.fake_http import happens

USAGE = GenerateResponse(usage=UsageInfo(input_tokens=10, output_tokens=5, thinking_tokens=2, total_tokens=17))


def request(backend: str, model: str = "gemini-3") -> GenerateRequest:
    config = LLMConfig(provider="google", model=model, backend=backend)
    return GenerateRequest(messages=[ConversationMessage(role="user", content="x")], llm_config=config)


def ended(metrics: Metrics, provider: str, model: str) -> None:
    metrics.started()
    metrics.ended(LLMConfig(provider=provider, model=model), "finished", CallResult(None, 1, None, {}))


async def test_calls_are_counted_and_served() -> None:
    metrics = Metrics()
    text = GenerateResponse(text=TextDelta(content="x"))
    gated = GatedProvider()
    providers = ProviderRegistry({"failing": FailingProvider(ProviderError("x"), [text, USAGE]), "gated": gated})
    server = LLMServer(providers, "127.0.0.1", 0, metrics)
    await server.start()
    exporter = MetricsServer(metrics, "127.0.0.1", 0)
    async with aio.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        llm = LLMServiceStub(channel)
        async for _ in llm.Generate(request("failing")):
            pass
        call = llm.Generate(request("gated"))
        await anext(aiter(call))
        await happens(gated.started)
        during = await asyncio.to_thread(read, exporter.port)
        call.cancel()
        await happens(gated.ended)
    await server.stop(1)
    after = await asyncio.to_thread(read, exporter.port)
    await asyncio.to_thread(exporter.close)
    assert "tarsy_llm_service_calls_running 1.0" in during
    failed, cancelled = 'outcome="failed",', 'outcome="cancelled",'
    labels = 'model="gemini-3",{}provider="google"'
    assert "tarsy_llm_service_calls_running 0.0" in after
    assert f"tarsy_llm_service_calls_total{{{labels.format(failed)}}} 1.0" in after
    assert f"tarsy_llm_service_calls_total{{{labels.format(cancelled)}}} 1.0" in after
    assert 'tarsy_llm_service_errors_total{code="provider_error",model="gemini-3",provider="google"} 1.0' in after
    for kind, count in {"input": 10, "output": 5, "thinking": 2}.items():
        assert f'tarsy_llm_service_tokens_total{{kind="{kind}",model="gemini-3",provider="google"}} {count}.0' in after
    assert f"tarsy_llm_service_call_seconds_count{{{labels.format('')}}} 2.0" in after
    assert f"tarsy_llm_service_first_response_seconds_count{{{labels.format('')}}} 2.0" in after


def read(port: int) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as response:
        assert response.headers["Content-Type"].startswith("text/plain")
        return bytes(response.read()).decode()


def test_labels_are_bounded() -> None:
    metrics = Metrics()
    for number in range(MAX_MODELS + 50):
        ended(metrics, f"made-up-{number}", f"model-{number}")
    ended(metrics, "google", "model-0")
    ended(metrics, "google", 'x"\n{}')
    samples = [sample for family in metrics.registry.collect() for sample in family.samples]
    assert {sample.labels.get("provider") for sample in samples} == {None, "other", "google"}
    models = {sample.labels.get("model") for sample in samples} - {None}
    assert len(models) == MAX_MODELS + 1
    assert "other" in models
    counts = [sample.value for sample in samples if sample.name == "tarsy_llm_service_calls_total"]
    assert sum(counts) == MAX_MODELS + 52


def test_a_taken_port_is_reported() -> None:
    first = MetricsServer(Metrics(), "127.0.0.1", 0)
    with pytest.raises(OSError, match="in use"):
        MetricsServer(Metrics(), "127.0.0.1", first.port)
    first.close()
