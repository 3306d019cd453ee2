"""Errors of the service.

Codes are part of the contract with the engine. Messages are for operators and never contain a key.
docs/reference/llm-errors.md, "Errors", says when each one occurs.

    LLMServiceError
    |-- permanent: the same request fails again
    |   |-- InvalidRequest          invalid_request
    |   |-- ModelNotFound           invalid_request, after retries: a provider that loses models for seconds
    |   |-- BackendNotAvailable     backend_not_available
    |   |-- MissingCredentials      missing_credentials
    |   |-- InvalidCredentials      invalid_credentials
    |   |-- CertificateError        certificate
    |   |-- UnexpectedAnswer        unexpected_answer
    |   |-- ContentBlocked          content_blocked
    |   |-- ContextTooLong          context_too_long
    |   |-- OutputTruncated         output_truncated
    |   `-- InternalError           internal
    `-- retryable: the same request may succeed later
        |-- ServiceStopping         service_stopping
        |-- ProviderError           provider_error
        |-- RetriesExhausted        max_retries
        |-- InitialTimeout          initial_timeout
        |-- StallTimeout            stall_timeout
        |-- PartialStreamError      partial_stream_error
        `-- transient: the service itself retries within seconds
            |-- TransportError      transport
            |-- RateLimited         rate_limited
            |-- ProviderUnavailable provider_unavailable
            |-- EmptyResponse       empty_response
            `-- MalformedToolCall   malformed_tool_call
"""

from typing import ClassVar, Self

from llm_service.proto.llm_service_pb2 import ErrorInfo


class LLMServiceError(Exception):
    """Base class: an error with a stable code.

    `retryable`: the engine may succeed with the same request later. `transient`: the service itself retries the
    request.
    """

    code: ClassVar[str]
    retryable: ClassVar[bool]
    transient: ClassVar[bool]
    http_status = 0  # status of the provider's response; 0 if there was none
    request_id = ""  # the provider's id of the request; "" if it sent none

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after  # seconds to wait before a retry; None if unknown

    def caused_by(self, error: "LLMServiceError") -> Self:
        """Copies HTTP status, request id and retry delay from the original error; returns this error."""
        self.http_status, self.request_id, self.retry_after = error.http_status, error.request_id, error.retry_after
        return self


def _kind(code: str, *, retryable: bool | None = None, transient: bool = False) -> type[LLMServiceError]:
    members = {"code": code, "retryable": transient if retryable is None else retryable, "transient": transient}
    return type(code, (LLMServiceError,), members)


InvalidRequest = _kind("invalid_request")
BackendNotAvailable = _kind("backend_not_available")
ServiceStopping = _kind("service_stopping", retryable=True)
ModelNotFound = _kind("invalid_request", retryable=False, transient=True)
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
    """Maps an exception of a backend to an error of the service.

    The text of an unknown exception is left out because it may contain a prompt.
    """
    if isinstance(error, LLMServiceError):
        return error
    if isinstance(error, TimeoutError):
        return StallTimeout("the provider did not answer in time")
    if isinstance(error, ConnectionError):
        return TransportError(f"the connection to the provider failed ({type(error).__name__})")
    return InternalError(f"the LLM service failed ({type(error).__name__}); see its log")


def error_info(error: LLMServiceError) -> ErrorInfo:
    """Converts an error to the protobuf message that the engine receives."""
    return ErrorInfo(
        # A message may quote a name from the request, and protobuf refuses lone surrogates.
        message=str(error).encode("utf-8", "replace").decode("utf-8"),
        code=error.code,
        retryable=error.retryable,
        http_status=error.http_status,
        request_id=error.request_id,
        retry_after_seconds=error.retry_after or 0,
    )
