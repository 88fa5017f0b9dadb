"""`mbplugin linearize`."""

from __future__ import annotations

import io
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Disabled, Json, Scene, Strict
from mbplugin.cli.streams import print_answer
from mbplugin.errors import SceneError, listed, writing
from mbplugin.results.files import replace_file
from mbplugin.viz.plot import KINDS

if TYPE_CHECKING:
    from mbplugin.run.linearize import Linearization

#: suffix -> content of the file
FILES = {".json": "JSON", ".npz": "arrays of numpy", ".mat": "MATLAB"}


def linearize_scene(
    scene: Scene,
    outputs: Annotated[
        list[str],
        typer.Option("--output", "-y", help="a quantity as `plot` takes it; default the joint coordinates"),
    ] = NONE,
    inputs: Annotated[
        list[str], typer.Option("--input", "-u", help="an `input` of the scene; default all")
    ] = NONE,
    about: Annotated[
        str,
        typer.Option(
            help="start (position at t = 0), static (equilibrium searched from there) or motion (of a run)"
        ),
    ] = "start",
    time: Annotated[float, typer.Option(help="--about motion: time of the run \\[s]")] = 0.0,
    side: Annotated[
        str | None,
        typer.Option(help="model of rows that are closed without load: closed (the default) or open"),
    ] = None,
    out: Annotated[str | None, typer.Option("-o", "--out", help="a .json, .npz or .mat file")] = None,
    bode: Annotated[
        str | None, typer.Option(help="a .png, .svg or .pdf file of the frequency responses")
    ] = None,
    changes: Changes = NONE,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.run.linearize import linearize
    from mbplugin.viz.bode_plot import plot_bode

    path = Path(out) if out is not None else None
    if path is not None and path.suffix not in FILES:
        raise SceneError("--out", out, f"must end in {listed(FILES)}")
    if bode is not None and Path(bode).suffix.lower() not in KINDS:
        raise SceneError("--bode", bode, f"must end in {', '.join(KINDS)}")
    system = read(scene, changes)
    registry, _ = loaded(no_plugin, strict)
    found = linearize(system, registry, outputs or None, inputs or None, about, side, time)
    if path is not None:
        write(found, path)
    if bode is not None:
        frequency = found.frequencies()
        plot_bode(frequency, found.responses(frequency), bode)
    file = [f"file     {one}" for one in (path, bode) if one is not None]
    print_answer(json, found.as_dict, lambda: "\n".join([*lines(found), *file]))


def lines(found: Linearization) -> list[str]:
    """The report for people."""
    from mbplugin.analysis.report import table

    of = lambda names: ", ".join(f"{name} [{found.units.get(name) or '1'}]" for name in names) or "none"
    rows = []
    for s in found.poles:
        if s.imag >= 0.0:
            size = abs(s)
            damping = -s.real / size if size else 0.0
            rows.append((f"{s.real:.6g}", f"{s.imag:.6g}", float(size / (2 * np.pi)), float(damping)))
    return [
        f"states   {of(found.states)}",
        f"inputs   {of(found.inputs)}",
        f"outputs  {of(found.outputs)}",
        *table(["pole: real [1/s]", "imaginary", "natural [Hz]", "damping ratio"], rows),
        *found.messages,
    ]


def write(found: Linearization, path: Path) -> None:
    """A file of the model, by its suffix. Raises StoreError."""
    document = found.as_dict()
    buffer = io.BytesIO()
    arrays: dict[str, Any] = {name: getattr(found, name) for name in "ABCD"}
    names = {name: np.array(document[name], dtype=object) for name in ("states", "inputs", "outputs")}
    if path.suffix == ".json":
        buffer.write(dumps(document, indent=1).encode())
    elif path.suffix == ".npz":
        texts: dict[str, Any] = {name: value.astype(str) for name, value in names.items()}
        np.savez(buffer, **(arrays | texts))
    else:
        from scipy.io import savemat

        savemat(buffer, arrays | names)
    with writing(path):
        replace_file(path, buffer.getvalue(), path.with_name(f".{path.name}.part"))
