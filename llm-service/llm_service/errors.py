"""What can go wrong, by codes that are part of the contract; messages are for people, and hold no key."""

from typing import ClassVar, Self

from llm_service.proto.llm_service_pb2 import ErrorInfo


class LLMServiceError(Exception):
    """An error with a stable code; `retryable`: the request may succeed later, `transient`: likely within seconds."""

    code: ClassVar[str]
    retryable: ClassVar[bool]
    transient: ClassVar[bool]
    http_status = 0  # of the provider's answer; 0 = there was none
    request_id = ""  # the provider's; "" = it told none

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after  # seconds that the provider asks to wait

    def caused_by(self, error: "LLMServiceError") -> Self:
        """Take over where another error came from."""
        self.http_status, self.request_id, self.retry_after = error.http_status, error.request_id, error.retry_after
        return self


# What each means stands in docs/llm-service.md, "Errors". What is transient is retryable too.
def _kind(code: str, *, retryable: bool = False, transient: bool = False) -> type[LLMServiceError]:
    members = {"code": code, "retryable": retryable or transient, "transient": transient}
    return type(code, (LLMServiceError,), members)


InvalidRequest = _kind("invalid_request")
BackendNotAvailable = _kind("backend_not_available")
ServiceStopping = _kind("service_stopping", retryable=True)
InternalError = _kind("internal")
ProviderError = _kind("provider_error", retryable=True)
MissingCredentials = _kind("missing_credentials")
InvalidCredentials = _kind("invalid_credentials")
RetriesExhausted = _kind("max_retries", retryable=True)
TransportError = _kind("transport", transient=True)
RateLimited = _kind("rate_limited", transient=True)
ProviderUnavailable = _kind("provider_unavailable", transient=True)
EmptyResponse = _kind("empty_response", transient=True)
MalformedToolCall = _kind("malformed_tool_call", transient=True)
CertificateError = _kind("certificate")
UnexpectedAnswer = _kind("unexpected_answer")
InitialTimeout = _kind("initial_timeout", retryable=True)
StallTimeout = _kind("stall_timeout", retryable=True)
PartialStreamError = _kind("partial_stream_error", retryable=True)
ContentBlocked = _kind("content_blocked")
ContextTooLong = _kind("context_too_long")
OutputTruncated = _kind("output_truncated")


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
