"""Clients of the Gemini API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google import genai
from google.genai import types

from llm_service.errors import ProviderUnavailable
from llm_service.providers.settings import Door
from llm_service.providers.shared.google_credentials import load_credentials
from llm_service.providers.shared.transport import http_client, line

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from llm_service.providers.settings import Endpoint
    from llm_service.providers.wire import Prepared

OWN_ENDPOINT = "https://generativelanguage.googleapis.com/"
"""Given always, because the SDK would otherwise take an address from its own environment variables."""


class GoogleClient:
    """The SDK's client over connections of ours: with aiohttp it retries by itself, after up to 10 seconds, unasked."""

    def __init__(self, endpoint: Endpoint) -> None:
        """Make it.

        Raises:
            CredentialsError: the credentials cannot be used.
        """
        vertex = endpoint.door is Door.VERTEX
        self._name = endpoint.name
        self._http = http_client()
        options = types.HttpOptions(
            base_url=endpoint.base_url or (None if vertex else OWN_ENDPOINT),
            headers=dict(endpoint.headers) or None,
            httpx_async_client=self._http,
        )
        access: dict[str, Any] = {"vertexai": False, "api_key": endpoint.api_key}
        if vertex:
            access = {
                "vertexai": True,
                "project": endpoint.project,
                "location": endpoint.location,
                "credentials": load_credentials(endpoint),
            }
        self._sdk = genai.Client(http_options=options, **access)

    async def stream(self, prepared: Prepared) -> AsyncGenerator[types.GenerateContentResponse, None]:
        """Send a request, and give the chunks of the answer."""
        try:
            stream = await self._sdk.aio.models.generate_content_stream(**prepared.body)
            async for chunk in stream:
                yield chunk
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            if not line.get().responses:
                raise
            # How the SDK fails over JSON that is not what it expects; it checks little by itself.
            raise ProviderUnavailable(f"{self._name} sent something that its SDK cannot read") from error

    async def close(self) -> None:
        """End the connections."""
        await self._http.aclose()
        self._sdk.close()


def connect(endpoint: Endpoint) -> GoogleClient:
    """Make the client.

    Raises:
        CredentialsError: the credentials cannot be used.
    """
    return GoogleClient(endpoint)
