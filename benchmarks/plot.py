"""The picture of the tables: time of a step over the length of a chain, and time over error."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLORS = {"ours": "#1f6fb4", "MuJoCo": "#d95f02", "Exudyn": "#7a7a7a"}
MARKS = {"ours, dp5": "s", "ours, dop853": "^"}


def plot(
    file: str,
    times: dict[str, dict[str, dict[int, float]]],
    errors: dict[str, list[tuple[float, float]]],
    scene: str = "eight revolute links, 1 s",
) -> None:
    parts = [*times, *(["errors"] if errors else [])]
    figure, axes = plt.subplots(1, len(parts), figsize=(4.2 * len(parts), 3.6), squeeze=False)
    for axis, part in zip(axes[0], parts):
        curves = (
            errors
            if part == "errors"
            else {name: sorted(values.items()) for name, values in times[part].items()}
        )
        for name, points in curves.items():
            x, y = zip(*sorted(points))
            axis.loglog(
                x,
                y,
                marker=MARKS.get(name, "o"),
                markersize=4,
                color=COLORS[name.split(",")[0]],
                linestyle="--" if name in MARKS else "-",
                label=name,
            )
        axis.set_xlabel("error of the tip [m]" if part == "errors" else "links")
        axis.set_ylabel("time of the loop [ms]" if part == "errors" else "time of a step [µs]")
        axis.set_title(scene if part == "errors" else f"chain, {part} joints", fontsize=10)
        axis.grid(True, which="major", alpha=0.3)
        axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(file, dpi=130)
