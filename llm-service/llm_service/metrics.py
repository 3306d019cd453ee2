"""Prometheus metrics of provider calls, by provider and model, with a bounded number of label values."""

import re
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from llm_service.proto.llm_service_pb2 import LLMConfig

PROVIDERS = frozenset({"google", "openai", "anthropic", "xai", "vertexai", "azure", "bedrock", "offline"})
OTHER = "other"  # label for unknown providers, and for models without their own label
MAX_MODELS = 100  # maximum number of models that get their own label
COMMIT_DIGITS = 12  # as many digits as the engine's metric tarsy_build_info shows, so that both commits can be compared
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,79}")
_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600)
_BY = ("provider", "model")


@dataclass(frozen=True)
class CallResult:
    """The measurements of one call."""

    code: str | None  # error code; None unless the call failed
    seconds: float
    first_seconds: float | None  # from the call's start to its first response; None if there was none
    tokens: dict[str, int]  # number of tokens by kind, such as "input"


class Metrics:
    """The metrics of one process."""

    def __init__(self, commit: str = "") -> None:
        """Creates the metrics at zero; `commit` is the commit that the process was built from, "" if unknown."""
        self.registry = CollectorRegistry()
        self._models: set[str] = set()
        to: dict[str, Any] = {"registry": self.registry}
        build = Gauge("tarsy_llm_service_build_info", "Commit of this process; always 1.", ("commit",), **to)
        build.labels(commit[:COMMIT_DIGITS]).set(1)
        self._calls = Counter("tarsy_llm_service_calls", "Calls that ended.", (*_BY, "outcome"), **to)
        self._errors = Counter("tarsy_llm_service_errors", "Calls that failed.", (*_BY, "code"), **to)
        self._tokens = Counter("tarsy_llm_service_tokens", "Tokens.", (*_BY, "kind"), **to)
        self._running = Gauge("tarsy_llm_service_calls_running", "Calls that are running.", **to)
        timed: dict[str, Any] = {"labelnames": _BY, "buckets": _SECONDS, **to}
        self._seconds = Histogram("tarsy_llm_service_call_seconds", "Length of calls.", **timed)
        first = "From the start of a call to its first delta."
        self._first_seconds = Histogram("tarsy_llm_service_first_response_seconds", first, **timed)

    def started(self) -> None:
        """Counts a call that starts."""
        self._running.inc()

    def ended(self, to: LLMConfig, outcome: str, result: CallResult) -> None:
        """Counts a call that ended; `outcome` is "finished", "failed" or "cancelled"."""
        labels = (to.provider if to.provider in PROVIDERS else OTHER, self._model_label(to.model))
        self._running.dec()
        self._calls.labels(*labels, outcome).inc()
        if result.code is not None:
            self._errors.labels(*labels, result.code).inc()
        self._seconds.labels(*labels).observe(result.seconds)
        if result.first_seconds is not None:
            self._first_seconds.labels(*labels).observe(result.first_seconds)
        for kind, count in result.tokens.items():
            self._tokens.labels(*labels, kind).inc(max(0, count))

    def _model_label(self, model: str) -> str:
        if model not in self._models and (len(self._models) >= MAX_MODELS or not _MODEL.fullmatch(model)):
            return OTHER
        self._models.add(model)
        return model


class MetricsServer:
    """Serves /metrics over HTTP in its own thread."""

    def __init__(self, metrics: Metrics, host: str, port: int) -> None:
        """Starts to listen; port 0 picks a free port. Raises OSError if the port is not available."""
        self._server, self._thread = start_http_server(port, addr=host, registry=metrics.registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
