"""The folder `last_steps` in that of a run that has stopped by an error: a result of its own."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.decoder.colours import culprit_colours
from mbplugin.results import ResultWriter, folder, write_index
from mbplugin.results.creation import remove
from mbplugin.results.files import replace_file
from mbplugin.run.last_steps import LastSteps
from mbplugin.run.recorder import Recorder

NAME = "last_steps"


def clear(of_run: Path) -> None:
    """Remove what an earlier run has left in its folder of last steps. Raises StoreError."""
    within = of_run / NAME
    if not within.is_dir():
        return
    with folder.locked(within, *folder.STORE, *folder.MESSAGES):
        for path in (within / name for name in (*folder.STORE, *folder.MESSAGES)):
            if path.is_dir():
                remove(path)
            else:
                path.unlink(missing_ok=True)


def write(
    of_run: Path,
    last: LastSteps,
    recorder: Recorder,
    static: Mapping[str, Any],
    attributes: Mapping[str, Any],
) -> Path:
    """Write the last steps; returns their folder. Raises StoreError."""
    within = of_run / NAME
    with folder.locked(within, *folder.STORE, *folder.MESSAGES):
        writer = ResultWriter(
            within / "result.zarr",
            painted({**static, **last.culprits}),
            attributes,
            capacity=len(last.frames),
            arrays=recorder.frame_arrays,
            lists=recorder.lists(),
        )
        write_index(within)
        for frame in last.frames:
            writer.append(frame)
        for message in last.messages:
            writer.message(*message)
        writer.close(False)
        text = "".join(
            f"t = {time:.15g} s: {text}\n" if level == "info" else f"[{level}] {text}\n"
            for time, level, text in last.messages
        )
        with suppress(OSError):  # the store holds the messages as well
            replace_file(within / "messages.txt", text.encode(), within / ".messages.txt.part")
    return within


def painted(static: dict[str, Any]) -> dict[str, Any]:
    """`static` with the bodies' shapes in the colours of culprits and of others, whoever draws them."""
    colours = culprit_colours(static, np.asarray(static["shapes/body"], int))
    ground = np.isnan(colours)
    return {**static, "shapes/color": np.where(ground, static["shapes/color"], colours)}
