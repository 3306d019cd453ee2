"""What can go wrong, as the engine sees it.

Codes are part of the contract: the engine chooses by them whether to retry and whether to go on with another
provider. A message is for people; it holds no key. It may hold what the provider said, masked and bounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from llm_service.proto.llm_service_pb2 import ErrorInfo

if TYPE_CHECKING:
    from collections.abc import Iterable


class LLMServiceError(Exception):
    """An error with a stable code; `retryable`: the same request may succeed later, `transient`: likely within seconds.

    What is transient is tried again here first (shared/retry.py), while nothing was streamed; what is left in the end
    is max_retries (transport: itself; rate_limited: when the wait asked for is too long), or partial_stream_error when
    a part of the answer was out already.
    """

    code: ClassVar[str]
    retryable: ClassVar[bool] = False
    transient: ClassVar[bool] = False
    http_status = 0
    """Of the provider's answer; 0 = there was none."""
    request_id = ""
    """The provider's; "" = it told none."""

    def __init_subclass__(cls, code: str = "", retryable: bool | None = None, transient: bool = False) -> None:
        """Take the code and how an error of this class is to be dealt with."""
        cls.code = code
        cls.retryable = cls.retryable if retryable is None else retryable
        cls.transient = transient

    def __init__(self, message: str, retry_after: float | None = None, tools: Iterable[str] = ()) -> None:
        """Make it: with seconds that the provider asks to wait, and canonical names of tools that it refuses."""
        super().__init__(message)
        self.retry_after = retry_after
        self.tools = frozenset(tools)

    def caused_by(self, error: LLMServiceError) -> LLMServiceError:
        """Take over where another error came from."""
        self.http_status, self.request_id, self.retry_after = error.http_status, error.request_id, error.retry_after
        return self


# They are named for what happened, without "Error" where that says nothing more.
# ruff: noqa: N818
class InvalidRequest(LLMServiceError, code="invalid_request"):
    """The request breaks the contract of the proto file, or the provider refuses it: a repeat cannot help."""


class BackendNotAvailable(LLMServiceError, code="backend_not_available"):
    """The request names a backend that this service does not have."""


class ServiceStopping(LLMServiceError, code="service_stopping", retryable=True):
    """This process is on its way out; another one, or the next one, will answer."""


class InternalError(LLMServiceError, code="internal"):
    """A defect of this service. Its message names only the type of what was raised."""


class ProviderError(LLMServiceError, code="provider_error", retryable=True):
    """The provider failed in a way that may pass."""


class CredentialsError(ProviderError, code="credentials", retryable=False):
    """A key or a credentials file is missing or was refused. The message names the variable, never the value."""


class MissingCredentials(CredentialsError, code="missing_credentials"):
    """A key or a credentials file is not there."""


class InvalidCredentials(CredentialsError, code="invalid_credentials"):
    """The provider refused the key, or it cannot be one."""


class RetriesExhausted(ProviderError, code="max_retries"):
    """The provider kept failing (rate limit, overload) through all retries of the backend."""


class TransportError(ProviderError, code="transport", transient=True):
    """The provider could not be reached."""


class RateLimited(ProviderError, code="rate_limited", transient=True):
    """The provider wants fewer calls."""


class ProviderUnavailable(ProviderError, code="provider_unavailable", transient=True):
    """The provider is overloaded or broken for the moment (5xx)."""


class EmptyResponse(ProviderError, code="empty_response", transient=True):
    """The model ended without text and without a tool call."""


class MalformedToolCall(ProviderError, code="malformed_tool_call", transient=True):
    """The model wrote a tool call that the provider or we cannot read."""


class CertificateError(ProviderError, code="certificate", retryable=False):
    """The provider's certificate is not one that this machine trusts."""


class UnexpectedAnswer(ProviderError, code="unexpected_answer", retryable=False):
    """What answered does not speak the provider's API: a web page, or JSON instead of a stream."""


class InitialTimeout(ProviderError, code="initial_timeout"):
    """The provider sent nothing at all in time."""


class StallTimeout(ProviderError, code="stall_timeout"):
    """The provider stopped sending in the middle of an answer."""


class PartialStreamError(ProviderError, code="partial_stream_error"):
    """The provider broke off after a part of the answer was sent."""


class ContentBlocked(ProviderError, code="content_blocked", retryable=False):
    """The provider's filters stopped the request or the answer; it would do so again."""


class ContextTooLong(ProviderError, code="context_too_long", retryable=False):
    """The conversation is longer than the model can read."""


class OutputTruncated(ProviderError, code="output_truncated", retryable=False):
    """The answer hit the model's output limit and is not whole."""


def as_service_error(error: Exception) -> LLMServiceError:
    """Map anything a backend raised. What is not declared above is masked: its text may hold a prompt."""
    if isinstance(error, LLMServiceError):
        return error
    if isinstance(error, TimeoutError):
        return StallTimeout("the provider did not answer in time")
    if isinstance(error, ConnectionError):
        return TransportError(f"the connection to the provider failed ({type(error).__name__})")
    return InternalError(f"the LLM service failed ({type(error).__name__}); its log has the place")


def error_info(error: LLMServiceError) -> ErrorInfo:
    """Turn an error into its form on the wire."""
    return ErrorInfo(
        # It may quote a name from the request; a lone surrogate cannot go on the wire.
        message=str(error).encode("utf-8", "replace").decode("utf-8"),
        code=error.code,
        retryable=error.retryable,
        http_status=error.http_status,
        request_id=error.request_id,
        retry_after_seconds=error.retry_after or 0,
    )
