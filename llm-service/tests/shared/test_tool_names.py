"""Tool names are converted to the provider's form and back."""

from __future__ import annotations

import random
import re

import pytest

from llm_service.providers.shared.tool_names import ToolNames

VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


@pytest.mark.parametrize(
    ("canonical", "provider"),
    [("kubernetes-server.resources_get", "kubernetes-server__resources_get"), ("a.b.c", "a__b__c"), ("tool", "tool")],
)
def test_ordinary_names_are_readable(canonical: str, provider: str) -> None:
    names = ToolNames([canonical])
    assert names.to_provider(canonical) == provider
    assert names.from_provider(provider) == canonical


HOSTILE = """a.b a__b a._b a_.b a___b a..b a.__b a____b .a a. . __ _ a.b_x0123456789ab a__b_x0123456789ab
9a.b -a.b a:b a/b a\\b ä.b 工具.查 x.{} x.x\u2028y"""


def test_names_that_look_alike_do_not_collide() -> None:
    canonical = [*HOSTILE.split(" "), "", " ", "a b", "x" * 64, "x" * 65, "x" * 66, "x" * 40 + "." + "y" * 40]
    check_all(canonical)


@pytest.mark.parametrize("seed", range(20))
def test_any_set_of_names_is_converted_and_restored(seed: int) -> None:
    rand = random.Random(seed)
    alphabet = "ab._-" if seed % 2 else "aZ9._-:/ é工\ud800\n"
    canonical = ["".join(rand.choices(alphabet, k=rand.randint(0, 90))) for _ in range(400)]
    canonical += ["".join(rand.choices("a._", k=rand.randint(1, 6))) for _ in range(400)]
    check_all(canonical)


def check_all(canonical: list[str]) -> None:
    names = ToolNames(canonical)
    provider = {name: names.to_provider(name) for name in canonical}
    assert all(VALID.fullmatch(name[:64]) and len(name) <= 64 for name in provider.values())
    assert len(set(provider.values())) == len(set(canonical))
    assert all(names.from_provider(provider[name]) == name for name in canonical)
    # A tool's name does not depend on the other tools.
    other = ToolNames(reversed(canonical))
    assert {name: other.to_provider(name) for name in canonical} == provider


def test_digests_that_collide_are_made_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    class Digest:
        def __init__(self, data: bytes) -> None:
            self._last = str(len(data) % 10)

        def hexdigest(self) -> str:
            return "0" * 20 + self._last * 44

    monkeypatch.setattr("hashlib.sha256", Digest)
    canonical = ["a!", "a!!", "a!!!"]
    names = ToolNames(canonical)
    assert len({names.to_provider(name) for name in canonical}) == 3
    assert all(names.from_provider(names.to_provider(name)) == name for name in canonical)


def test_names_from_the_history_are_stable() -> None:
    names = ToolNames(["a.b"])
    gone = names.to_provider("gone.tool with spaces")
    assert VALID.fullmatch(gone)
    assert names.to_provider("gone.tool with spaces") == gone
    assert ToolNames([]).to_provider("gone.tool with spaces") == gone


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("default_api:a__b", "a.b"),
        ("a.b", "a.b"),
        ("default_api:a.b", "a.b"),
        ("x__y", "x.y"),
        ("nothing", "nothing"),
        ("", ""),
        (":", ":"),
    ],
)
def test_variants_of_names_written_by_models_are_recognised(said: str, meant: str) -> None:
    assert ToolNames(["a.b"]).from_provider(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "plain__look<|channel|>commentary",
        "functions.plain__look",
        "default_api.plain__look",
        "look",
        "Plain__look",
        "plain__look()",
        "tools.plain__look",
        # Decorations that models add to the names of offered tools.
        "plain__look<｜tool▁sep｜>",
        "functions.plain__look:0",
        "mcp__plain__look",
        "functions.look:3",
        "PLAIN.LOOK",
        " plain__look \n",
        '"plain__look"',
        "plain_look",
        "plain-look",
        "tools.functions.plain__look()",
    ],
)
def test_decorations_of_a_name_are_passed_over(said: str) -> None:
    names = ToolNames(["plain.look", "other.find"])
    names.to_provider("gone.look")  # a tool that only the history calls
    assert names.from_provider(said) == "plain.look"


@pytest.mark.parametrize(
    ("tools", "said"),
    [
        (["prod.delete"], "staging.delete"),  # a tool with this name exists only on another server
        (["prod.delete"], "staging__delete"),
        (["prod.delete"], "staging:delete"),
        (["x.b.c"], "b.c"),
        (["a.look", "b.look"], "look"),  # several tools fit, so the name means none
        (["a.b-c", "a.b_c"], "A__B_C"),
        (["plain.look"], "looks"),
        (["plain.look"], "functions."),
        (["plain.look"], "<|channel|>"),
    ],
)
def test_a_name_that_means_none_or_several_tools_is_none(tools: list[str], said: str) -> None:
    names = ToolNames(tools)
    assert names.find_offered(said) is None
    assert names.from_provider(said) not in tools
