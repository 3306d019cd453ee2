"""The client pool."""

from __future__ import annotations

import asyncio

import pytest

from llm_service.errors import MissingCredentials
from llm_service.providers import clients
from llm_service.providers.clients import ClientPool, ConnectedClient
from llm_service.providers.settings import Api, Endpoint


def endpoint(name: str) -> Endpoint:
    return Endpoint(Api.CHAT, base_url=name)


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    class Client:
        def __init__(self, name: str) -> None:
            self.name = name

        async def close(self) -> None:
            names.append(self.name)

    def connect(wanted: Endpoint) -> ConnectedClient:
        if wanted.base_url == "bad":
            raise MissingCredentials("x")
        return ConnectedClient(None, Client(wanted.base_url))  # type: ignore[arg-type]

    monkeypatch.setattr(clients, "_connect", connect)
    return names


async def test_clients_are_bounded_and_closed(closed: list[str]) -> None:
    pool = ClientPool(max_clients=2)
    for name in ("a", "b", "a", "c"):
        async with pool.use(endpoint(name)):
            pass
    await asyncio.sleep(0)
    assert len(pool) == 2
    await pool.close()
    assert closed == ["b", "a", "c"]


async def test_a_client_in_use_is_not_closed(closed: list[str]) -> None:
    pool = ClientPool(max_clients=1)
    async with pool.use(endpoint("a")):
        async with pool.use(endpoint("b")):
            pass
        await asyncio.sleep(0)
        assert "a" not in closed
    await pool.close()
    assert sorted(closed) == ["a", "b"]


async def test_a_failed_client_is_created_again(closed: list[str]) -> None:
    pool = ClientPool()
    for _ in range(2):
        with pytest.raises(MissingCredentials):
            async with pool.use(endpoint("bad")):
                pass
        assert len(pool) == 0
    await pool.close()
