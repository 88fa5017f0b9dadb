"""Scene files: TOML, or Python that builds a System; and changes from the command line."""

from __future__ import annotations

import os
import re
import runpy
import sys
import tomllib
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mbplugin.errors import NOT_GIVEN, SceneError, did_you_mean, listed
from mbplugin.model.system import System
from mbplugin.model.table import scene_error

LARGEST = 20_000_000  # bytes of a scene file
DOTS = 100  # in a key; the reader's time grows with their square
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def read_scene(
    path: str | os.PathLike[str], changes: Mapping[str, Any], cls: type[System] = System
) -> System:
    """The system of a file or folder, as the user named it; `cls` is the class to make."""
    name = os.fspath(path)
    place = Path(path)
    try:
        if place.is_dir():
            place, name = place / "scene.toml", os.path.join(name, "scene.toml")
        there = place.exists()
    except (OSError, ValueError):
        there = False
    if not there:
        raise SceneError(
            file=name,
            mend="there is no such file; a scene is a .toml file, a folder with a scene.toml, or a .py file",
        )
    if not place.is_file():
        raise SceneError(file=name, mend="is not a regular file")
    if place.suffix == ".py":
        return from_python(place, name, changes, cls)
    if place.suffix != ".toml":
        raise SceneError(file=name, mend="a scene is a .toml file, a folder with a scene.toml, or a .py file")
    stem = place.resolve().parent.name if place.stem == "scene" else place.stem
    return parsed_scene(read_text(place, name), name, place.parent, changes, stem, cls)


def read_text(place: Path, name: str) -> str:
    try:
        size = place.stat().st_size
        if size > LARGEST:
            raise SceneError(
                file=name,
                mend=f"has {size / 1e6:.0f} MB; at most {LARGEST / 1e6:.0f} are accepted (meshes go into files)",
            )
        content = place.read_bytes()
    except OSError as error:
        raise SceneError(file=name, mend=f"cannot be read: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SceneError(
            file=name,
            line=line,
            mend=f"byte {error.object[error.start]:#04x} is not UTF-8; save the file as UTF-8",
        ) from None


def parsed_scene(
    text: str,
    name: str,
    folder: Path,
    changes: Mapping[str, Any],
    title: str = "",
    cls: type[System] = System,
) -> System:
    """The system of a TOML text; `title` is the scene's name if it gives none."""
    data = parsed_toml(text, name)
    overrides = changed(data, changes, name)
    if not data.get("body") and "body" not in overrides:
        raise SceneError("body", NOT_GIVEN, "there is no [[body]]: nothing to simulate", file=name)
    table = data.setdefault("scene", {}) if title else None
    if isinstance(table, dict):
        table.setdefault("name", title)
    return system_of(data, name, text, folder, overrides, cls)


def system_of(
    data: dict[str, Any],
    name: str,
    text: str,
    folder: Path,
    overrides: tuple[str, ...],
    cls: type[System] = System,
) -> System:
    """The system of plain tables; errors get the file and the line."""
    try:
        system = cls.model_validate(data, context={"folder": folder})
    except ValidationError as problem:
        error = scene_error(problem, "", data)
    else:
        system._file, system._source, system._overrides = name, text, overrides
        return system
    blank = System()
    blank._file, blank._source, blank._overrides = name, text, overrides
    raise blank.locate(error)


def parsed_toml(text: str, name: str) -> dict[str, Any]:
    if not text.strip():
        raise SceneError(file=name, mend="is empty; `mbplugin new NAME` writes a scene to start from")
    for number, row in enumerate(text.split("\n"), start=1):
        key = row.partition("=")[0]
        if key.count(".") > DOTS and "," not in key:
            raise SceneError(
                file=name, line=number, mend="is nested too deeply; a scene needs a few levels only"
            )
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)|\(at end of document\)", str(error))
        line = (int(found[1]) if found[1] else text.count("\n") + 1) if found else None
        mend = str(error).replace(found[0] if found else "", "").strip()
        column = f" in column {found[2]}" if found and found[2] else ""
        raise SceneError(file=name, line=line, mend=f"is not TOML: {mend}{column}") from None
    except RecursionError:
        raise SceneError(file=name, mend="is nested too deeply; a scene needs a few levels only") from None
    except ValueError as error:
        line = next(
            (k for k, row in enumerate(text.splitlines(), start=1) if re.search(r"\d{4000}", row)), None
        )
        raise SceneError(file=name, line=line, mend=f"holds a value that cannot be read: {error}") from None


