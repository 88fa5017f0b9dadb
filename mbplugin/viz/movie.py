"""Files of what is seen: PNG, GIF, MP4, HTML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mbplugin.errors import SceneError, StoreError
from mbplugin.results import Array, RawResult
from mbplugin.viz.culprits import frames_in_sight
from mbplugin.viz.film import Film
from mbplugin.viz.options import Options
from mbplugin.viz.page import write_page
from mbplugin.viz.stage import Stage

KINDS = (".png", ".gif", ".mp4", ".html")
#: length of a movie [s], its pictures a second, and the most pictures
SECONDS, FPS, MOST = 8.0, (1.0, 1000.0), 100_000


def render(
    raw: RawResult,
    gravity: Array,
    file: str | Path,
    *,
    time: float | None = None,
    fps: float = 25.0,
    speed: float | None = None,
    options: Options | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Draw a result into `file`, in the format of its suffix; returns its path.

    gravity:  (3,) [m/s²], which defines the upward direction
    time:     of a picture or page [s]; default: the middle of the run, of last steps before an error the end
    fps:      frames per second of a movie
    speed:    simulated seconds per second of a movie; default: the run lasts eight seconds
    progress: called with the number of frames written and their total

    Raises SceneError if the suffix is not one of KINDS, NoGraphicsError, StoreError, MissingLibraryError.
    """
    file = Path(file)
    if file.suffix.lower() not in KINDS:
        raise SceneError("file", str(file), f"must end in {', '.join(KINDS)}")
    if raw.frames == 0:
        raise SceneError("result", str(raw.path), "has no frames to draw")
    if time is not None and not raw.time[0] <= time <= raw.time[-1]:
        raise SceneError(
            "time",
            time,
            f"the result covers {raw.time[0]:g} s to {raw.time[-1]:g} s; choose a time in between",
        )
    count = pictures(raw.time, fps, speed)
    stage = Stage(raw, gravity, options or Options(), off_screen=True)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix.lower() in (".png", ".html"):
            stage.show(usual_frame(raw) if time is None else nearest(raw.time, time))
            (write_picture if file.suffix.lower() == ".png" else write_page)(stage, file)
        else:
            write_movie(stage, file, fps, count, progress)
    except OSError as error:
        raise StoreError(f"{file}: cannot be written: {error.strerror or error}") from None
    finally:
        stage.close()
    return file


def write_picture(stage: Stage, file: Path) -> None:
    """Write what the stage shows as PNG."""
    import imageio.v3 as iio

    iio.imwrite(file, Film(stage).picture(), compress_level=3)


def usual_frame(raw: RawResult) -> int:
    """Index of the frame of a picture: in the middle of the run, or the last in sight before an error."""
    if "stopped" in raw.attributes:
        return frames_in_sight(raw) - 1
    return nearest(raw.time, 0.5 * (raw.time[0] + raw.time[-1]))


def nearest(times: Array, t: float) -> int:
    """Index of the frame nearest to t [s]."""
    return int(np.argmin(np.abs(times - t)))


def pictures(times: Array, fps: float, speed: float | None) -> int:
    """How many a movie has. Raises SceneError."""
    if not FPS[0] <= fps <= FPS[1]:
        raise SceneError("fps", fps, f"must be from {FPS[0]:g} to {FPS[1]:g}")
    if speed is not None and not 0.0 < speed < np.inf:
        raise SceneError("speed", speed, "must be greater than 0")
    span = float(times[-1] - times[0])
    count = max(2.0, fps * (SECONDS if speed is None else span / speed)) if span > 0 else 1.0
    if count > MOST:
        mend = f"a movie would have {count:.3g} pictures, at most {MOST:.0e} are drawn; choose a larger speed"
        raise SceneError("speed", speed, mend)
    return round(count)


def write_movie(
    stage: Stage, file: Path, fps: float, count: int, progress: Callable[[int, int], None] | None
) -> None:
    """Write all frames of a movie; arguments as in `render`."""
    times = stage.raw.time
    if file.suffix.lower() == ".mp4":
        # a colour is that of two by two pixels
        stage.plotter.window_size = [max(16, n - n % 2) for n in stage.plotter.window_size]
    if file.suffix.lower() == ".gif":
        stage.plotter.open_gif(str(file), fps=round(fps), loop=0)
    else:
        # a third of the time of the encoder's default, for files of the same size
        preset = ["-preset", "veryfast"]
        even: dict[str, Any] = {"macro_block_size": 2, "output_params": preset}
        stage.plotter.open_movie(str(file), framerate=round(fps), quality=7, **even)
    film = Film(stage)
    stage.speed = float(times[-1] - times[0]) * fps / count or 1.0
    for k, t in enumerate(np.linspace(times[0], times[-1], count)):
        stage.show(nearest(times, t))
        stage.plotter.mwriter.append_data(film.picture())
        if progress is not None:
            progress(k + 1, count)
