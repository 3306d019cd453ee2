"""Container health check: exits with 0 if the service on this machine reports SERVING."""

import os
import sys
from typing import Any

os.environ.setdefault("GRPC_VERBOSITY", "NONE")

from collections.abc import Mapping

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from llm_service import DEFAULT_PORT

TIMEOUT_SECONDS = 3.0


def main(env: Mapping[str, str]) -> int:
    """Returns the exit status: 0 if the service at GRPC_PORT reports SERVING within 3 seconds, otherwise 1."""
    address = f"127.0.0.1:{env.get('GRPC_PORT') or DEFAULT_PORT}"
    with grpc.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)  # Any, because the published types lack the stub's methods
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=TIMEOUT_SECONDS)
        except grpc.RpcError:
            return 1
    return 0 if answer.status == health_pb2.HealthCheckResponse.SERVING else 1


if __name__ == "__main__":
    sys.exit(main(os.environ))
