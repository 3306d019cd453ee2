"""The health check of the container images."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL, create_subprocess_exec
from pathlib import Path
from typing import TYPE_CHECKING

from tests.test_server import finish, port_of, process

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parent.parent


async def check(env: Mapping[str, str]) -> int:
    started = await create_subprocess_exec(
        sys.executable, "-m", "llm_service.check_health", cwd=ROOT, env={**os.environ, **env}, stdout=DEVNULL
    )
    return await asyncio.wait_for(started.wait(), 20)


async def test_it_is_healthy_while_the_service_serves() -> None:
    async with process() as started:
        port = str(await port_of(started))
        assert await check({"GRPC_PORT": port}) == 0
        started.terminate()
        await finish(started)
        assert await check({"GRPC_PORT": port}) == 1
