"""The server process: listens, announces its port, reports health, and stops in order."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from llm_service.metrics import Metrics, MetricsServer
from llm_service.proto.llm_service_pb2_grpc import add_LLMServiceServicer_to_server
from llm_service.providers.registry import ProviderRegistry
from llm_service.servicer import SERVICE_NAME, Servicer

logger = logging.getLogger("llm_service.server")

MAX_MESSAGE_BYTES = 64 * 1024 * 1024  # a request holds the whole conversation, with tool results of up to 1 MiB each
MIN_PING_INTERVAL_MS = 10_000  # gRPC's default of 5 minutes would close connections with ordinary keep-alives
OPTIONS: list[tuple[str, int]] = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", MIN_PING_INTERVAL_MS),
    # Otherwise two services could share a port, and each would receive half of the calls.
    ("grpc.so_reuseport", 0),
]


class LLMServer:
    """The gRPC server of the service, with health reports."""

    def __init__(self, registry: ProviderRegistry, host: str, port: int, metrics: Metrics | None = None) -> None:
        self._registry = registry
        self._stopping = False
        self._server = aio.server(options=OPTIONS)
        self._health = health.aio.HealthServicer()
        self._servicer = Servicer(registry, metrics if metrics is not None else Metrics())
        add_LLMServiceServicer_to_server(self._servicer, self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self.port = self._server.add_insecure_port(address)  # RuntimeError if the address is not available

    async def start(self) -> None:
        """Accepts calls and reports SERVING."""
        await self._health.set(SERVICE_NAME, health_pb2.HealthCheckResponse.SERVING)
        await self._server.start()

    async def stop(self, limit_seconds: float) -> None:
        """Refuses new calls, lets running streams end within the limit (s), then cancels the rest."""
        if self._stopping:
            return
        self._stopping = True
        await self._health.enter_graceful_shutdown()
        await self._servicer.drain(limit_seconds)
        # Without a grace period, because stop would wait for health watches, which never end.
        # Called once, because a second stop during the first one uses a freed server (grpcio 1.85).
        await self._server.stop(None)
        await self._registry.close()


async def serve(
    registry: ProviderRegistry,
    metrics: Metrics,
    *,
    host: str,
    port: int,
    metrics_port: int | None,
    stop_seconds: float,
    exit_on_stdin_eof: bool,
) -> int:
    """Serves until a signal arrives or, with `exit_on_stdin_eof`, stdin ends. Returns the exit status.

    __main__ documents the options.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def request_stop(reason: str) -> None:
        if not stop.is_set():
            logger.info("stopping", extra={"reason": reason})
            stop.set()

    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, request_stop, name.name)
    try:
        server = LLMServer(registry, host, port, metrics)
        exporter = None if metrics_port is None else MetricsServer(metrics, host, metrics_port)
    except (RuntimeError, OSError):
        where = {"host": host, "port": port, "metrics_port": metrics_port}
        logger.error("cannot listen: the address is not of this machine, or the port is taken", extra=where)  # noqa: TRY400
        return 1
    await server.start()
    if exit_on_stdin_eof:
        ended = partial(loop.call_soon_threadsafe, request_stop, "stdin ended")
        threading.Thread(target=_watch_stdin, args=(ended,), daemon=True).start()
    logger.info("ready", extra={"port": server.port, "backends": registry.names()})
    announcement = {"event": "listening", "port": server.port} | (
        {} if exporter is None else {"metrics_port": exporter.port}
    )
    sys.stdout.write(json.dumps(announcement, separators=(",", ":")) + "\n")
    sys.stdout.flush()
    await stop.wait()
    await server.stop(stop_seconds)
    if exporter is not None:
        await asyncio.to_thread(exporter.close)
    logger.info("stopped")
    return 0


def _watch_stdin(ended: Callable[[], object]) -> None:
    """Discards input from stdin, and calls ended() when the last writer has closed stdin."""
    with contextlib.suppress(OSError):  # stdin is closed
        os.set_blocking(0, True)  # the parent may pass a non-blocking pipe
        while os.read(0, 4096):
            pass
    ended()
