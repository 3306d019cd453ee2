"""The clients of OpenAI and Anthropic, which are made alike: raw events in, errors out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.shared.failures import Said, said_in
from llm_service.providers.shared.transport import check_stream, events_of, http_client

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from llm_service.providers.settings import Endpoint
    from llm_service.providers.wire import Prepared


class SdkClient:
    """Posts to one path and gives the events as the JSON that they are, not as the objects of an SDK.

    Those cost more than all else that a chunk takes, and trouble with every chunk that is not quite as documented.
    """

    def __init__(self, sdk: Any, stream_class: Any, path: str, *, own_framing: bool = False) -> None:
        """Take an SDK's client; with `own_framing` the answer is no server-sent events, and the SDK's to read."""
        self._sdk, self._stream_class, self._path, self._own_framing = sdk, stream_class, path, own_framing

    async def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the events of the answer."""
        answer = await self._sdk.post(
            self._path,
            body=prepared.body,
            options={"headers": prepared.headers},
            cast_to=object,
            stream=True,
            stream_cls=self._stream_class[object],
        )
        try:
            await check_stream(answer.response)
            async for event in answer if self._own_framing else events_of(answer.response):
                yield event
        finally:
            await answer.response.aclose()

    async def close(self) -> None:
        """End the connections."""
        await self._sdk.close()


def common(endpoint: Endpoint) -> dict[str, Any]:
    """What is said to each SDK: connections of ours, and nothing tried again unasked."""
    headers = dict(endpoint.headers)
    return {"max_retries": 0, "timeout": None, "http_client": http_client(), "default_headers": headers}


def sdk_said(error: BaseException) -> Said | None:
    """Read an SDK's error that has an answer of the provider in it."""
    status, body = getattr(error, "status_code", None), getattr(error, "body", None)
    if type(status) is not int and body is None:
        return None
    # An error within a stream comes with the status of the stream.
    status = status if type(status) is int and status >= 400 else 0
    return said_in(body, status, getattr(getattr(error, "response", None), "headers", None), text=str(error))
