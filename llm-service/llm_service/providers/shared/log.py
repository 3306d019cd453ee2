"""Log lines that tell which call they are about."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import MutableMapping

    from llm_service.proto.llm_service_pb2 import GenerateRequest


class CallLog(logging.LoggerAdapter[logging.Logger]):
    """Adds ids and model to each line; unlike its base, it keeps the line's own extra fields."""

    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> tuple[Any, MutableMapping[str, Any]]:
        """Merge the fields."""
        kwargs["extra"] = {**(self.extra or {}), **(kwargs.get("extra") or {})}
        return msg, kwargs


def call_log(logger: logging.Logger, request: GenerateRequest) -> CallLog:
    """Make the log of one request: ids and model, nothing of the conversation."""
    config = request.llm_config
    return CallLog(
        logger,
        {
            "session_id": request.session_id,
            "execution_id": request.execution_id,
            "provider": config.provider,
            "model": config.model,
        },
    )
