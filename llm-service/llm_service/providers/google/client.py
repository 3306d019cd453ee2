"""Clients of the Gemini API: one for each key and address, with its own connections."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx
from google import genai
from google.genai import types

from llm_service.errors import InvalidRequest
from llm_service.providers.shared.sse import normalise_sse

DEFAULT_BASE_URL = "https://generativelanguage.googleapis.com/"
"""Given always, because the SDK would otherwise take an address from its own environment variables."""

_KEEPALIVE_CONNECTIONS = 20

open_responses: ContextVar[list[httpx.Response]] = ContextVar("open_responses")
"""Responses of the calls of this task. The SDK closes a stream only when it is read to its end or cancelled."""


@dataclass(frozen=True)
class _Entry:
    client: genai.Client
    http: httpx.AsyncClient


class ClientPool:
    """Clients by key and address."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], _Entry] = {}

    def get(self, api_key: str, base_url: str) -> genai.Client:
        """Find or make the client; an empty address means Google's own.

        Raises:
            InvalidRequest: the address is no http or https URL.
        """
        url = base_url or DEFAULT_BASE_URL
        if not _is_http(url):
            raise InvalidRequest("llm_config.base_url is not an http or https URL")
        entry = self._entries.get((api_key, url))
        if entry is None:
            entry = self._entries[api_key, url] = _make(api_key, url)
        return entry.client

    async def close(self) -> None:
        """Close all connections."""
        for entry in self._entries.values():
            await entry.http.aclose()
            entry.client.close()
        self._entries.clear()


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # A port that is none is only noticed when it is asked for.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _make(api_key: str, url: str) -> _Entry:
    http = httpx.AsyncClient(
        # Silence is limited by StreamLimits, for all backends alike.
        timeout=httpx.Timeout(None),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=_KEEPALIVE_CONNECTIONS),
        # Compressed events would wait in the compressor's buffers.
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [_remember, normalise_sse]},
    )
    # An httpx client is given because with aiohttp the SDK retries by itself, after up to 10 seconds, unasked.
    options = types.HttpOptions(base_url=url, httpx_async_client=http)
    return _Entry(genai.Client(api_key=api_key, vertexai=False, http_options=options), http)


async def _remember(response: httpx.Response) -> None:
    remembered = open_responses.get(None)
    if remembered is not None:
        remembered.append(response)
