"""The group of all commands. Modules of this package are imported when their command or its help is called,
those of the engine in the functions of commands, so that help is fast. Plugins are loaded only for a name
that the engine does not have, and for that help where others than ours are installed.
"""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

#: an option whose value may be left out: `--forces`, `--forces contacts`, `--forces joints,drives`
OPTION, ALL = "--forces", "all"
CHOICES = (ALL, "joints", "drives", "contacts")


class WithForces(TyperCommand):
    """A command with that option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, with_value(args))


def with_value(args: list[str]) -> list[str]:
    """Words of a command line in which the option has its value; the next word is one if it names choices."""
    words = list(args)
    for k, word in reversed(list(enumerate(words))):
        if word == OPTION:
            after = words[k + 1] if k + 1 < len(words) else ""
            is_value = all(part in CHOICES for part in after.split(","))
            words[k : k + 1 + is_value] = [f"{OPTION}={after if is_value else ALL}"]
    return words


#: command -> module and function (or group) of this package, and its help
OWN = {
    "run": ("run:run_scene", "Simulate a scene; writes result.zarr, a ParaView series and messages.txt."),
    "check": (
        "check:check_scene",
        "Assemble a scene; print degrees of freedom, constraint rows, rank, and redundant rows with causes.",
    ),
    "explain": (
        "explain:explain_scene",
        "Write the equations of a small model: a page with numbers, and a numpy script that solves them.",
    ),
    "analyze": (
        "analyze:analyze_scene",
        "Analyse a scene without time integration: assembly, initial state, kinematics, inverse dynamics, "
        "equilibrium, modes, redundancy.",
    ),
    "info": ("info:info_result", "List the content of a result and check its integrity."),
    "render": (
        "render:render_result",
        "Render a result as a picture, as a movie, as a page that a browser turns, or in a window.",
    ),
    "plot": ("render:plot_result", "Plot stored quantities against time, or against another quantity."),
    "report": (
        "report:report_result",
        "Write an HTML page about a result: picture, energies, drift, redundancy, reactions, contacts, "
        "plots.",
    ),
    "paraview": (
        "paraview:show_in_paraview",
        "Show a result in ParaView, by a reader plugin that opens the store itself: no series is needed.",
    ),
    "export": ("export:export_result", "Export a result as a table, or its moving bodies, to one file."),
    "loads": (
        "loads:loads_of_result",
        "List the loads of a body at chosen instants; writes them as CSV or as Abaqus or Nastran cards.",
    ),
    "import": (
        "import_file:import_file",
        "Make a scene of a robot described for another program; lists what it leaves out.",
    ),
    "sweep": (
        "sweep:sweep_scene",
        "Run a scene at many points of its parameters; writes sweep.nc, sweep.csv and a picture.",
    ),
    "linearize": (
        "linearize:linearize_scene",
        "Linear model dz/dt = A z + B u, y = C z + D u about an equilibrium; its poles, and a file of it.",
    ),
    "plugins": (
        "plugins:app",
        "List plugins with version, distribution, state and offers; show a kind; check a plugin.",
    ),
    "schema": (
        "plugins:print_schema",
        "Print the JSON Schema of a scene, including the keys of all loaded plugins.",
    ),
    "new": ("new:new", "Create a small scene to start from, or with --plugin a small plugin."),
    "verify": ("verify:verify_scenes", "Run scenes and compare the results with their truth.py."),
}


class OwnCommand(TyperCommand):
    """A command of ours, whose module is not imported yet."""

    def loaded(self) -> Any:
        """The command with its options."""
        place, text = OWN[str(self.name)]
        module, _, function = place.partition(":")
        found = getattr(importlib.import_module(f"mbplugin.cli.{module}"), function)
        if not isinstance(found, typer.Typer):
            function, found = found, typer.Typer(add_completion=False, pretty_exceptions_enable=False)
            found.command(self.name, help=text, cls=WithForces if self.name == "render" else None)(function)
        return typer.main.get_command(found)

    def make_context(self, *words: Any, **options: Any) -> Any:
        return self.loaded().make_context(*words, **options)


class Commands(TyperGroup):
    """The commands of ours, and behind them those of plugins."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands.update({name: OwnCommand(name, help=text) for name, (_, text) in OWN.items()})

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
