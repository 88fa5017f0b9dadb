"""Every example of the pages runs: interactive ones print what the page says, scenes start, scripts end,
commands succeed.

A block that cannot run here has a line `<!-- not run: why -->` above it.
"""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from child import ROOT
from small_systems import FREE_BODY

import mbplugin as mb
from mbplugin.cli.app import app
from mbplugin.cli.commands import OwnCommand
from mbplugin.viz import gl

PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/solvers").glob("*.md")),
    *sorted((ROOT / "scenes").glob("*/README.md")),
]
#: pages whose blocks are pieces of something that is tested elsewhere as a whole
PIECES = {
    "docs/writing-a-plugin.md": (
        "pieces of the distribution that `mbplugin new --plugin` writes, "
        "which tests/testing makes, checks and breaks"
    )
}
#: pages whose commands the default run tries: quick ones, which together use most commands and options
QUICK = (
    *("README.md", "docs/analyses.md", "docs/runs.md", "docs/sweeps.md"),
    *(
        f"scenes/{scene}/README.md"
        for scene in (
            "breathing_block",
            "double_pendulum_modes",
            "double_wishbone",
            "freewheel",
            "heavy_on_light",
            "pin_release",
            "piston_crank_kinematics",
        )
    ),
)
#: scripts that take seconds
LONG = ("docs/pyvista.md",)
COMMANDS = typer.main.get_command(app)
#: languages whose blocks are lines for a shell
SHELL = ("", "sh", "bash", "shell", "console")


class Block(NamedTuple):
    language: str
    text: str
    why_not: str


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, *languages: str) -> list[Block]:
    """Fenced blocks of these languages, with the reason given for not running them."""
    pattern = r"(?:<!-- not run: (?P<why>.+?) -->\n+)?^```(?P<language>[\w{}-]*)\n(?P<text>.*?)^```$"
    whole = PIECES.get(name(page), "")
    found = [
        Block(m["language"], m["text"], m["why"] or whole)
        for m in re.finditer(pattern, page.read_text(), flags=re.S | re.M)
    ]
    return [b for b in found if b.language in languages]


def pages_with(*languages: str) -> list[Path]:
    return [page for page in PAGES if any(not b.why_not for b in blocks(page, *languages))]


def commands(page: Path) -> list[list[str]]:
    """The words of each `mbplugin` command in a block that is to be run."""
    lines = [
        line.removeprefix("$ ") for b in blocks(page, *SHELL) if not b.why_not for line in b.text.splitlines()
    ]
    parts = [shlex.split(part) for line in lines for part in line.split("&&")]
    return [names[1:] for names in parts if names[:1] == ["mbplugin"] and not verified(names[1:])]


def verified(names: list[str]) -> bool:
    """Whether tests/scenes/test_truth.py runs this command: `verify` of a bundled scene alone."""
    return names[:1] == ["verify"] and len(names) == 2 and names[1].startswith("scenes/")


def mentions(page: Path) -> list[list[str]]:
    """The words of commands within sentences, and in blocks that are not run."""
    text = page.read_text()
    found = re.findall(r"`mbplugin ([^`\n]+)`", text)
    found += [
        part.removeprefix("mbplugin ")
        for b in blocks(page, *SHELL)
        if b.why_not
        for part in re.split(r"&&|\n", b.text)
        if part.strip().startswith("mbplugin ")
    ]
    return [shlex.split(names.strip()) for names in found]


