"""`mbplugin plugins`, `mbplugin schema`."""

from __future__ import annotations

from json import dumps
from typing import Annotated

import typer

from mbplugin.cli.common import loaded
from mbplugin.cli.options import NONE, Disabled, Json, Strict
from mbplugin.cli.streams import print_answer, print_document

app = typer.Typer(
    invoke_without_command=True,
    help="List plugins with version, distribution, state and offers; show a kind; check a plugin.",
)


@app.callback()
def list_plugins(
    context: typer.Context, json: Json = False, strict: Strict = False, no_plugin: Disabled = NONE
) -> None:
    """List plugins with version, distribution, state and offers."""
    if context.invoked_subcommand is not None:
        return
    _, found = loaded(no_plugin, strict)
    if json:
        keys = ("name", "version", "distribution", "value", "state", "problem", "offers")
        print_document([{key: getattr(f, key) for key in keys} for f in found])
        return
    for f in found:
        print(f"{f.name}  {f.version}  ({f.distribution})  {f.state}")
        for category, names in f.offers.items():
            print(f"    {category}: {', '.join(names)}")
        if f.problem:
            print(f"    {f.problem}")


@app.command("show")
def show_kind(
    name: Annotated[
        str,
        typer.Argument(
            help="name of a joint, force, measure, body kind, solver, method or enforcement, such as revolute"
        ),
    ],
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Describe a kind: its basic constraints, coordinates, free directions and keys."""
    from mbplugin.hooks.describe import description, lines_of, offers_of

    registry, _ = loaded(no_plugin, strict)
    found = [description(category, offer) for category, offer in offers_of(registry, name)]
    print_answer(json, lambda: found, lambda: "\n".join(line for each in found for line in lines_of(each)))


@app.command("check")
def check_one(
    name: Annotated[str, typer.Argument(help="name of the plugin, as `mbplugin plugins` lists it")],
) -> None:
    import sys

    from mbplugin.testing import check_plugin

    report = check_plugin(name)
    print(report)
    if not report.ok:
        sys.exit(1)


def print_schema() -> None:
    from mbplugin.hooks.schema import scene_schema

    registry, _ = loaded([], False)
    print(dumps(scene_schema(registry), indent=2))
