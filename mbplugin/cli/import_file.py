"""`mbplugin import`."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.cli.options import NONE, Disabled, Strict
from mbplugin.errors import printable

#: the plugin of ours that offers importers; the others, which load for half a second, are left out
IMPORTERS = "mbplugin_import"


def import_file(
    file: Annotated[str, typer.Argument(help="a file of another program: .urdf, .xml (URDF, MJCF)")],
    out: Annotated[str, typer.Option("-o", "--out", help="the scene folder to write; new or empty")],
    keys: Annotated[
        list[str],
        typer.Option("--set", help="set a key of the importer: floating=true, packages.NAME=FOLDER"),
    ] = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.hooks.load import OURS, find_plugins
    from mbplugin.imports.one_scene import import_scene

    others = [plugin.name for plugin in find_plugins() if plugin.distribution == OURS]
    registry, _ = loaded([*no_plugin, *(name for name in others if name != IMPORTERS)], strict)
    system = import_scene(Path(file), Path(out), registry, keys_and_values(keys, "floating=true"))
    counts = (
        (len(system.bodies), "bodies"),
        (len(system.joints), "joints"),
        (len(system.forces), "forces"),
        (len(system.inputs), "inputs"),
    )
    print(
        printable(f"{out}/scene.toml: {', '.join(f'{number} {what}' for number, what in counts if number)}")
    )
    if system.solver.raw.get("coordinates") == "joint":
        print('its states are those of its joints; solver.coordinates = "maximal": those of its bodies')
    for line in system.scene.left_out:
        print(printable(f"left out: {line}"))
    print(printable(f"try: mbplugin run {shlex.quote(out)}"))
