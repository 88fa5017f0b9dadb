"""The compiled model of an MJCF file, without what is missing beside it."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import MissingLibraryError, SceneError
from mbplugin_import.words import LeftOut

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
#: comment | start of an element | attribute
MARKUP = re.compile(rf"""{COMMENT.pattern}|<\s*([\w:]+)|([\w:]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.DOTALL)
NOT_FINITE = re.compile(r"[+-]?(nan|inf|infinity)(\(\w*\))?", re.IGNORECASE)
NUMBER = re.compile(rf"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|{NOT_FINITE.pattern}", re.IGNORECASE)
#: kinds of assets with files: one, several
KINDS = {
    "meshes": ("mesh", "meshes"),
    "textures": ("texture", "textures"),
    "hfields": ("height field", "height fields"),
    "skins": ("skin", "skins"),
}
#: what mujoco says of a file that it does not find where it looks for it
MISSING = re.compile(r"opening file '(.*?)'")
LARGEST = 1e50  # number that a scene takes
LARGEST_OF_ACTUATORS = 1e15  # so that products of three are taken
#: arrays of the model that a scene is made of
USED = {
    "qpos": ("0", "_spring"),
    "body": ("_pos", "_quat", "_ipos", "_iquat", "_mass", "_inertia"),
    "jnt": ("_pos", "_axis", "_stiffness"),
    "dof": ("_damping", "_armature"),
    "geom": ("_pos", "_quat", "_size", "_rgba"),
    "site": ("_pos", "_quat"),
    "eq": ("_data",),
    "tendon": ("_length0",),
    "wrap": ("_prm",),
    "actuator": ("_gear", "_gainprm", "_biasprm", "_damping", "_armature"),
    "mesh": ("_vert",),
    "mat": ("_rgba",),
    "key": ("_qpos", "_qvel", "_ctrl", "_mpos", "_mquat"),
}


def compiled(file: Path, left_out: LeftOut) -> Any:
    """The compiled model, without looks whose files are missing. Raises SceneError, MissingLibraryError."""
    try:
        import mujoco
    except ImportError as error:
        mend = "MJCF files are read by mujoco; install it with: pip install 'mbplugin[import]'"
        raise MissingLibraryError(f"{mend} ({error})") from None
    refuse_numbers(file)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is deprecated in the file
            model = without_missing(mujoco.MjSpec.from_file(str(file)), left_out)
    except SceneError:
        raise
    except (ValueError, RuntimeError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        message = "; ".join(line for line in str(error).splitlines() if line)
        raise SceneError(file=str(file), mend=f"mujoco refuses it: {message}") from None
    check_numbers(model, file)
    return model


def check_numbers(model: Any, file: Path) -> None:
    """Refuse numbers of the model that no scene has. Raises SceneError."""
    for of, arrays in USED.items():
        most = LARGEST_OF_ACTUATORS if of == "actuator" else LARGEST
        for name in (f"{of}{what}" for what in arrays):
            values = np.abs(np.asarray(getattr(model, name, 0.0), float))
            if not (values <= most).all():
                mend = f"is not finite or above {most:g} in mujoco's model; a number of the file is too large"
                raise SceneError(name, float(values.max()), mend, file=str(file))


def refuse_numbers(file: Path) -> None:
    """Refuse numbers that are not finite, which mujoco takes. Raises SceneError."""
    for part, text in texts(file):
        element = ""
        found = [match for match in MARKUP.finditer(text)]
        names = {match[3] or match[4] for match in found if match[2] in ("name", "class")}
        for match in found:
            element = match[1] or element
            value = match[3] or match[4] or ""
            words = value.split()
            if value in names or not all(map(NUMBER.fullmatch, words)):
                continue
            if any(map(NOT_FINITE.fullmatch, words)):
                line = text.count("\n", 0, match.start()) + 1
                key = f"<{element} {match[2]}>"
                raise SceneError(key, value, "must be finite numbers", file=str(part), line=line)


def texts(file: Path) -> Iterator[tuple[Path, str]]:
    """The texts of an MJCF file and of those that it includes or attaches, each once."""
    waiting, seen = [file], set()
    while waiting:
        part = waiting.pop()
        if part in seen or not part.is_file():
            continue
        seen.add(part)
        text = part.read_text(encoding="utf-8", errors="replace")
        yield part, text
        for tag in re.findall(
            r"<\s*(?:include|model)\b[^>]*>", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)
        ):
            for name in re.findall(r"""\bfile\s*=\s*["']([^"']*)""", tag):
                waiting += [file.parent / name, part.parent / name]


def without_missing(spec: Any, left_out: LeftOut) -> Any:
    """The compiled model without meshes, textures, skins and height fields whose files mujoco does not find.

    Raises SceneError where a body's mass depends on one, and what mujoco raises.
    """
    while True:
        try:
            return spec.compile()
        except ValueError as error:
            message = MISSING.search(str(error))
            if message is None or not delete(spec, message[1], left_out):
                raise


def delete(spec: Any, path: str, left_out: LeftOut) -> bool:
    """Delete what mujoco looks for in `path`; returns whether there is any. Raises SceneError."""
    fits = []
    for kind in KINDS:
        for thing in getattr(spec, kind):
            files = [file for file in (thing.file, *getattr(thing, "cubefiles", ())) if file]
            fits += [
                (len(name), kind, thing)
                for file in files
                for name in (file, Path(file).name)
                if path.endswith(name)
            ]
    best = max((size for size, *_ in fits), default=0)
    things = {id(thing): (kind, thing) for size, kind, thing in fits if size == best}
    for kind, thing in things.values():
        name = thing.name or Path(thing.file).stem
        left_out.add("{}: there is no such file", [name], *KINDS[kind])
        for geom in list(spec.geoms):
            if name and name in (kind == "meshes" and geom.meshname, kind == "hfields" and geom.hfieldname):
                check_mass(spec, geom, name)
                spec.delete(geom)
        for site in spec.sites:
            if kind == "meshes" and getattr(site, "meshname", "") == name:
                site.meshname, site.type = "", 2  # a sphere
        for material in spec.materials:
            if kind == "textures" and name in material.textures:
                material.textures = ["" if texture == name else texture for texture in material.textures]
        spec.delete(thing)
    return bool(things)


def check_mass(spec: Any, geom: Any, mesh: str) -> None:
    """Raises SceneError if the mass of a body depends on a geom whose mesh is missing."""
    body, compiler = geom.parent, spec.compiler
    first, last = compiler.inertiagrouprange
    by_geoms = int(compiler.inertiafromgeom) == 1 or not body.explicitinertial
    massless = geom.mass == 0.0 or (np.isnan(geom.mass) and geom.density == 0.0)
    if body.name != "world" and by_geoms and not massless and first <= geom.group <= last:
        mend = f'its mass follows from the mesh "{mesh}", whose file is missing'
        raise SceneError(f'body "{body.name or f"body_{body.id}"}"', mend=mend)
