"""Imports mutated robots in a process of its own: `python robot_worker.py FIRST COUNT`, as `worker.py`.

`found` is what must not be: another error than a SceneError of one line, or a scene that cannot be checked.
"""

from __future__ import annotations

import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
from mutated_robots import case  # noqa: E402
from worker import fault_of_message, work  # noqa: E402

from mbplugin.analysis.redundancy.redundancy import redundancy  # noqa: E402
from mbplugin.errors import MbpluginError, SceneError  # noqa: E402
from mbplugin.hooks.registry import Registry  # noqa: E402
from mbplugin.imports.one_scene import import_scene  # noqa: E402
from mbplugin.run.prepare import prepare  # noqa: E402

#: one of so many cases that are read is checked, too
CHECKED = 5


def judged(number: int, registry: Registry) -> dict[str, Any]:
    """What one case gives."""
    name, content = case(number)
    start, found, said = time.process_time(), "", "read"
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / name
        file.write_bytes(content)
        try:
            system = import_scene(file, Path(place) / "scene", registry, {})
            if number % CHECKED == 0:
                said = "checked"
                prepared = prepare(system, registry)
                redundancy(prepared.problem, system, report=prepared.rank)
        except MbpluginError as error:
            said = str(error) if said == "read" else f"check: {error}"
            found = fault_of_message(error, said)
            if not said.startswith("check") and (not isinstance(error, SceneError) or "\n" in said):
                found = f"{type(error).__name__}: {said}"
            outside = ".limits" in said and "at t = 0" in said  # the file's own start, as the import has told
            if said.startswith("check") and isinstance(error, SceneError) and not outside:
                found = f"a scene that is no scene: {said}"
        except BaseException:
            found = traceback.format_exc()
    seconds = time.process_time() - start
    return {"case": number, "scene": name, "found": found, "said": said, "seconds": seconds}


if __name__ == "__main__":
    work(judged, int(sys.argv[1]), int(sys.argv[2]))
