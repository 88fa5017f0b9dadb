"""Commands that plugins offer. Plugins are loaded only for a name that the engine does not have, and for
`mbplugin --help` where others than ours are installed.
"""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperCommand, TyperGroup


class Commands(TyperGroup):
    """The commands of the engine, and behind them those of plugins."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None or cmd_name.startswith("-"):
            return own
        return plugin_command(cmd_name)

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *names()]


def names() -> list[str]:
    """The commands of plugins, sorted; nothing is loaded where no plugin but ours is installed."""
    from importlib.metadata import entry_points

    # not `hooks.load`, which imports numpy and pydantic: --help took 0.8 s instead of 0.3 s
    if all(
        entry.dist is not None and entry.dist.name == "mbplugin" for entry in entry_points(group="mbplugin")
    ):
        return []
    from mbplugin.cli.common import loaded

    return loaded([], False)[0].names("command")


def plugin_command(name: str) -> Any:
    """The command of a plugin; None if no plugin offers it. Raises PluginError where two do."""
    from mbplugin.cli.common import loaded

    registry, _ = loaded([], False)
    if name not in registry.offers["command"]:
        return None
    kind = registry.find("command", name)

    text = inspect.getdoc(kind) or ""
    command = PluginCommand(
        name,
        help=text,
        short_help=text.partition("\n")[0],
        add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    command.kind, command.registry = kind, registry
    return command


class PluginCommand(TyperCommand):
    """Gives all words behind its name to the command of a plugin."""

    kind: Any
    registry: Any

    def invoke(self, ctx: Any) -> None:
        """Raises what the command raises, unknown exceptions as PluginError."""
        from mbplugin.hooks.blame import errors_of_plugins

        with errors_of_plugins(self.registry):
            self.kind.run(list(ctx.args))
