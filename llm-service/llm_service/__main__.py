"""Command line of the service: reads options and environment, configures logging, then serves."""

import os

# Silences gRPC's own log, which is not JSON. gRPC's failures still raise exceptions. Must be set before gRPC is
# imported.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import argparse
import asyncio
import logging
import sys
from collections.abc import Mapping, MutableMapping, Sequence

from llm_service import DEFAULT_PORT
from llm_service.logs import LEVELS, configure_logging
from llm_service.metrics import Metrics
from llm_service.providers.registry import build_registry
from llm_service.server import serve


def main(argv: Sequence[str], env: Mapping[str, str]) -> int:
    """Runs the service and returns the exit status; 2 means that an option or an environment variable is invalid."""
    parser = argparse.ArgumentParser(prog="llm_service", description="The LLM service of TARSy.")
    parser.add_argument("--host", default=env.get("GRPC_HOST") or "127.0.0.1", help="GRPC_HOST; default %(default)s")
    parser.add_argument(
        "--port",
        type=_port,
        default=env.get("GRPC_PORT") or DEFAULT_PORT,
        help="GRPC_PORT; 0 = any free port, printed on stdout; default %(default)s",
    )
    parser.add_argument(
        "--metrics-port",
        type=_port,
        default=env.get("METRICS_PORT") or None,
        help="METRICS_PORT; serve /metrics over HTTP there (0 = any free port, printed on stdout); default: not served",
    )
    parser.add_argument(
        "--stop-seconds",
        type=_seconds,
        default=5.0,
        help="how long running streams may continue after SIGTERM; default %(default)s",
    )
    parser.add_argument("--exit-on-stdin-eof", action="store_true", help="stop when stdin ends (the parent died)")
    parser.add_argument("--log-level", type=_level, default=env.get("LOG_LEVEL") or "info", help="LOG_LEVEL")
    options = vars(parser.parse_args(argv))
    configure_logging(options.pop("log_level"))
    try:
        registry = build_registry(env)
    except ValueError as error:
        parser.error(str(error))
    return asyncio.run(serve(registry, Metrics(env.get("TARSY_COMMIT", "")), **options))


def reach_loopback_directly(env: MutableMapping[str, str]) -> None:
    """Exempts this machine from the proxy of the environment, because the proxy cannot reach a local model."""
    given = env.get("no_proxy") or env.get("NO_PROXY") or ""
    env["no_proxy"] = ",".join(filter(None, (given, "localhost", "127.0.0.1", "::1")))


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError("expected a port from 0 to 65535")
    return port


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 <= seconds <= 3600:
        raise argparse.ArgumentTypeError("expected a number of seconds from 0 to 3600")
    return seconds


def _level(text: str) -> str:
    if text.lower() not in LEVELS:
        raise argparse.ArgumentTypeError(f"LOG_LEVEL must be one of {', '.join(sorted(LEVELS))}, not {text!r}")
    return text.lower()


if __name__ == "__main__":
    reach_loopback_directly(os.environ)
    status = main(sys.argv[1:], os.environ)
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    # Skips the interpreter's shutdown, which frees the SDKs' objects one by one and takes seconds.
    os._exit(status)
