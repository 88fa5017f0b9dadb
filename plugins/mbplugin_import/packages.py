"""Where the meshes of a robot are: `package://`, `file://` and relative paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote


def mesh_path(uri: str, file: Path, packages: Mapping[str, str]) -> Path | None:
    """The mesh file of a robot described in `file`; None if it is not found."""
    return next((path for path in candidates(uri, file.resolve(), packages) if path.is_file()), None)


def candidates(uri: str, file: Path, packages: Mapping[str, str]) -> Iterator[Path]:
    """Where it may be: a package is the folder given for it, or one of its name above the file."""
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
