"""One frame as an HTML page that a browser turns; it loads nothing else, so that it works offline and as a
mail.

The scene goes to vtk.js by the serializers and the viewer of trame-vtk, without its server.
"""

from __future__ import annotations

import html
import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mbplugin.errors import SceneError, optional_library
from mbplugin.viz.stage import Stage
from mbplugin.viz.swarm import Swarm

LABEL = '<div style="position: absolute; left: 1em; top: 0.6em; font: 1.3em sans-serif">{}</div>\n</body>'


@dataclass(frozen=True)
class View:
    """A page as text; a notebook shows it, and the mouse turns it."""

    page: str
    size: tuple[int, int]  # width and height in pixels

    def _repr_html_(self) -> str:
        width, height = self.size
        return (
            f'<iframe srcdoc="{html.escape(self.page)}" '
            f'style="width: {width}px; max-width: 100%; height: {height}px; border: 0"></iframe>'
        )

    def save(self, file: str | Path) -> Path:
        """Write it; returns the path."""
        Path(file).write_text(self.page, encoding="utf-8")
        return Path(file)

    def __repr__(self) -> str:
        return f"View: page of {len(self.page)} bytes; a notebook shows it, save(file) writes it"


def write_page(stage: Stage, file: Path) -> None:
    """Write what the stage shows. Raises SceneError with names, MissingLibraryError without trame-vtk."""
    if stage.options.names:
        raise SceneError("names", True, "a page shows no names; write a picture (.png)")
    optional_library("trame_vtk", "a view as a page", extra="notebook")
    from trame_vtk.tools.vtksz2html import write_html

    if isinstance(stage.bodies.shapes, Swarm):
        stage.bodies.shapes.as_one_mesh()
    packed, page = io.BytesIO(), io.StringIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.json", json.dumps(scene_of(stage)))
    write_html(packed.getvalue(), page)
    # the viewer shows no text of its own
    file.write_text(page.getvalue().replace("</body>", LABEL.format(stage.label)), encoding="utf-8")


def scene_of(stage: Stage) -> dict[str, Any]:
    """State and arrays of the render window, in the form that the viewer reads."""
    from trame_vtk.modules.vtk import serializers as to

    to.initialize_serializers()
    context = to.SynchronizationContext()
    context.set_ignore_last_dependencies(True)  # everything, not what has changed
    window = stage.plotter.render_window
    stage.plotter.render()
    state = to.serialize(None, window, to.reference_id(window), context, 1)
    camera = stage.plotter.camera
    state["extra"] = {
        "vtkRefId": to.reference_id(window),
        "centerOfRotation": camera.GetFocalPoint(),
        "camera": to.reference_id(camera),
    }
    arrays = to.extract_array_hash(state)
    content = {each["hash"]: context.get_cached_data_array(each["hash"], False) for each in arrays}
    return {
        "hashes": {each["hash"]: {**each, "content": content[each["hash"]]} for each in arrays},
        "scene": state,
    }
