"""What `--help` says is what is written: no word is taken for markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from rich.text import Text
from snapshots import same_report

from mbplugin.cli.app import app
from mbplugin.cli.commands import OwnCommand


def helps(command: Any, name: str) -> Iterator[tuple[str, str]]:
    """(place, text) of the help of a command, its options, and the commands below it."""
    command = command.loaded() if isinstance(command, OwnCommand) else command
    yield name, command.help or ""
    for parameter in command.params:
        yield f"{name} {parameter.opts[0]}", getattr(parameter, "help", None) or ""
    for below, one in getattr(command, "commands", {}).items():
        yield from helps(one, f"{name} {below}")


def test_the_help_of_every_command(capsys):
    """Words and order; how they are framed is the terminal's."""
    lines = [f"{place}: {text}" for place, text in helps(typer.main.get_command(app), "mbplugin")]
    same_report("help", "\n".join(lines))


def test_brackets_in_help_are_printed():
    texts = dict(helps(typer.main.get_command(app), "mbplugin"))
    assert "[s]" in Text.from_markup(texts["mbplugin run --end"]).plain
    lost = {
        place for place, text in texts.items() if Text.from_markup(text).plain != text.replace("\\[", "[")
    }
    assert not lost
