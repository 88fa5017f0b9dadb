"""`mbplugin import`."""

from __future__ import annotations

import shlex
from pathlib import Path

from mbplugin.cli.common import keys_and_values, loaded
from mbplugin.errors import printable
from mbplugin.imports.one_scene import import_scene


def import_file(file: str, out: str, keys: list[str], disabled: list[str], strict: bool) -> None:
    registry, _ = loaded(disabled, strict)
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
