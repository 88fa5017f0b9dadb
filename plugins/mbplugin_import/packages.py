"""Where the meshes of a robot are: `package://`, `file://` and relative paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote


def mesh_path(uri: str, file: Path, packages: Mapping[str, str]) -> Path | None:
    """The mesh file of a robot described in `file`; None if it is not found."""
    return next((path for path in candidates(uri, file.resolve(), packages) if is_file(path)), None)


def is_file(path: Path) -> bool:
    """Whether there is such a file; there is none of a name that the system does not take."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long; a zero byte
        return False


def candidates(uri: str, file: Path, packages: Mapping[str, str]) -> Iterator[Path]:
    """Where it may be: a package is the folder given for it, or one of its name above the file. If there is
    none, a folder above the file may be one that the address goes through.
    """
    scheme, separator, rest = uri.partition("://")
    if not separator:
        yield file.parent / uri
        return
    rest = unquote(rest)
    if scheme == "file":
        yield Path(rest)
        return
    name, _, inner = rest.partition("/")
    if name in packages:
        yield Path(packages[name]) / inner
        return
    for folder in file.parents:
        if folder.name == name:
            yield folder / inner
        yield folder / name / inner
    parts = inner.split("/")
    for k, part in enumerate(parts[:-1], start=1):
        yield from (folder.joinpath(*parts[k:]) for folder in file.parents if folder.name == part)


def why_missing(uri: str, packages: Mapping[str, str]) -> str:
    """The reason why a mesh file is not found."""
    scheme, _, rest = uri.partition("://")
    name, _, inner = unquote(rest).partition("/")
    if scheme != "package":
        return "there is no such file"
    if name in packages:
        return f"there is no {inner.rpartition('/')[0] or 'file'} with it in {packages[name]}"
    return f"there is no such file; --set packages.{name}=FOLDER says where that package is"
