"""`mbplugin info`."""

from __future__ import annotations

import json as text

from mbplugin.api import load


def info_result(path: str, json: bool) -> None:
    result = load(path)
    raw = result.raw
    damage = raw.check()
    found = {
        "frames": raw.frames,
        "complete": raw.complete,
        "start": float(result.time[0]) if raw.frames else None,
        "end": float(result.time[-1]) if raw.frames else None,
        "bodies": raw.names("bodies"),
        "joints": raw.names("joints"),
        "free": dict(zip(raw.names("joints"), raw.attribute("joints/free", []))),
        "locked": dict(zip(raw.names("joints"), raw.attribute("joints/locked", []))),
        "coordinates": raw.names("coordinates"),
        "forces": raw.names("forces"),
        "drift_position": float(result.drift_position.max()) if raw.frames else None,
        "damage": damage,
        "messages": [m.text for m in raw.messages],
    }
    if json:
        print(text.dumps(found))
        return
    for name, value in found.items():
        if isinstance(value, dict):
            for joint, directions in value.items():
                print(f"{f'{name} in {joint}':15s} {', '.join(directions) or 'nothing'}")
            continue
        shown = (", ".join(map(str, value)) or "none") if isinstance(value, list) else value
        print(f"{name:15s} {shown}")