def cases(pages: list[Path], slow: Collection[str]) -> list[Any]:
    """The pages for `parametrize`, and which of them are slow."""
    return [
        pytest.param(page, marks=pytest.mark.slow if name(page) in slow else (), id=name(page))
        for page in pages
    ]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder to work in, with the scenes."""
    (tmp_path / "scenes").symlink_to(ROOT / "scenes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", [page for page in PAGES if ">>>" in page.read_text()], ids=name)
def test_the_examples_of_a_page(page, monkeypatch):
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testfile(
        str(page), module_relative=False, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    )
    assert tried > 0 and failed == 0


def scripts(page: Path) -> list[str]:
    """Python to be run as it stands; what has prompts is an example with its output."""
    return [b.text for b in blocks(page, "python") if not b.why_not and ">>>" not in b.text]


@pytest.mark.parametrize("page", cases([page for page in PAGES if scripts(page)], slow=LONG))
def test_the_scripts_of_a_page_run(page, desk):
    """One after the other, in one namespace, as a reader would type them."""
    names = {}
    for text in scripts(page):
        exec(compile(text, name(page), "exec"), names)
    assert len(names) > 1, "no script of the page defined anything"


@pytest.mark.parametrize("page", pages_with("toml"), ids=name)
def test_the_scenes_of_a_page_run(page):
    """A block without a body is a piece of a scene: it gets a free body."""
    for block in blocks(page, "toml"):
        if not block.why_not:
            text = block.text if "[[body]]" in block.text else FREE_BODY + block.text
            sim = mb.System.from_text(text).simulate()
            sim.step(0.01)
            assert sim.time == pytest.approx(0.01)


WITH_COMMANDS = [page for page in PAGES if commands(page)]


@pytest.mark.parametrize("page", cases(WITH_COMMANDS, slow={name(page) for page in WITH_COMMANDS} - {*QUICK}))
def test_the_commands_of_a_page_succeed(page, desk):
    for names in commands(page):
        if names[0] == "render" and not gl.can_draw():
            continue
        try:
            app(names, prog_name="mbplugin", standalone_mode=False)
        except SystemExit as end:
            assert not end.code, " ".join(names)


def check_mentions(page: Path) -> None:
    """Every command that a page mentions or has in a block is there, with its options."""
    for names in [*mentions(page), *commands(page)]:
        command = COMMANDS
        while names and names[0] in getattr(command, "commands", ()):
            command, names = command.commands[names[0]], names[1:]
            command = command.loaded() if isinstance(command, OwnCommand) else command
        assert not (hasattr(command, "commands") and names and names[0][0] != "-"), (
            f"{name(page)}: there is no command {names[0]}"
        )
        options = {"--help"} | {option for parameter in command.params for option in parameter.opts}
        assert {word.split("=")[0] for word in names if word[0] == "-"} <= options, (
            f"{name(page)}: {command.name} {names}"
        )


def test_the_commands_that_pages_mention_exist():
    for page in PAGES:
        check_mentions(page)


def test_every_link_of_a_page_leads_somewhere():
    for page in PAGES:
        links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
        gone = [link for link in links if "://" not in link and not (page.parent / link).exists()]
        assert gone == [], name(page)


def test_the_pages_that_are_quick_or_long_are_there():
    assert {*QUICK} <= {name(page) for page in WITH_COMMANDS}
    assert {*LONG} <= {name(page) for page in PAGES if scripts(page)}


def test_a_block_is_found_with_the_reason_for_not_running_it(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    not_run = "<!-- not run: it takes all night -->\n```\nmbplugin run scenes\n```\n\n"
    page.write_text(not_run + "```\npip list && mbplugin check it\n```\nand `mbplugin nonsense`\n")
    monkeypatch.setattr("test_examples.ROOT", tmp_path)
    assert [b.why_not for b in blocks(page, *SHELL)] == ["it takes all night", ""]
    assert commands(page) == [["check", "it"]]
    assert mentions(page) == [["nonsense"], ["run", "scenes"]]
    with pytest.raises(AssertionError, match="nonsense"):
        check_mentions(page)


def test_the_scene_of_the_readme_falls():
    (scene,) = blocks(ROOT / "README.md", "toml")
    sim = mb.System.from_text(scene.text).simulate()
    sim.step(0.1)
    assert sim["rod"].velocity[2] < -0.1


def test_the_script_of_the_readme_prints_what_it_asks_for(desk, capsys):
    (script,) = blocks(ROOT / "README.md", "python")
    exec(compile(script.text, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("[") >= 2
