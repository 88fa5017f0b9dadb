"""The script of the first picture of a result: `first_picture.py` with the values of the result."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import numpy as np

from mbplugin.decoder.colours import culprit_colours, default_colours
from mbplugin.decoder.drawn import Drawn
from mbplugin.errors import StoreError, listed
from mbplugin.export.choice import has_drawings
from mbplugin.export.series import collection_of
from mbplugin.results import Array, RawResult
from mbplugin.results.index import INDEX
from mbplugin.results.without_forces import refuse_without_forces
from mbplugin.viz import camera
from mbplugin.viz.culprits import culprits
from mbplugin.viz.forces import usual_force
from mbplugin.viz.motion import Motion
from mbplugin.viz.movie import usual_frame

#: what ParaView loads
READER = Path(__file__).with_name("mbplugin_reader.py")
PICTURE = Path(__file__).with_name("first_picture.py")
#: lines around the values of a result
HEAD, TAIL = "# ---- this result ----\n", "# ---- its picture ----\n"
#: width over height of the picture that the camera is chosen for
ASPECT = 16 / 9
#: an arrow of the usual force has this part of the size of the scene
LENGTH = 1 / 6
#: most colours of a table; longest text in the picture
TABLE, WIDE = 200, 110


def script_of(raw: RawResult, forces: bool = False) -> str:
    """The text of a script for ParaView that shows a result at the middle of its time.

    forces: whether arrows of the forces are shown at once

    Raises StoreError if no frame can be read, SceneError if there are no forces to show.
    """
    if forces:
        refuse_without_forces(raw)
    points, normal = extent(raw)
    low, high = points.min(axis=0), points.max(axis=0)
    corners = np.array(list(itertools.product(*zip(low, high))))  # of the axes
    view = camera.fit(corners, raw.gravity, ASPECT, normal=normal)
    size = float((high - low).max())
    folder, drawn = raw.path.parent.resolve(), Drawn(raw.static())
    values = {
        "READER": str(READER),
        "RESULT": str(folder / INDEX),
        "NAME": folder.name or "result",
        "TIME": float(raw.time[usual_frame(raw)]),
        "CAMERA": view.position.tolist(),
        "FOCUS": view.focus.tolist(),
        "UP": view.up.tolist(),
        "HALF": [float(view.half * ASPECT), float(view.half)],
        "EXTENT": np.stack([low, high], axis=1).ravel().tolist(),
        "ARROW": arrow(raw, size),
        "CONTACTS_STORED": "contacts" in raw.lists,
        "FORCES": forces,
        "COLOURS": colours(drawn, culprit_colours(raw.static(), drawn.bare)),
        "PALE": bool(np.isnan(drawn.given_color[drawn.endless]).all()),
        "DRAWINGS": drawings(raw, folder),
        "STOPPED": stopped(raw),
    }
    before, _, rest = PICTURE.read_text(encoding="utf-8").partition(HEAD)
    given = "".join(f"{name} = {value!r}\n" for name, value in values.items())
    return before + HEAD + given + TAIL + rest.partition(TAIL)[2]


def colours(drawn: Drawn, bare: Array) -> list[list[float]]:
    """Red, green and blue from 0 to 1 of each `color_index` of the reader; none if there are too many. bare:
    (n, 3) those given of bodies without a shape, or NaN
    """
    of_bare = np.where(np.isnan(bare), default_colours(drawn.bare), np.round(255.0 * np.nan_to_num(bare)))
    palette = np.unique(np.concatenate([drawn.colours(), of_bare]), axis=0)
    return (palette / 255.0).round(6).tolist() if len(palette) <= TABLE else []


def stopped(raw: RawResult) -> str:
    """Text in a picture of last steps: what the error began with, and who had a part in it."""
    if "stopped" not in raw.attributes:
        return ""
    text = shortened(str(raw.attributes["stopped"]))
    marked = [name for group in ("forces", "bodies", "joints") for name in culprits(raw, group)]
    return f"{text}\nred: {listed(marked, 8)}" if marked else text


def drawings(raw: RawResult, folder: Path) -> dict[str, str]:
    """Name -> file of the series of each drawing of the scene, if there is one."""
    if not has_drawings(raw):
        return {}
    tables = tomllib.loads(str(raw.attributes["scene"])).get("drawing", [])
    files = {table["name"]: folder / f"{collection_of(table['name'])}.pvd" for table in tables}
    return {name: str(file) for name, file in files.items() if file.exists()}


def shortened(text: str) -> str:
    """The first line, not longer than a picture is wide."""
    line = text.partition("\n")[0]
    return line if len(line) <= WIDE else line[: WIDE - 4] + " ..."


def extent(raw: RawResult) -> tuple[Array, Array | None]:
    """(n, 3) sampled points over the whole run [m], and the normal of a motion that is seen straight. Raises
    StoreError.
    """
    if raw.frames == 0:
        raise StoreError(f"{raw.path}: has no frame yet")
    motion = Motion(raw, raw.static())
    points = motion.points
    if not np.ptp(points, axis=0).any():  # a single point is seen in a cube of 1 m
        points = points[:1] + list(itertools.product((-0.5, 0.5), repeat=3))
    return points, motion.normal


def arrow(raw: RawResult, size: float) -> float:
    """Length of an arrow over its force [m/N], 1, 2 or 5 times a power of ten; 0 without forces. size: of the
    scene [m]
    """
    usual = usual_force(raw)
    if usual <= 0.0:
        return 0.0
    wanted = LENGTH * size / usual
    power = 10.0 ** np.floor(np.log10(wanted))
    return float(f"{power * min((1, 2, 5, 10), key=lambda digit: abs(np.log(digit * power / wanted))):.6g}")
