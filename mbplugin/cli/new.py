"""`mbplugin new`: a scene that runs, with a comment on each key; or a plugin that passes the kit."""

from __future__ import annotations

import os
import re
import shlex
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from mbplugin.errors import SceneError, printable, writing
from mbplugin.model.toml import quoted

SCENE = """\
[scene]
name = {name}
gravity = [0, 0, -9.81]                 # m/s², world axes

[parameters]
length = 1.0                            # may be used in every number, and set by --set length=2

[[body]]
name = "rod"                            # "ground" always exists
density = 7800.0                        # kg/m³; or mass and inertia
position = ["length/2", 0, 0]           # of the body's frame at t = 0
shape = [{{ type = "box", size = ["length", 0.05, 0.05] }}]

[[joint]]
name = "pivot"
type = "revolute"                       # `mbplugin plugins` lists the types
a = "ground"
b = "rod"
at = [0, 0, 0]                          # world point at t = 0
axis = [0, 1, 0]                        # the joint's z

[solver]
type = "rk"
tolerance = 1e-8
end = 5.0

[output]
frames = 250
"""

README = "# {name}\n\nA rod that swings about one end.\n\n    mbplugin run {name}\n"


def new(
    name: Annotated[str, typer.Argument(help="folder to create")],
    plugin: Annotated[
        bool, typer.Option("--plugin", help="create a small plugin with its own distribution instead")
    ] = False,
) -> None:
    new_plugin(name) if plugin else new_scene(name)


def new_scene(name: str) -> None:
    folder = unused(name)
    with writing(name):
        folder.mkdir(parents=True)
        # what the file system cannot decode is no text
        title = os.fsencode(folder.name).decode("utf-8", "replace")
        name = quoted(title)
        (folder / "scene.toml").write_text(SCENE.format(name=name), encoding="utf-8")
        (folder / "README.md").write_text(README.format(name=printable(title)), encoding="utf-8")
    print(f"{folder}/scene.toml written; try: mbplugin run {shlex.quote(str(folder))}")


def unused(name: str) -> Path:
    """The folder of this name, which does not exist yet. Raises SceneError."""
    folder = Path(name)
    try:
        exists = os.path.lexists(folder)
    except ValueError:  # a null character, or one that the file system cannot encode
        raise SceneError("new", name, "is no name of a folder; take another one") from None
    if exists or not folder.name:
        raise SceneError("new", name, "exists already; take another name")
    return folder


#: file of the template -> where it goes; {name} is the plugin's
TEMPLATE = {
    "pyproject.toml.txt": "pyproject.toml",
    "init.py.txt": "src/{name}/__init__.py",
    "measure.py.txt": "src/{name}/measure.py",
    "constraint.py.txt": "src/{name}/constraint.py",
    "force.py.txt": "src/{name}/force.py",
    "test.py.txt": "tests/test_{name}.py",
}


def new_plugin(name: str) -> None:
    """A distribution with one measure, one constraint, one force and a test."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise SceneError(
            "new --plugin",
            name,
            "a plugin is a Python package: small letters, digits and _, such as acme_joints",
        )
    folder = unused(name)
    with writing(name):
        for source, target in TEMPLATE.items():
            text = (files("mbplugin.cli") / "template" / source).read_text(encoding="utf-8")
            file = folder / target.format(name=name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text.replace("NAME", name), encoding="utf-8")
    print(f"{folder} written; try: pip install -e ./{folder} && mbplugin plugins check {name}")
