"""The process: listens, says where, tells its health, and stops in order."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import select
import signal
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from llm_service.metrics import Metrics, MetricsServer
from llm_service.proto.llm_service_pb2_grpc import add_LLMServiceServicer_to_server
from llm_service.servicer import SERVICE_NAME, Servicer

if TYPE_CHECKING:
    from collections.abc import Callable

    from llm_service.providers.registry import ProviderRegistry

logger = logging.getLogger("llm_service.server")

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""A conversation is sent whole, so it may hold many tool results of up to 1 MiB each."""

MIN_PING_INTERVAL_MS = 10_000
"""Callers may ping this often; gRPC's own limit of 5 minutes would hang up on ordinary keep-alives."""

OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", MIN_PING_INTERVAL_MS),
    # Without this two services could share a port and each would get half of the calls.
    ("grpc.so_reuseport", 0),
]

_HEALTH_NAMES = ("", SERVICE_NAME)
_SERVING = health_pb2.HealthCheckResponse.SERVING
_NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


@dataclass(frozen=True)
class Settings:
    """How the process runs; a port 0 lets the system choose, and is told on stdout, metrics_port None serves none.

    Running streams may go on for `stop_seconds` after a stop was asked for. With `exit_on_stdin_eof` it stops when
    stdin ends, as it does when the parent dies, however it dies. `commit` is what this was built of, for the metrics.
    """

    host: str
    port: int
    stop_seconds: float
    exit_on_stdin_eof: bool
    metrics_port: int | None = None
    commit: str = ""


class LLMServer:
    """A listening service. start() makes it ready, stop() ends it."""

    def __init__(self, registry: ProviderRegistry, host: str, port: int, metrics: Metrics | None = None) -> None:
        self._registry = registry
        self._stopping = False
        self._server = aio.server(options=OPTIONS)
        self._health = health.aio.HealthServicer()
        self._servicer = Servicer(registry, metrics if metrics is not None else Metrics())
        add_LLMServiceServicer_to_server(self._servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.port = self._server.add_insecure_port(address)
        """The port that is listened on; a RuntimeError from here means that it could not be had."""

    async def start(self) -> None:
        """Accept calls; health turns SERVING last."""
        for name in _HEALTH_NAMES:
            await self._health.set(name, _NOT_SERVING)
        await self._server.start()
        for name in _HEALTH_NAMES:
            await self._health.set(name, _SERVING)

    async def stop(self, limit_seconds: float) -> None:
        """Take no more calls, let running streams end within the limit, then cut what is left."""
        if self._stopping:
            return
        self._stopping = True
        await self._health.enter_graceful_shutdown()
        await self._servicer.drain(limit_seconds)
        # Not given the limit: it would wait for health watches, which never end. And called only once:
        # a second stop while the first one runs uses the server after it was freed (grpcio 1.85).
        await self._server.stop(None)
        await self._registry.close()


async def serve(registry: ProviderRegistry, settings: Settings) -> int:
    """Run until a signal or the end of stdin; return the exit status."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def request_stop(reason: str) -> None:
        if not stop.is_set():
            logger.info("stopping", extra={"reason": reason})
            stop.set()

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, request_stop, name.name)
    metrics = Metrics(settings.commit)
    try:
        server = LLMServer(registry, settings.host, settings.port, metrics)
        exporter = None
        if settings.metrics_port is not None:
            exporter = MetricsServer(metrics, settings.host, settings.metrics_port)
    except (RuntimeError, OSError):
        where = {"host": settings.host, "port": settings.port, "metrics_port": settings.metrics_port}
        logger.error("cannot listen there: not an address of this machine, or the port is taken", extra=where)  # noqa: TRY400
        return 1
    await server.start()
    if settings.exit_on_stdin_eof:
        _watch_stdin(lambda: loop.call_soon_threadsafe(request_stop, "stdin ended"))
    logger.info("ready", extra={"port": server.port, "backends": registry.names()})
    _announce(server.port, None if exporter is None else exporter.port)
    await stop.wait()
    await server.stop(settings.stop_seconds)
    if exporter is not None:
        await asyncio.to_thread(exporter.close)
    logger.info("stopped")
    return 0


def _announce(port: int, metrics_port: int | None) -> None:
    said: dict[str, object] = {"event": "listening", "port": port}
    if metrics_port is not None:
        said["metrics_port"] = metrics_port
    sys.stdout.write(json.dumps(said, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _watch_stdin(ended: Callable[[], object]) -> None:
    """Call ended() once stdin has no writer any more. What is written there is thrown away."""

    def watch() -> None:
        # A broken or closed stdin has ended too.
        with contextlib.suppress(OSError, ValueError):
            while True:
                # select first: a parent may hand over a non-blocking pipe.
                select.select([0], [], [])
                if not os.read(0, 4096):
                    break
        # A closed loop means that the process is ending already.
        with contextlib.suppress(RuntimeError):
            ended()

    threading.Thread(target=watch, name="stdin-watch", daemon=True).start()
