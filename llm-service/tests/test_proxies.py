"""Requests to this machine bypass the proxy of the environment; others use it."""

import httpx2
import pytest

from llm_service.__main__ import reach_loopback_directly
from llm_service.providers.shared.transport import http_client

PROXY = "http://127.0.0.1:1"  # nothing listens there


@pytest.mark.parametrize(("given", "kept"), [({}, []), ({"NO_PROXY": "a.test,.b.test"}, ["a.test", ".b.test"])])
def test_loopback_is_added_to_the_names_that_bypass_the_proxy(given: dict[str, str], kept: list[str]) -> None:
    env = dict(given)
    reach_loopback_directly(env)
    assert env["no_proxy"].split(",") == [*kept, "localhost", "127.0.0.1", "::1"]


async def test_a_local_model_is_reached_past_the_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", PROXY)
    env = {"no_proxy": ""}
    reach_loopback_directly(env)
    monkeypatch.setenv("no_proxy", env["no_proxy"])
    async with http_client() as client:
        assert client._transport_for_url(httpx2.URL("http://127.0.0.1:11434")) is client._transport
        assert client._transport_for_url(httpx2.URL("http://llm.example.test")) is not client._transport
