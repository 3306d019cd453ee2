"""Models that were built, so that connections are reused."""

from __future__ import annotations

import asyncio
import importlib
from collections import OrderedDict
from typing import TYPE_CHECKING

from llm_service.providers.langchain.settings import Api

if TYPE_CHECKING:
    from llm_service.providers.langchain.model import Model
    from llm_service.providers.langchain.settings import ModelSettings

MAX_MODELS = 64
"""Far above the number of models that a configuration names; the bound is for callers that make names up."""

_BUILDERS = {
    Api.OPENAI_CHAT: "openai",
    Api.OPENAI_RESPONSES: "openai",
    Api.XAI: "xai",
    Api.ANTHROPIC: "anthropic",
    Api.ANTHROPIC_VERTEX: "anthropic",
    Api.GOOGLE: "google",
    Api.GOOGLE_VERTEX: "google",
}
_PACKAGE = "llm_service.providers.langchain.models"


def build_model(settings: ModelSettings) -> Model:
    """Import the provider's SDK and what else a call needs, if that was not done yet, and build the model."""
    for name in ("conversation", "failures"):
        importlib.import_module(f"llm_service.providers.langchain.{name}")
    module = importlib.import_module(f"{_PACKAGE}.{_BUILDERS[settings.api]}")
    model: Model = module.build(settings)
    return model


class ModelCache:
    """Models by their settings; the one that was not used for longest goes first."""

    def __init__(self, max_models: int = MAX_MODELS) -> None:
        self._max_models = max_models
        self._models: OrderedDict[ModelSettings, asyncio.Task[Model]] = OrderedDict()
        self._evicted: set[asyncio.Task[None]] = set()
        self._users: dict[ModelSettings, int] = {}

    async def acquire(self, settings: ModelSettings) -> Model:
        """Give the model, built on first use. Every acquire needs a release.

        Raises:
            CredentialsError: the model's credentials cannot be used.
        """
        self._users[settings] = self._users.get(settings, 0) + 1
        task = self._models.get(settings)
        if task is None:
            # In a thread, because importing an SDK takes seconds, which no other stream should wait for.
            task = asyncio.create_task(asyncio.to_thread(build_model, settings))
            self._models[settings] = task
        self._models.move_to_end(settings)
        try:
            # One caller that goes away must not end the building for the others.
            model = await asyncio.shield(task)
        except BaseException:
            if task.done() and self._models.get(settings) is task:
                del self._models[settings]
            self.release(settings)
            raise
        self._evict()
        return model

    def release(self, settings: ModelSettings) -> None:
        """End a use of the model."""
        self._users[settings] -= 1
        if self._users[settings] == 0:
            del self._users[settings]
            self._evict()

    def __len__(self) -> int:
        """Count the models."""
        return len(self._models)

    async def close(self) -> None:
        """Close all models."""
        tasks = list(self._models.values())
        self._models.clear()
        for task in tasks:
            await _close(task)
        await asyncio.gather(*self._evicted)

    def _evict(self) -> None:
        """Close what is over the bound, except models that are in use."""
        idle = [settings for settings in self._models if settings not in self._users]
        for settings in idle[: max(0, len(self._models) - self._max_models)]:
            closing = asyncio.create_task(_close(self._models.pop(settings)))
            self._evicted.add(closing)
            closing.add_done_callback(self._evicted.discard)


async def _close(task: asyncio.Task[Model]) -> None:
    try:
        model = await task
    except Exception:  # noqa: BLE001 -- it was never built, and those who asked for it know why
        return
    await model.close()
