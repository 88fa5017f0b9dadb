"""Paths of files that a scene names: inside its folder, and relative to it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mbplugin.errors import SceneError


def path_in_folder(folder: Path | None, file: str, suffixes: Sequence[str], what: str) -> Path:
    """Path of an existing file inside the folder of a scene. Raises SceneError without a key.

    suffixes: accepted endings in lower case, such as ".stl"; what: "an STL, OBJ or PLY file"
    """
    folder = (folder or Path()).resolve()
    try:
        path = (folder / file).resolve()
        exists = path.is_file()
    except (OSError, ValueError, RuntimeError) as error:  # name too long, null byte, circular links
        reason = getattr(error, "strerror", None) or error
        raise SceneError(mend=f"is not a valid path: {reason}") from None
    if not path.is_relative_to(folder):
        raise SceneError(mend="must be inside the scene's folder; copy the file there")
    mend = "" if path.suffix.lower() in suffixes else f"must be {what}"
    if not exists:
        mend = "; ".join(filter(None, [f"there is no such file in {folder}", mend]))
    if mend:
        raise SceneError(mend=mend)
    return path
