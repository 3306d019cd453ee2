"""Clients of the Gemini API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google import genai
from google.genai import errors, types
from google.genai._transformers import t_model

from llm_service.providers.google.events import continuation
from llm_service.providers.settings import Door
from llm_service.providers.shared.credentials import google_credentials
from llm_service.providers.shared.failures import Said, said_in
from llm_service.providers.shared.transport import check_stream, events_of, http_client

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from llm_service.providers.settings import Endpoint
    from llm_service.providers.wire import Prepared

OWN_ENDPOINT = "https://generativelanguage.googleapis.com/"
"""Given always, because the SDK would otherwise take an address from its own environment variables."""


class GoogleClient:
    """The SDK's addresses, credentials and errors, over connections of ours and with the JSON as it is.

    With aiohttp the SDK retries by itself, after up to 10 seconds, unasked; its objects cost most of what a chunk does.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Make it; CredentialsError when the credentials cannot be used."""
        vertex = endpoint.door is Door.VERTEX
        self._http = http_client()
        options = types.HttpOptions(
            base_url=endpoint.base_url or (None if vertex else OWN_ENDPOINT),
            headers=dict(endpoint.headers) or None,
            httpx_async_client=self._http,
        )
        access: dict[str, Any] = {"vertexai": False, "api_key": endpoint.api_key}
        if vertex:
            credentials = google_credentials(endpoint)
            access = {"project": endpoint.project, "location": endpoint.location, "credentials": credentials}
            access["vertexai"] = True
        self._sdk = genai.Client(http_options=options, **access)

    async def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the chunks; an answer that goes on in another one is followed to its end."""
        api = self._sdk._api_client  # not public, but what all of the SDK's own calls are made of
        body = dict(prepared.body)
        path = f"{t_model(api, body.pop('model'))}:streamGenerateContent?alt=sse"
        token: object = ""
        while token is not None:
            answer = await api._async_request(api._build_request("post", path, dict(body)), stream=True)
            response: Any = answer.response_stream
            before, token = token, None
            try:
                await check_stream(response)
                async for event in events_of(response):
                    token = continuation(event) or token
                    yield event
            finally:
                await response.aclose()
            body["continuationToken"] = token = None if token == before else token

    async def close(self) -> None:
        """End the connections."""
        await self._http.aclose()
        self._sdk.close()


def connect(endpoint: Endpoint) -> GoogleClient:
    """Make the client; CredentialsError when the credentials cannot be used."""
    return GoogleClient(endpoint)


def said(error: BaseException) -> Said | None:
    """Read the SDK's error; a wrong key is HTTP 400 here, told apart only by a reason in its details."""
    if not isinstance(error, errors.APIError):
        return None
    headers = getattr(error.response, "headers", None)
    return said_in(error.details, error.code or 500, headers, text=error.message or "")
