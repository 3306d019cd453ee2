"""What went wrong with a call, as an error of this service, in words that people can use."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from html import unescape
from typing import TYPE_CHECKING, Any

import httpx2

from llm_service.errors import (
    CertificateError,
    ContentBlocked,
    ContextTooLong,
    InvalidRequest,
    LLMServiceError,
    ProviderError,
    ProviderUnavailable,
    RateLimited,
    TransportError,
    UnexpectedAnswer,
    as_service_error,
)
from llm_service.providers.shared.credentials import refused_credentials
from llm_service.providers.shared.http_status import error_for_status, parse_retry_after
from llm_service.providers.shared.masking import masked
from llm_service.providers.shared.refusals import is_too_long
from llm_service.providers.shared.transport import NotAStreamError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from llm_service.providers.settings import Settings

QUOTA_SECONDS = 86_400.0
"""Stands for "not soon": a quota that is used up is not there again within the time of a retry."""
MAX_TEXT = 500
"""Characters of the provider's own text that are passed on."""

_KINDS = {
    "context": "context_length_exceeded exceed_context_size_error request_too_large string_above_max_length",
    "blocked": "content_filter content_policy_violation responsibleaipolicyviolation invalid_prompt",
    "credentials": "invalid_api_key api_key_invalid api_key_expired authentication_error permission_error",
    "quota": "insufficient_quota billing_error insufficient_balance",
    "rate": "rate_limit_exceeded rate_limit_error rate_limit_reached_error throttlingexception",
    "down": (
        "server_error api_error internal_error overloaded_error service_unavailable vector_store_timeout "
        "engine_overloaded_error timeout_error internalserverexception modelstreamerrorexception "
        "serviceunavailableexception modeltimeoutexception"
    ),
    "request": "invalid_request_error not_found_error model_not_found validationexception",
}
_KIND_BY_WORD = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"<(?:script|style).*?</(?:script|style)>|<[^>]+>", re.IGNORECASE | re.DOTALL)
_SIZE = re.compile(r"\s+")
_SDK = ("APIConnectionError", "APITimeoutError")
_UNREADABLE = frozenset({"JSONDecodeError", "UnicodeDecodeError", "UnknownApiResponseError", "ValidationError"})
_REQUEST_IDS = ("request-id", "x-request-id", "apim-request-id", "x-amzn-requestid", "cf-ray")


class StreamedError(Exception):
    """A provider told of a failure in the middle of a stream.

    Attributes:
        body: the error as it came.
    """

    def __init__(self, body: Any) -> None:
        super().__init__("the provider told of a failure")
        self.body = body


@dataclass(frozen=True)
class Said:
    """What a provider says in an error.

    Attributes:
        status: the HTTP status; 0 when the error came in the middle of a stream.
        text: its own words.
        words: machine-readable reasons, the most telling first.
        headers: of the answer.
        retry_delay: a wait that the body asks for.
        param: the parameter that it complains of.
    """

    status: int = 0
    text: str = ""
    words: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_delay: str = ""
    param: str = ""


def said_in(body: Any, status: int = 0, headers: Mapping[str, str] | None = None, text: str = "") -> Said:
    """Read an error's JSON: OpenAI's and Anthropic's form, Google's, and whatever gateways make of them."""
    inner = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(inner, dict):
        return Said(status, str(inner or text or ""), headers=headers or {})
    details = [detail for detail in inner.get("details") or [] if isinstance(detail, dict)]
    words = [detail.get("reason") for detail in details]
    words += [inner.get(key) for key in ("code", "type", "status")]
    code = inner.get("code")
    if status == 0 and type(code) is int and code >= 400:
        status = code
    said = inner.get("message") or inner.get("msg") or inner.get("detail") or text or inner
    upstream = inner.get("metadata")
    if isinstance(upstream, dict) and upstream.get("raw"):
        said = f"{said}: {upstream['raw']}"  # OpenRouter: what its provider said
    delays = [detail.get("retryDelay") for detail in details]
    return Said(
        status,
        str(said),
        tuple(word for word in words if isinstance(word, str) and word),
        headers or {},
        next((str(delay) for delay in delays if delay), ""),
        str(inner.get("param") or ""),
    )


def find_said(raised: BaseException, read: Callable[[BaseException], Said | None]) -> Said | None:
    """Find what the provider said in an exception or what it came from."""
    for error in chain_of(raised):
        if isinstance(error, StreamedError):
            return said_in(error.body)
        if isinstance(error, NotAStreamError):
            tells = isinstance(error.body, dict) and error.body.get("error")
            return said_in(error.body, headers=error.response.headers) if tells else None
        said = read(error)
        if said is not None:
            return said
    return None