def changed(data: dict[str, Any], changes: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Put `changes` into the tables of a scene; returns the keys that were set, as paths in the scene."""
    paths = []
    for key, value in changes.items():
        path = key if "." in key else f"parameters.{key}"
        if isinstance(value, str):
            value = value_of(value)
        try:
            paths.append(placed(data, path, value))
        except SceneError as error:
            error.key, error.value, error.file = f"--set {key}", value, name
            raise
    return tuple(paths)


def value_of(text: str) -> Any:
    """A TOML value, or else the text itself: an expression or a word."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text


def placed(data: dict[str, Any], path: str, value: Any) -> str:
    """Set data[path]; an element of a list is named by its index (`body[0].mass`) or its name
    (`body.upper.mass`).
    """
    steps = [int(m[2]) if m[2] else m[1] for m in STEP.finditer(path)]
    top = steps[0] if steps else ""
    tables = System.keys()
    if top not in tables:
        near = did_you_mean(str(top), tables) or f"; there are {listed(tables)}"
        raise SceneError(mend=f"there is no table [{top}]{near}")
    if top == "parameters":
        given = data.get("parameters")
        known = list(given) if isinstance(given, dict) else []
        word = str(steps[-1])
        if len(steps) != 2 or word not in known:
            near = did_you_mean(word, known) or f"; it has {listed(known)}"
            raise SceneError(mend=f'the scene has no parameter "{word}"{near}')
    if len(steps) < 2:
        raise SceneError(mend=f"name a key of the table too, such as {top}.name")
    here: Any = data
    real = ""
    for k, step in enumerate(steps):
        if isinstance(here, list) and any(isinstance(item, dict) for item in here):
            names = [str(item.get("name", "")) if isinstance(item, dict) else "" for item in here]
            if isinstance(step, str):
                if step not in names:
                    near = did_you_mean(step, names) or f"; there are {listed(names)}"
                    raise SceneError(mend=f'there is no {real} named "{step}"{near}')
                step = names.index(step)
            elif step >= len(here):
                raise SceneError(mend=f"there are {len(here)} of {real}; the first is {real}[0]")
        elif not isinstance(here, dict) or isinstance(step, int):
            raise SceneError(mend=f"{real} has no keys below it")
        real = f"{real}[{step}]" if isinstance(step, int) else f"{real}.{step}" if real else step
        if k == len(steps) - 1:
            here[step] = value
        else:
            here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
    return real


def from_python(place: Path, name: str, changes: Mapping[str, Any], cls: type[System] = System) -> System:
    """Run the user's own file; it leaves a System named `system`."""
    folder = str(place.parent.resolve())
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(str(place))
    except SceneError as error:
        line = line_in(place, error)
        for one in (error, *error.also):
            one.file, one.line = one.file or name, one.line or line
        raise
    except SyntaxError as error:
        inside = error.filename is not None and Path(error.filename).resolve() == place.resolve()
        raise SceneError(
            file=name, line=error.lineno if inside else None, mend=f"is not Python: {error.msg}"
        ) from None
    except (Exception, SystemExit) as error:
        raise SceneError(
            file=name, line=line_in(place, error), mend=f"{type(error).__name__}: {error}"
        ) from None
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    system = names.get("system")
    if not isinstance(system, System):
        seen = "there is none" if system is None else f"it is a {type(system).__name__}"
        raise SceneError(file=name, mend=f"the file must leave a System named `system`; {seen}")
    if changes or not isinstance(system, cls):
        data = system.tables()
        overrides = changed(data, changes, name)
        system = system_of(data, name, "", Path(folder), overrides, cls)
    system._file, system._folder = name, Path(folder)
    return system


def line_in(place: Path, error: BaseException) -> int | None:
    """The last line of the user's file on the way to the error."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame.lineno for frame in frames if Path(frame.filename).resolve() == place.resolve()]
    return inside[-1] if inside else None
