"""The folder of a run where none is given."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from mbplugin.model import System
from mbplugin.results import folder

#: bytes of its name
LONGEST_NAME = 100


def folder_of(system: System, otherwise: str) -> Path:
    """Default folder of a run: out/<name of the scene>, with unsafe characters replaced. Raises StoreError
    if it holds the result of a scene in another file.
    """
    name = re.sub(r"[^\w +.-]", "_", system.scene.name or otherwise).strip(". ")
    try:
        short = os.fsencode(name)[:LONGEST_NAME]
    except UnicodeEncodeError:  # the file system has no letters like these
        short = name.encode("ascii", "replace").replace(b"?", b"_")[:LONGEST_NAME]
    name = short.decode(sys.getfilesystemencoding(), "ignore").strip(". ")
    chosen = Path("out") / (name or "scene")
    folder.refuse_scene_of_another_file(chosen, system.file)
    return chosen
