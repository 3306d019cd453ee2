"""Logging: one JSON object per line on stderr. stdout carries only the line that announces the ports."""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TextIO

# Log levels by name, with the names that the engine uses, so that one LOG_LEVEL works for both processes.
LEVELS = {
    **dict.fromkeys(("trace", "debug"), logging.DEBUG),
    "info": logging.INFO,
    **dict.fromkeys(("warn", "warning"), logging.WARNING),
    "error": logging.ERROR,
    "fatal": logging.CRITICAL,
    "silent": logging.CRITICAL + 10,
}

_OWN_LOGGER = "llm_service"
_OWN_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonFormatter(logging.Formatter):
    """Formats a record as JSON.

    Exceptions and messages of libraries are logged by type and location only, because their texts may quote a prompt.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Returns the record as one line of JSON."""
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        if record.name.partition(".")[0] == _OWN_LOGGER:
            entry["msg"] = record.getMessage()
        else:
            entry["msg"] = "message of a library, not shown"
            entry["logged_at"] = f"{record.pathname}:{record.lineno} {record.funcName}"
        entry.update({key: value for key, value in vars(record).items() if key not in _OWN_FIELDS})
        if record.exc_info and record.exc_info[0] is not None:
            entry["error_type"] = record.exc_info[0].__name__
            frames = traceback.extract_tb(record.exc_info[2])[-12:]
            entry["error_at"] = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
        return json.dumps(entry, default=str, ensure_ascii=True)


def configure_logging(level: str, stream: TextIO | None = None) -> None:
    """Sends all logs to `stream` (default: stderr). Libraries log only warnings and errors."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    # The SDKs' debug lines are never logged, because they contain whole requests with prompts.
    root.setLevel(max(logging.WARNING, LEVELS[level]))
    logging.getLogger(_OWN_LOGGER).setLevel(LEVELS[level])
    logging.captureWarnings(True)
