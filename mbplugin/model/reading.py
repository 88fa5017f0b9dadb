"""Read scene files, TOML or Python, and apply changes from the command line."""

from __future__ import annotations

import copy
import os
import re
import runpy
import signal
import sys
import tomllib
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mbplugin.errors import NOT_GIVEN, SceneError, errors_at, suggestion
from mbplugin.model.reuse import with_unchanged
from mbplugin.model.system import System
from mbplugin.model.table import scene_error

MAX_BYTES = 20_000_000  # of a scene file
MAX_DOTS = 100  # in a key: tomllib takes quadratic time
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
FORMATS = "a scene is a .toml file, a folder with a scene.toml, or a .py file"


def read_scene(
    path: str | os.PathLike[str], changes: Mapping[str, Any], cls: type[System] = System
) -> System:
    """The system of type `cls` for a file or folder. Raises SceneError; its messages name `path` as given."""
    name = os.fspath(path)
    file = Path(path)
    try:
        if file.is_dir():
            file, name = file / "scene.toml", os.path.join(name, "scene.toml")
        exists = file.exists()
    except (OSError, ValueError):
        exists = False
    if not exists:
        raise SceneError(file=name, mend=f"there is no such file; {FORMATS}")
    if not file.is_file():
        raise SceneError(file=name, mend="is not a regular file")
    if file.suffix == ".py":
        return read_python(file, name, changes, cls)
    if file.suffix != ".toml":
        raise SceneError(file=name, mend=FORMATS)
    title = file.resolve().parent.name if file.stem == "scene" else file.stem
    return parse_scene(read_text(file, name), name, file.parent, changes, title, cls)


def read_text(file: Path, name: str) -> str:
    """The text of `file`; `name` is for messages. Raises SceneError."""
    try:
        size = file.stat().st_size
        if size > MAX_BYTES:
            limit = f"at most {MAX_BYTES / 1e6:.0f} MB are accepted; keep meshes in separate files"
            raise SceneError(file=name, mend=f"has {size / 1e6:.0f} MB; {limit}")
        content = file.read_bytes()
    except OSError as error:
        raise SceneError(file=name, mend=f"cannot be read: {error.strerror}") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        mend = f"byte {error.object[error.start]:#04x} is not UTF-8; save the file as UTF-8"
        raise SceneError(file=name, line=line, mend=mend) from None


def parse_scene(
    text: str,
    name: str,
    folder: Path,
    changes: Mapping[str, Any],
    title: str = "",
    cls: type[System] = System,
) -> System:
    """The system for a TOML text; `title` is the default for the scene's name. Raises SceneError."""
    data = parse_toml(text, name)
    overrides = apply_changes(data, changes, name)
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
    tables: dict[str, Any] | None = None,
) -> System:
    """The system for tables. Raises SceneError with file and line.

    tables: the same with objects in the place of tables that are known to be valid
    """
    try:
        system = cls.model_validate(data if tables is None else tables, context={"folder": folder})
    except ValidationError as problem:
        error = scene_error(problem, "", data)
    else:
        system._file, system._source, system._overrides, system._given = name, text, overrides, data
        system._varied = bool(overrides)
        return system
    empty = System()
    empty._file, empty._source, empty._overrides = name, text, overrides
    raise empty.locate(error)


def with_values(system: System, values: Mapping[str, Any]) -> System:
    """A system of the same type with these keys changed. Raises SceneError that names the key."""
    data, paths = tables_with_values(system, values)
    overrides = (*system._overrides, *paths)
    tables = with_unchanged(data, system, paths) if system._given is not None else None
    new = system_of(data, system.file, system.source, system.folder, overrides, type(system), tables)
    new._overrides = system._overrides
    for body, before in zip(new.bodies, system.bodies):
        body.take_mass_properties(before)
    return new


