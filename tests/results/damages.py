"""Damages of a store, drawn by a seeded generator: what disks, programs and people do to files."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: values that stand where others are expected
STRANGE = [
    None,
    True,
    False,
    -1,
    0,
    1,
    7,
    10**18,
    10**40,
    1e308,
    -0.5,
    float("nan"),
    "",
    "x" * 300,
    "../../elsewhere",
    "NaN",
    [],
    {},
    [[]],
    [None],
    [-3],
    {"a": []},
    ["\u0007", "ä"],
]


def damage(store: Path, rng: random.Random) -> str:
    """Damage the store once; returns what was done, for the message of a test."""
    files = sorted(path for path in store.rglob("*") if path.is_file())
    if not files:  # the folder of the root was removed
        return "nothing left"
    metadata = [path for path in files if path.name == "zarr.json"]
    # half of all in the few files that say what the others mean
    central = [path for path in metadata if path.parent == store or "checkpoint" in path.parts] + [
        store / group / "zarr.json" for group in ("bodies", "joints", "messages", "time", "shapes", "forces")
    ]
    central = [path for path in central if path in metadata]
    path = rng.choice(rng.choice([some for some in (files, metadata, central, central) if some]))
    do = rng.choice([forge, forge, forge] if path.name == "zarr.json" and rng.random() < 0.7 else BYTES)
    what = do(path, rng)
    return f"{path.relative_to(store)}: {what}"


def flip(path: Path, rng: random.Random) -> str:
    data = bytearray(path.read_bytes())
    if not data:
        return cut(path, rng)
    places = [rng.randrange(8 * len(data)) for _ in range(rng.choice([1, 1, 3, 20]))]
    for place in places:
        data[place // 8] ^= 1 << place % 8
    path.write_bytes(data)
    return f"bits {places} flipped"


def cut(path: Path, rng: random.Random) -> str:
    length = rng.randrange(path.stat().st_size + 1)
    os.truncate(path, length)
    return f"cut to {length} bytes"


def lengthen(path: Path, rng: random.Random) -> str:
    with open(path, "ab") as file:
        file.write(rng.randbytes(rng.randrange(1, 100)))
    return "lengthened"


def overwrite(path: Path, rng: random.Random) -> str:
    path.write_bytes(rng.randbytes(path.stat().st_size))
    return "overwritten"


def remove(path: Path, rng: random.Random) -> str:
    path.unlink()
    return "removed"


def remove_folder(path: Path, rng: random.Random) -> str:
    shutil.rmtree(path.parent)
    return "removed with its folder"


def become_folder(path: Path, rng: random.Random) -> str:
    path.unlink()
    path.mkdir()
    return "replaced by a folder"


def become_fifo(path: Path, rng: random.Random) -> str:
    path.unlink()
    os.mkfifo(path)
    return "replaced by a FIFO"


def become_link(path: Path, rng: random.Random) -> str:
    path.unlink()
    path.symlink_to(path.name)
    return "replaced by a link to itself"


BYTES: list[Callable[[Path, random.Random], str]] = [
    flip,
    flip,
    cut,
    lengthen,
    overwrite,
    remove,
    remove_folder,
    become_folder,
    become_fifo,
    become_link,
]


def forge(path: Path, rng: random.Random) -> str:
    """Change one value of the JSON document, wherever it is."""
    try:
        document = json.loads(path.read_bytes())
    except ValueError:  # damaged before
        return flip(path, rng)
    parent: Any = document
    keys: list[Any] = []
    while isinstance(parent, dict | list) and parent:
        options = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
        key = rng.choice(options)
        keys.append(key)
        below = parent[key]
        if not isinstance(below, dict | list) or not below or rng.random() < 0.25:
            break
        parent = below
    if not keys:
        return flip(path, rng)
    change = rng.choice(["strange", "strange", "strange", "nearby", "nearby", "gone", "doubled"])
    value = parent[key]
    if change == "gone":
        del parent[key]
    elif change == "doubled" and isinstance(value, list) and value:
        value.append(value[0])
    elif change == "nearby" and isinstance(value, int) and not isinstance(value, bool):
        parent[key] = value + rng.choice([-1, 1, 1000])
    elif change == "nearby" and isinstance(value, str) and value:
        parent[key] = value[1:] + value[0]
    else:
        parent[key] = rng.choice(STRANGE)
    path.write_text(json.dumps(document))
    return f"{keys} {change}: {parent[key] if change != 'gone' else ''!r:.80}"
