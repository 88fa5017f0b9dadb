"""`mbplugin import`."""

from __future__ import annotations

import shlex
from pathlib import Path

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.errors import printable
from mbplugin.hooks.load import OURS, find_plugins
from mbplugin.imports.one_scene import import_scene

#: the plugin of ours that offers importers; the others, which load for half a second, are left out
IMPORTERS = "mbplugin_import"


def import_file(file: str, out: str, keys: list[str], no_plugin: list[str], strict: bool) -> None:
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
    for line in system.scene.left_out:
        print(printable(f"left out: {line}"))
    print(printable(f"try: mbplugin run {shlex.quote(out)}"))