def map_failure(raised: BaseException, said: Said | None, settings: Settings) -> LLMServiceError:
    """Choose the error for what a call raised. What is not known here is masked as an internal error."""
    own = next((error for error in chain_of(raised) if isinstance(error, LLMServiceError)), None)
    if own is not None:
        return own
    if said is None:
        return _map_other(raised, settings)
    error = _map_said(said, settings)
    error.http_status = said.status
    headers = {name.lower(): value for name, value in said.headers.items()}
    error.request_id = next((headers[name][:200] for name in _REQUEST_IDS if headers.get(name)), "")
    return error


def _map_said(said: Said, settings: Settings) -> LLMServiceError:
    endpoint = settings.endpoint
    name = endpoint.name
    kinds = {_KIND_BY_WORD.get(word.lower()) for word in said.words}
    text = shown(said.text, settings)
    its_words = f": {text}" if text else ""
    if "context" in kinds or is_too_long(said.status or 400, said.text):
        return ContextTooLong(f"{name}: the conversation is longer than the model can read{its_words}")
    if "blocked" in kinds:
        return ContentBlocked(f"{name}'s filters stopped the request{its_words}")
    if "credentials" in kinds:
        return refused_credentials(endpoint.key_variable, f"{name} (HTTP {said.status or '?'}{its_words})")
    if "quota" in kinds or said.status == 402:
        return RateLimited(f"the quota at {name} is used up{its_words}", QUOTA_SECONDS)
    retry_after = _retry_after(said)
    if said.status >= 400:
        word = said.words[0] if said.words else ""
        return error_for_status(
            said.status,
            provider=name,
            key_variable=endpoint.key_variable,
            retry_after=retry_after,
            word=word,
            text=text,
        )
    if "rate" in kinds:
        return RateLimited(f"{name} limits the rate of calls{its_words}", retry_after)
    if "down" in kinds:
        return ProviderUnavailable(f"{name} is not able to answer now{its_words}", retry_after)
    if "request" in kinds:
        return InvalidRequest(f"{name} refused the request{its_words}")
    return ProviderError(f"{name} sent an error in the middle of its answer{its_words}")


def _map_other(raised: BaseException, settings: Settings) -> LLMServiceError:
    """Map what is no answer of the provider."""
    name = settings.endpoint.name
    chain = list(chain_of(raised))
    for error in chain:
        if isinstance(error, NotAStreamError):
            what = "a web page" if "html" in error.content_type else "JSON"
            return UnexpectedAnswer(f"{name} answered with {what} instead of a stream of events; is the address right?")
        if isinstance(error, ssl.SSLCertVerificationError):
            return CertificateError(f"the certificate of {name} cannot be trusted: {error.verify_message}")
        if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
            return InvalidRequest("llm_config.base_url cannot be called")
    if any("CERTIFICATE_VERIFY_FAILED" in str(error) for error in chain if isinstance(error, httpx2.HTTPError)):
        return CertificateError(f"the certificate of {name} cannot be trusted")
    if _is_google_auth(chain):
        return refused_credentials(settings.endpoint.key_variable, name)
    for error in chain:
        if isinstance(error, httpx2.HTTPError) or type(error).__name__ in _SDK:
            cause = next((one for one in reversed(chain) if isinstance(one, httpx2.HTTPError)), error)
            return TransportError(f"the connection to {name} failed ({type(cause).__name__})")
    classes = {cls.__name__ for cls in type(raised).__mro__}
    if classes & _UNREADABLE:
        return ProviderUnavailable(f"{name} sent something that cannot be read")
    return as_service_error(raised if isinstance(raised, Exception) else RuntimeError())


def shown(text: str, settings: Settings) -> str:
    """The provider's own text for people: of a web page its title, one line, bounded, without secrets."""
    if text.lstrip().startswith("<"):
        title = _TITLE.search(text)
        text = unescape(title[1] if title else _TAGS.sub(" ", text))
    text = _SIZE.sub(" ", text[: 8 * MAX_TEXT]).strip()
    endpoint = settings.endpoint
    text = masked(text, [endpoint.api_key, *(value for _, value in endpoint.headers)])
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def chain_of(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _is_google_auth(chain: list[BaseException]) -> bool:
    return any(
        type(error).__module__.startswith(("google.auth", "botocore", "azure.")) and "Error" in type(error).__name__
        for error in chain
    )


def _retry_after(said: Said) -> float | None:
    milliseconds = parse_retry_after(said.headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    seconds = parse_retry_after(said.headers.get("retry-after"))
    return seconds if seconds is not None else parse_retry_after(said.retry_delay)
