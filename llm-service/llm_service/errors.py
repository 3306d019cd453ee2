"""What can go wrong, as the engine sees it.

class                        code                    retryable
LLMServiceError              (abstract)
├── InvalidRequest           invalid_request         no
├── BackendNotAvailable      backend_not_available   no
├── ServiceStopping          service_stopping        yes
├── InternalError            internal                no
└── ProviderError            provider_error          yes
    ├── CredentialsError     credentials             no
    ├── RetriesExhausted     max_retries             yes
    ├── TransportError       transport               yes
    ├── InitialTimeout       initial_timeout         yes
    ├── StallTimeout         stall_timeout           yes
    └── PartialStreamError   partial_stream_error    yes

Codes are part of the contract: the engine chooses by them whether to retry and whether to go on with
another provider. A message is for people; it holds no key, no prompt and no answer.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from llm_service.proto.llm_service_pb2 import ErrorInfo

if TYPE_CHECKING:
    from collections.abc import Iterable


class LLMServiceError(Exception):
    """An error with a stable code."""

    code: ClassVar[str]
    retryable: ClassVar[bool] = False


class InvalidRequest(LLMServiceError):  # noqa: N818 -- named for what the caller did
    """The request breaks the contract of the proto file; sending it again cannot help."""

    code = "invalid_request"


class BackendNotAvailable(LLMServiceError):  # noqa: N818 -- named for the state
    """The request names a backend that this service does not have."""

    code = "backend_not_available"

    def __init__(self, backend: str, available: Iterable[str]) -> None:
        names = ", ".join(sorted(available)) or "none"
        super().__init__(f"backend {backend[:100]!r} is not available; available: {names}")


class ServiceStopping(LLMServiceError):  # noqa: N818 -- named for the state
    """This process is on its way out; another one, or the next one, will answer."""

    code = "service_stopping"
    retryable = True


class InternalError(LLMServiceError):
    """A defect of this service. Its message names only the type of what was raised."""

    code = "internal"


class ProviderError(LLMServiceError):
    """The provider failed in a way that may pass."""

    code = "provider_error"
    retryable = True


class CredentialsError(ProviderError):
    """A key or a credentials file is missing or was refused."""

    code = "credentials"
    retryable = False


class RetriesExhausted(ProviderError):  # noqa: N818 -- named for the state
    """The provider kept failing (rate limit, overload) through all retries of the backend."""

    code = "max_retries"


class TransportError(ProviderError):
    """The provider could not be reached."""

    code = "transport"


class InitialTimeout(ProviderError):  # noqa: N818 -- named for the state
    """The provider sent nothing at all in time."""

    code = "initial_timeout"


class StallTimeout(ProviderError):  # noqa: N818 -- named for the state
    """The provider stopped sending in the middle of an answer."""

    code = "stall_timeout"


class PartialStreamError(ProviderError):
    """The provider broke off after a part of the answer was sent."""

    code = "partial_stream_error"


def as_service_error(error: Exception) -> LLMServiceError:
    """Map anything a backend raised. What is not declared above is masked: its text may hold a prompt."""
    if isinstance(error, LLMServiceError):
        return error
    if isinstance(error, TimeoutError | asyncio.TimeoutError):
        return StallTimeout("the provider did not answer in time")
    if isinstance(error, ConnectionError):
        return TransportError(f"the connection to the provider failed ({type(error).__name__})")
    return InternalError(f"the LLM service failed ({type(error).__name__}); its log has the place")


def error_info(error: LLMServiceError) -> ErrorInfo:
    """Turn an error into its form on the wire."""
    # A message may quote a name from the request; a lone surrogate cannot go on the wire.
    message = str(error).encode("utf-8", "replace").decode("utf-8")
    return ErrorInfo(message=message, code=error.code, retryable=error.retryable)
