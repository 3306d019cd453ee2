"""Maps failures of provider calls to errors of this service with readable messages."""

import math
import re
import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from typing import Any

import httpx2

from llm_service import errors
from llm_service.errors import LLMServiceError, as_service_error
from llm_service.providers.settings import Settings
from llm_service.providers.shared.text import as_dict, dicts_in
from llm_service.providers.shared.transport import NotAStreamError
from llm_service.providers.shared.usable_tools import is_too_long

QUOTA_SECONDS = 86_400.0  # retry_after of an exhausted quota; no retry waits that long
MAX_TEXT = 500  # maximum characters of the provider's text in an error message
MAX_READ = 16_000  # maximum characters to read of the text, because removing tags takes quadratic time
MASK = "***"

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
# Texts of errors that Anthropic and xAI report with the status and code of an ordinary bad request.
_SAID = {
    "quota": re.compile(
        r"credit balance is too low|reached your specified .{0,20}usage limits|used all available credits",
        re.IGNORECASE,
    ),
    "credentials": re.compile(r"incorrect api key", re.IGNORECASE),
}
_SAID_WITHIN = 300  # characters searched for the texts of _SAID, because a quoted prompt may follow
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_TAGS = re.compile(r"<(?:script|style).*?</(?:script|style)>|<[^>]+>", re.IGNORECASE | re.DOTALL)
_SDK = ("APIConnectionError", "APITimeoutError")
_UNREADABLE = frozenset({"JSONDecodeError", "UnicodeDecodeError", "UnknownApiResponseError", "ValidationError"})
_REQUEST_IDS = ("request-id", "x-request-id", "apim-request-id", "x-amzn-requestid", "cf-ray")
# Matches models that exist at Vertex AI. Vertex AI may answer 404 for them for some seconds.
_KNOWN_AT_VERTEX = re.compile(r"(?:^|[/.:])(?:claude|gemini)-")
_STATUS = re.compile(r"[45][0-9][0-9]")
_WORD = re.compile(r"[A-Za-z0-9_-]{1,60}")
_SECRETS = re.compile(
    r"\b(?:sk|xai|pk|rk|gsk|key|ghp|gho|tvly)[-_][A-Za-z0-9_*.-]{8,}"
    r"|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\bAKIA[A-Z0-9]{12,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_.-]{8,}"
    r"|(?<=[Bb]earer )[A-Za-z0-9_.~+/=-]{8,}"
)


class StreamedError(Exception):
    """A failure that a provider reported inside a stream; the argument is the error as received."""


@dataclass(frozen=True)
class ErrorDetails:
    """A provider's error: text, codes and the refused parameter. Status 0 = an error inside a stream."""

    status: int = 0
    text: str = ""
    words: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    retry_delay: str = ""
    param: str = ""


def read_error(body: Any, status: int = 0, headers: Mapping[str, str] | None = None, text: str = "") -> ErrorDetails:
    """Reads the JSON of an error in the forms of OpenAI, Anthropic, Google and gateways."""
    headers = {name.lower(): value for name, value in (headers or {}).items()}
    inner = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(inner, dict):
        return ErrorDetails(status, str(inner or text or ""), headers=headers)
    details = dicts_in(inner.get("details"))
    words = [*(detail.get("reason") for detail in details), *(inner.get(key) for key in ("code", "type", "status"))]
    code = str(inner.get("code"))
    if status == 0 and _STATUS.fullmatch(code):
        status = int(code)  # status of an error inside a stream; LiteLLM sends a string
    message = inner.get("message") or inner.get("msg") or inner.get("detail") or text or inner
    if raw := as_dict(inner.get("metadata")).get("raw"):
        message = f"{message}: {raw}"  # OpenRouter puts its provider's error here
    return ErrorDetails(
        status,
        str(message),
        tuple(word for word in words if isinstance(word, str) and word and not _STATUS.fullmatch(word)),
        headers,
        next((str(detail["retryDelay"]) for detail in details if detail.get("retryDelay")), ""),
        str(inner.get("param") or ""),
    )


def find_error_details(raised: BaseException) -> ErrorDetails | None:
    """Returns the provider's error from an exception or its causes; None if there is none."""
    for error in _chain_of(raised):
        if isinstance(error, StreamedError):
            return read_error(error.args[0])
        if isinstance(error, NotAStreamError):
            return read_error(error.body, headers=error.response.headers) if as_dict(error.body).get("error") else None
        # google-genai uses other attribute names than the other SDKs.
        status = getattr(error, "status_code", getattr(error, "code", None))
        body = getattr(error, "body", getattr(error, "details", None))
        if type(status) is int or body is not None:
            # For an error inside a stream, SDKs give the status of the stream (200).
            status = status if type(status) is int and status >= 300 else 0
            text = getattr(error, "message", None) or str(error)
            return read_error(body, status, getattr(getattr(error, "response", None), "headers", None), text)
    return None


def map_failure(raised: BaseException, details: ErrorDetails | None, settings: Settings) -> LLMServiceError:
    """Returns the error for an exception of a call. Unknown exceptions become InternalError without their text."""
    own = next((error for error in _chain_of(raised) if isinstance(error, LLMServiceError)), None)
    if own is not None or details is None:
        return own or _map_other(raised, settings)
    error = _map_details(details, settings)
    error.http_status = details.status
    error.request_id = next((details.headers[name][:200] for name in _REQUEST_IDS if details.headers.get(name)), "")
    return error


