"""Each lock must list every required package, because the installer installs only listed packages."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SERVICE = Path(__file__).parents[1]
PROJECT = tomllib.loads((SERVICE / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize(
    ("lock", "extras"),
    [("requirements.lock", []), ("requirements-all.lock", ["azure", "bedrock"]), ("requirements-dev.lock", ["dev"])],
)
def test_the_lock_lists_every_required_package(lock: str, extras: list[str]) -> None:
    pins = dict(re.findall(r"^(\S+)==(\S+)", (SERVICE / lock).read_text(), re.MULTILINE))
    wanted = PROJECT["dependencies"] + [line for extra in extras for line in PROJECT["optional-dependencies"][extra]]
    unmet = [
        str(need)
        for need in needs(wanted)
        if not (pin := pins.get(canonicalize_name(need.name))) or not need.specifier.contains(pin, prereleases=True)
    ]
    assert unmet == []


def needs(lines: Iterable[str], extra: str = "") -> Iterator[Requirement]:
    """Yields the requirements that apply here, each followed by the requirements of the package that it names."""
    for need in map(Requirement, lines):
        if need.marker and not need.marker.evaluate({"extra": extra}):
            continue
        yield need
        for asked in ["", *need.extras]:
            yield from needs(requires(need.name) or [], asked)
