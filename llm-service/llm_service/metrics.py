"""Figures about provider calls, for Prometheus: by provider and model, with a bounded number of labels."""

import re
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from llm_service.proto.llm_service_pb2 import LLMConfig

PROVIDERS = frozenset({"google", "openai", "anthropic", "xai", "vertexai", "azure", "bedrock", "offline"})
OTHER = "other"  # label of what is not counted on its own
MAX_MODELS = 100  # models that get a label of their own; an installation uses a handful
COMMIT_DIGITS = 12  # as the server shortens it, so that the two can be compared
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,79}")
_SECONDS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600)
_BY = ("provider", "model")


class Metrics:
    """The figures of one process."""

    def __init__(self, commit: str = "") -> None:
        """Begin at nothing; `commit` is what this process was built of, empty when it is not known."""
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
        """Count a call that begins."""
        self._running.inc()

    def ended(
        self, to: LLMConfig, outcome: str, code: str | None, seconds: float, first: float | None, tokens: dict[str, int]
    ) -> None:
        """Count a call that ended: "finished", "failed" with a code, or "cancelled"; tokens by their kind."""
        labels = (to.provider if to.provider in PROVIDERS else OTHER, self._model_label(to.model))
        self._running.dec()
        self._calls.labels(*labels, outcome).inc()
        if code is not None:
            self._errors.labels(*labels, code).inc()
        self._seconds.labels(*labels).observe(seconds)
        if first is not None:
            self._first_seconds.labels(*labels).observe(first)
        for kind, count in tokens.items():
            self._tokens.labels(*labels, kind).inc(max(0, count))

    def _model_label(self, model: str) -> str:
        if model not in self._models and (len(self._models) >= MAX_MODELS or not _MODEL.fullmatch(model)):
            return OTHER
        self._models.add(model)
        return model


class MetricsServer:
    """Serves /metrics over HTTP, in a thread of its own."""

    def __init__(self, metrics: Metrics, host: str, port: int) -> None:
        """Listen at once, on any free port for 0; OSError when it cannot."""
        self._server, self._thread = start_http_server(port, addr=host, registry=metrics.registry)
        self.port: int = self._server.server_port

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
