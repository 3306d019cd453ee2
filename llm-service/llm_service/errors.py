"""What can go wrong, as the engine sees it.

class                        code                    retryable
LLMServiceError              (abstract)
├── InvalidRequest           invalid_request         no
├── BackendNotAvailable      backend_not_available   no
├── ServiceStopping          service_stopping        yes
├── InternalError            internal                no
└── ProviderError            provider_error          yes
    ├── CredentialsError     credentials             no
    │   ├── MissingCredentials  missing_credentials  no
    │   └── InvalidCredentials  invalid_credentials  no
    ├── RetriesExhausted     max_retries             yes
    ├── TransportError       transport               yes   retried here first
    ├── RateLimited          rate_limited            yes   retried here first
    ├── ProviderUnavailable  provider_unavailable    yes   retried here first
    ├── EmptyResponse        empty_response          yes   retried here first
    ├── MalformedToolCall    malformed_tool_call     yes   retried here first
    ├── CertificateError     certificate             no
    ├── UnexpectedAnswer     unexpected_answer       no
    ├── InitialTimeout       initial_timeout         yes
    ├── StallTimeout         stall_timeout           yes
    ├── PartialStreamError   partial_stream_error    yes
    ├── ContentBlocked       content_blocked         no
    ├── ContextTooLong       context_too_long        no
    └── OutputTruncated      output_truncated        no

"Retried here first": by providers/shared/retry.py while nothing was streamed; what is left in the end is
max_retries (transport: itself; rate_limited: when the wait asked for is too long), or partial_stream_error when a part
of the answer was out already.

Codes are part of the contract: the engine chooses by them whether to retry and whether to go on with
another provider. A message is for people; it holds no key. It may hold what the provider said, masked and bounded.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, ClassVar

from llm_service.proto.llm_service_pb2 import ErrorInfo

if TYPE_CHECKING:
    from collections.abc import Iterable


class LLMServiceError(Exception):
    """An error with a stable code.

    Attributes:
        http_status: of the provider's answer; 0 = there was none.
        request_id: the provider's; "" = it told none.
        retry_after: seconds that the provider asks to wait, None when it does not say.
    """

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    """The same request may succeed later."""
    transient: ClassVar[bool] = False
    """Likely gone in seconds: worth a retry inside the service."""
    http_status: int = 0
    request_id: str = ""
    retry_after: float | None = None

    def caused_by(self, error: LLMServiceError) -> LLMServiceError:
        """Take over where another error came from."""
        self.http_status, self.request_id, self.retry_after = error.http_status, error.request_id, error.retry_after
        return self


class InvalidRequest(LLMServiceError):  # noqa: N818 -- named for what the caller did
    """The request breaks the contract of the proto file, or the provider refuses it: a repeat cannot help.

    Attributes:
        tools: canonical names of the tools because of which the provider refuses it; mostly none.
    """

    code = "invalid_request"

    def __init__(self, message: str, tools: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.tools = frozenset(tools)


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


class MissingCredentials(CredentialsError):  # noqa: N818 -- named for the state
    """A key or a credentials file is not there. The message names the variable."""

    code = "missing_credentials"


class InvalidCredentials(CredentialsError):  # noqa: N818 -- named for the state
    """The provider refused the key, or it cannot be one. The message names the variable, never the value."""

    code = "invalid_credentials"


class RetriesExhausted(ProviderError):  # noqa: N818 -- named for the state
    """The provider kept failing (rate limit, overload) through all retries of the backend."""

    code = "max_retries"


class TransportError(ProviderError):
    """The provider could not be reached."""

    code = "transport"
    transient = True


class RateLimited(ProviderError):  # noqa: N818 -- named for the state
    """The provider wants fewer calls."""

    code = "rate_limited"
    transient = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ProviderUnavailable(ProviderError):  # noqa: N818 -- named for the state
    """The provider is overloaded or broken for the moment (5xx)."""

    code = "provider_unavailable"
    transient = True

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class EmptyResponse(ProviderError):  # noqa: N818 -- named for the state
    """The model ended without text and without a tool call."""

    code = "empty_response"
    transient = True


class MalformedToolCall(ProviderError):  # noqa: N818 -- named for the state
    """The model wrote a tool call that the provider or we cannot read."""

    code = "malformed_tool_call"
    transient = True


class CertificateError(ProviderError):
    """The provider's certificate is not one that this machine trusts."""

    code = "certificate"
    retryable = False


class UnexpectedAnswer(ProviderError):  # noqa: N818 -- named for what came
    """What answered does not speak the provider's API: a web page, or JSON instead of a stream."""

    code = "unexpected_answer"
    retryable = False


class InitialTimeout(ProviderError):  # noqa: N818 -- named for the state
    """The provider sent nothing at all in time."""

    code = "initial_timeout"


class StallTimeout(ProviderError):  # noqa: N818 -- named for the state
    """The provider stopped sending in the middle of an answer."""

    code = "stall_timeout"


class PartialStreamError(ProviderError):
    """The provider broke off after a part of the answer was sent."""

    code = "partial_stream_error"


class ContentBlocked(ProviderError):  # noqa: N818 -- named for the state
    """The provider's filters stopped the request or the answer; it would do so again."""

    code = "content_blocked"
    retryable = False


class ContextTooLong(ProviderError):  # noqa: N818 -- named for the state
    """The conversation is longer than the model can read."""

    code = "context_too_long"
    retryable = False


class OutputTruncated(ProviderError):  # noqa: N818 -- named for the state
    """The answer hit the model's output limit and is not whole."""

    code = "output_truncated"
    retryable = False


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
    return ErrorInfo(
        message=message,
        code=error.code,
        retryable=error.retryable,
        http_status=error.http_status,
        request_id=error.request_id,
        retry_after_seconds=error.retry_after or 0,
    )