def _map_details(details: ErrorDetails, settings: Settings) -> LLMServiceError:
    name, status = settings.endpoint.name, details.status
    kinds = {_KIND_BY_WORD.get(word.lower()) for word in details.words}
    kinds |= {kind for kind, pattern in _SAID.items() if pattern.search(details.text[:_SAID_WITHIN])}
    text = shown(details.text, settings)
    its_words = f": {text}" if text else ""
    word = next((f", {word}" for word in details.words[:1] if status and _WORD.fullmatch(word)), "")
    what = f" (HTTP {status}{word}{its_words})" if status else its_words
    if 300 <= status < 400:
        target = shown(details.headers.get("location", ""), settings)
        return errors.InvalidRequest(f"{name} redirects to {target}; only base_url is called{what}")
    if "context" in kinds or is_too_long(status or 400, details.text):
        return errors.ContextTooLong(f"{name}: the conversation is longer than the model can read{its_words}")
    if "blocked" in kinds:
        return errors.ContentBlocked(f"{name}'s filters stopped the request{its_words}")
    if "credentials" in kinds or status in (401, 403):
        return _refused_credentials(settings, what if status else f" ({text})")
    if "quota" in kinds or status == 402:
        return errors.RateLimited(f"the quota at {name} is used up{its_words}", QUOTA_SECONDS)
    if status == 404:
        is_known = settings.endpoint.provider == "vertexai" and _KNOWN_AT_VERTEX.search(settings.family)
        not_found = errors.ModelNotFound if is_known else errors.InvalidRequest
        return not_found(f"{name} does not know the model or the address{what}; check model and base_url")
    if status == 429 or (not status and "rate" in kinds):
        return errors.RateLimited(f"the rate limit of {name} is reached{what}", _retry_after(details))
    if status in (408, 409, 425) or status >= 500 or (not status and "down" in kinds):
        return errors.ProviderUnavailable(f"{name} is unavailable{what}", _retry_after(details))
    if status >= 400 or (not status and "request" in kinds):
        return errors.InvalidRequest(f"{name} refused the request{what}")
    return errors.ProviderError(f"{name} sent an error within its answer{its_words}")


def _map_other(raised: BaseException, settings: Settings) -> LLMServiceError:
    name, chain = settings.endpoint.name, list(_chain_of(raised))
    for error in chain:
        if isinstance(error, NotAStreamError):
            what = "a web page" if "html" in error.content_type else "JSON"
            message = f"{name} answered with {what} instead of a stream of events; check the address"
            return errors.UnexpectedAnswer(message)
        if isinstance(error, ssl.SSLCertVerificationError):
            return errors.CertificateError(f"the certificate of {name} cannot be trusted: {error.verify_message}")
        if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
            return errors.InvalidRequest("llm_config.base_url cannot be called")
        if isinstance(error, httpx2.HTTPError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
            return errors.CertificateError(f"the certificate of {name} cannot be trusted")
        of = type(error).__module__
        if of.startswith(("google.auth", "botocore", "azure.")) and "Error" in type(error).__name__:
            return _refused_credentials(settings)
    for error in chain:
        if isinstance(error, httpx2.HTTPError) or type(error).__name__ in _SDK:
            cause = next((one for one in reversed(chain) if isinstance(one, httpx2.HTTPError)), error)
            return errors.TransportError(f"the connection to {name} failed ({type(cause).__name__})")
    if {cls.__name__ for cls in type(raised).__mro__} & _UNREADABLE:
        return errors.ProviderUnavailable(f"{name} sent an unreadable answer")
    return as_service_error(raised if isinstance(raised, Exception) else RuntimeError())


def _refused_credentials(settings: Settings, what: str = "") -> LLMServiceError:
    endpoint = settings.endpoint
    if not endpoint.key_variable:
        message = (
            f"{endpoint.name}{what} refused a call without credentials; api_key_env can name a variable with a key"
        )
        return errors.InvalidCredentials(message)
    message = f"{endpoint.name}{what} refused the credentials of the environment variable {endpoint.key_variable}"
    return errors.InvalidCredentials(message)


def shown(text: str, settings: Settings) -> str:
    """Returns a provider's text for an error: one line, shortened, without secrets; of a web page, the title."""
    text = text[:MAX_READ]
    if text.lstrip().startswith("<"):
        title = _TITLE.search(text)
        text = unescape(title[1] if title else _TAGS.sub(" ", text))
    endpoint = settings.endpoint
    text = mask_secrets(" ".join(text.split()), [endpoint.api_key, *endpoint.secrets])
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def mask_secrets(text: str, known: Iterable[str] = ()) -> str:
    """Replaces known and likely secrets, because providers quote a key that they refuse."""
    for secret in sorted(known, key=len, reverse=True):  # longest first: a secret may contain a shorter one
        if len(secret) >= 6:
            text = text.replace(secret, MASK)
    return _SECRETS.sub(MASK, text)


def parse_retry_after(value: str | None, now: datetime | None = None) -> float | None:
    """Parses a Retry-After header (number or HTTP date) or a duration such as "34.5s".

    Returns seconds; None if unreadable.
    """
    text = (value or "").strip()
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            return None
        seconds = (date.replace(tzinfo=date.tzinfo or UTC) - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _retry_after(details: ErrorDetails) -> float | None:
    milliseconds = parse_retry_after(details.headers.get("retry-after-ms"))
    seconds = parse_retry_after(details.headers.get("retry-after"))
    found = seconds if milliseconds is None else milliseconds / 1000
    return found if found is not None else parse_retry_after(details.retry_delay)


def _chain_of(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
