"""The clients of OpenAI and Anthropic, which are made alike: raw events in, errors out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llm_service.providers.shared.failures import Said, said_in

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from llm_service.providers.wire import Prepared


class SdkClient:
    """Posts to one path and gives the events as the JSON that they are.

    The SDKs would make objects of them, which costs more than all else that a chunk takes, and trouble with every
    chunk that is not quite what is documented.
    """

    def __init__(self, sdk: Any, stream_class: Any, path: str) -> None:
        self._sdk = sdk
        self._stream_class = stream_class
        self._path = path

    async def stream(self, prepared: Prepared) -> AsyncGenerator[Any, None]:
        """Send a request, and give the events of the answer."""
        events = await self._sdk.post(
            self._path,
            body=prepared.body,
            options={"headers": prepared.headers},
            cast_to=object,
            stream=True,
            stream_cls=self._stream_class[object],
        )
        async for event in events:
            yield event

    async def close(self) -> None:
        """End the connections."""
        await self._sdk.close()


def sdk_said(error: BaseException) -> Said | None:
    """Read an SDK's error that has an answer of the provider in it."""
    status = getattr(error, "status_code", None)
    body = getattr(error, "body", None)
    response = getattr(error, "response", None)
    if type(status) is not int and body is None:
        return None
    # An error within a stream comes with the status of the stream.
    status = status if type(status) is int and status >= 400 else 0
    return said_in(body, status, getattr(response, "headers", None), text=str(error))
