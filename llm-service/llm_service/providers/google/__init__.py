"""Gemini through google-genai: the Gemini API and Vertex AI."""

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from google import genai
from google.genai import types
from google.genai._transformers import t_model

from llm_service.providers.google.events import Events, continuation
from llm_service.providers.google.request import prepare
from llm_service.providers.settings import Endpoint, google_credentials
from llm_service.providers.shared.quirks import Quirk
from llm_service.providers.shared.tool_schemas import GEMINI as DIALECT
from llm_service.providers.shared.transport import PreparedRequest, http_client, read_events

__all__ = ["DIALECT", "DROPPABLE", "QUIRKS", "Events", "connect", "prepare"]
DROPPABLE = ("temperature",)
QUIRKS: tuple[Quirk, ...] = ()
# Passed explicitly, because the SDK would otherwise read the address from an environment variable.
OWN_ENDPOINT = "https://generativelanguage.googleapis.com/"


class GoogleClient:
    """Client of Gemini with the SDK's addresses, credentials and errors.

    Uses our HTTP client, because the SDK's would retry. Yields events as plain JSON.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        vertex = endpoint.provider == "vertexai"
        self._http = http_client(endpoint.query)
        options = types.HttpOptions(
            base_url=endpoint.base_url or (None if vertex else OWN_ENDPOINT),
            headers=dict(endpoint.headers) or None,
            httpx_async_client=self._http,
        )
        access: dict[str, Any] = {"api_key": endpoint.api_key}
        if vertex:
            credentials = google_credentials(endpoint.credentials_file, endpoint.key_variable)
            access = {"project": endpoint.project, "location": endpoint.location, "credentials": credentials}
        self._sdk = genai.Client(vertexai=vertex, http_options=options, **access)

    async def stream(self, prepared: PreparedRequest) -> AsyncGenerator[Any, None]:
        """Sends a request and yields the chunks, following continuation tokens to the end of the answer."""
        api = self._sdk._api_client  # private attribute, but every call of the SDK uses it
        body = dict(prepared.body)
        path = f"{t_model(api, body.pop('model'))}:streamGenerateContent?alt=sse"
        token: object = ""
        while token is not None:
            answer: Any = await api._async_request(api._build_request("post", path, dict(body)), stream=True)
            before, token = token, None
            async with contextlib.aclosing(read_events(answer.response_stream, "candidates")) as events:
                async for event in events:
                    token = continuation(event) or token
                    yield event
            body["continuationToken"] = token = None if token == before else token

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()
        self._sdk.close()


connect = GoogleClient
