"""`result.mbr`: a small file beside the store, for programs that open files and not folders."""

from __future__ import annotations

import json
from pathlib import Path

from mbplugin.decoder.files import FORMAT, VERSION
from mbplugin.errors import writing
from mbplugin.results.files import replace_file

INDEX, STORE = "result.mbr", "result.zarr"


def store_of(path: str | Path) -> Path:
    """Path of the store, from the folder of a result, its index file, or the store itself."""
    path = Path(path)
    return (path.parent if path.name in (INDEX, STORE) else path) / STORE


def write_index(folder: Path) -> None:
    """Write the index file of the store in `folder`. Raises StoreError."""
    text = json.dumps({"format": FORMAT, "version": VERSION, "store": STORE}, indent=1) + "\n"
    with writing(folder / INDEX):
        replace_file(folder / INDEX, text.encode(), folder / f".{INDEX}.part")