def tables_with_values(system: System, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The tables of a system with other values of these keys, and the paths of these. Raises SceneError."""
    data = system.tables() if system._given is None else system._given
    copied = lambda name, table: copy.deepcopy(table) if any(key_in(key, name) for key in values) else table
    data = {name: copied(name, table) for name, table in data.items()}
    paths = []
    for key, value in values.items():
        with errors_at(key, value):
            paths.append(set_value(data, key if "." in key or "[" in key else f"parameters.{key}", value))
    return data, paths


def key_in(key: str, table: str) -> bool:
    """Whether a key to change lies in a table of the scene."""
    return table == "parameters" if "." not in key and "[" not in key else key.startswith(table)


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """The tables of a TOML text; `name` is for messages. Raises SceneError."""
    too_deep = "is nested too deeply; a scene needs only a few levels"
    if not text.strip():
        raise SceneError(file=name, mend="is empty; `mbplugin new NAME` writes a scene to start from")
    for number, line in enumerate(text.split("\n"), start=1):
        key = line.partition("=")[0]
        if key.count(".") > MAX_DOTS and "," not in key:
            raise SceneError(file=name, line=number, mend=too_deep)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise toml_error(str(error), text, name) from None
    except RecursionError:
        raise SceneError(file=name, mend=too_deep) from None
    except ValueError as error:
        long_numbers = (k for k, row in enumerate(text.splitlines(), start=1) if re.search(r"\d{4000}", row))
        mend = f"contains a value that cannot be read: {error}"
        raise SceneError(file=name, line=next(long_numbers, None), mend=mend) from None


def toml_error(message: str, text: str, name: str) -> SceneError:
    """tomllib's `message` as SceneError, with the line that it names."""
    position = re.search(r"\(at line (\d+), column (\d+)\)|\(at end of document\)", message)
    if position is None:
        return SceneError(file=name, mend=f"is not TOML: {message}")
    mend = f"is not TOML: {message.replace(position[0], '').strip()}"
    if position[1] is None:
        return SceneError(file=name, line=text.count("\n") + 1, mend=mend)
    return SceneError(file=name, line=int(position[1]), mend=f"{mend} in column {position[2]}")


def apply_changes(data: dict[str, Any], changes: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Set `changes` in the tables of a scene; returns the paths that were set. Raises SceneError."""
    paths = []
    for key, value in changes.items():
        path = key if "." in key else f"parameters.{key}"
        if isinstance(value, str):
            value = value_of(value) if value.strip() else None
        try:
            paths.append(set_value(data, path, value))
        except SceneError as error:
            error.key, error.value, error.file = f"--set {key}", NOT_GIVEN if value is None else value, name
            raise
    return tuple(paths)


def value_of(text: str) -> Any:
    """`text` as a TOML value, or unchanged if it is none (an expression or a word)."""
    try:
        return tomllib.loads(f"value = {text}")["value"] if "\n" not in text else text
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return text


def set_value(data: dict[str, Any], path: str, value: Any) -> str:
    """Set data[path] = value, or take the key out for None. Returns the path with indices. Raises SceneError.

    Elements of a list are given by index (`body[0].mass`) or by name (`body.upper.mass`).
    """
    steps = [int(match[2]) if match[2] else match[1] for match in STEP.finditer(path)]
    table = steps[0] if steps else ""
    tables = System.keys()
    if table not in tables:
        raise SceneError(mend=f"there is no table [{table}]{suggestion(str(table), tables)}")
    if table == "parameters":
        parameters = data.get("parameters")
        check_parameter(steps, list(parameters) if isinstance(parameters, dict) else [])
    if len(steps) < 2:
        raise SceneError(mend=f"give a key of the table as well, such as {table}.name")
    here: Any = data
    indexed = ""  # the path so far, with indices for names
    for step in steps[:-1]:
        step = step_into(here, step, indexed)
        indexed = appended(indexed, step)
        here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
    last = step_into(here, steps[-1], indexed)
    if value is not None:
        here[last] = value
    elif not isinstance(here, dict) or last not in here:
        raise SceneError(mend="gives no value, which takes a key out, and there is no such key")
    else:
        del here[last]
    return appended(indexed, last)


def check_parameter(steps: list[int | str], known: list[str]) -> None:
    """Check that `steps` is the path of a known parameter. Raises SceneError."""
    name = str(steps[-1])
    if len(steps) != 2 or name not in known:
        raise SceneError(mend=f'the scene has no parameter "{name}"{suggestion(name, known)}')


def step_into(here: Any, step: int | str, path: str) -> int | str:
    """The key or index for `step` in the table or list `here`, whose path is `path`. Raises SceneError."""
    if isinstance(here, list) and any(isinstance(item, dict) for item in here):
        if isinstance(step, str):
            names = [str(item.get("name", "")) if isinstance(item, dict) else "" for item in here]
            if step not in names:
                raise SceneError(mend=f'there is no {path} named "{step}"{suggestion(step, names)}')
            return names.index(step)
        if step >= len(here):
            raise SceneError(mend=f"{path} has {len(here)} elements; the first one is {path}[0]")
    elif not isinstance(here, dict) or isinstance(step, int):
        raise SceneError(mend=f"{path} has no keys below it")
    return step


def appended(path: str, step: int | str) -> str:
    """`path` with one more key or index."""
    if isinstance(step, int):
        return f"{path}[{step}]"
    return f"{path}.{step}" if path else step


def read_python(file: Path, name: str, changes: Mapping[str, Any], cls: type[System] = System) -> System:
    """Run the user's Python file, which must define `system`, a System. Raises SceneError."""
    folder = str(file.parent.resolve())
    sys.path.insert(0, folder)
    try:
        module = runpy.run_path(str(file))
    except SceneError as error:
        line = line_in(file, error)
        for problem in (error, *error.also):
            problem.file, problem.line = problem.file or name, problem.line or line
        raise
    except SyntaxError as error:
        in_file = error.filename is not None and Path(error.filename).resolve() == file.resolve()
        line = error.lineno if in_file else None
        raise SceneError(file=name, line=line, mend=f"is not Python: {error.msg}") from None
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        by_user = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if isinstance(error, KeyboardInterrupt) and by_user:
            raise
        mend = f"{type(error).__name__}: {error}"
        raise SceneError(file=name, line=line_in(file, error), mend=mend) from None
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
    system = module.get("system")
    if not isinstance(system, System):
        actual = "it is not defined" if system is None else f"it is of type {type(system).__name__}"
        raise SceneError(file=name, mend=f"the file must define `system`, a System; {actual}")
    if changes or not isinstance(system, cls):
        data = system.tables()
        overrides = apply_changes(data, changes, name)
        system = system_of(data, name, "", Path(folder), overrides, cls)
    system._file, system._folder = name, Path(folder)
    return system


def line_in(file: Path, error: BaseException) -> int | None:
    """The last line of `file` in the traceback of `error`."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == file.resolve()]
    return lines[-1] if lines else None
