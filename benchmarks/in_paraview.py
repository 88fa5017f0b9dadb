"""Processor seconds of ParaView with results of many bodies by the reader plugin.

`python benchmarks/in_paraview.py` needs pvpython and, without a display, xvfb-run.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

from many_bodies import spheres
from timing import alone, sized, table

from mbplugin.paraview import script_of

LIMIT = "result.UpdatePipelineInformation()\n"
#: begins before the script of the first picture, and ends after it
BEGIN = "import json, time\nstart = time.process_time()\n"
END = """
drawn = time.process_time()
steps = result.TimestepValues[1:6]
for scene.AnimationTime in steps:
    Render(view)
end = time.process_time()
print("FOUND " + json.dumps([drawn - start, (end - drawn) / len(steps)]))
"""


def in_paraview(script: str, folder: Path) -> list[float]:
    """Processor seconds of the first picture with all imports, and of each of five further frames."""
    file = folder / "timed.py"
    file.write_text(BEGIN + script + END)
    screen = [] if os.environ.get("DISPLAY") else ["xvfb-run", "-a"]
    done = subprocess.run([*screen, "pvpython", str(file)], check=True, capture_output=True, text=True)
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("FOUND "))
    return list(json.loads(line.removeprefix("FOUND ")))


def main() -> None:
    rows: list[list[object]] = []
    with tempfile.TemporaryDirectory() as name:
        for count, limits in sized(((300, (1000, 0)), (5_000, (0,))), ((10, (100, 0)),)):
            folder = Path(name) / str(count)
            script = script_of(spheres(count).run(folder).raw)
            for limit in limits:
                text = script.replace(LIMIT, f"{LIMIT}result.BlockLimit = {limit}\n")
                how = "blocks" if limit else "glyphs"
                rows.append([f"{count} spheres by {how}", *in_paraview(text, folder)])
    table("In ParaView, processor time", ["what", "first picture [s]", "a frame [s]"], rows)


if __name__ == "__main__":
    alone()
    main()
