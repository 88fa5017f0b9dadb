"""The command line in child processes, as people start it.

`command` starts Python anew. `Forks` keeps one process in which everything is imported and a scene has been compiled, and forks it for each command:
a process of its own each time, in a tenth of the time.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MAIN = "from mbplugin.cli import main; main()"

#: a rod on a hinge: the smallest scene with a joint
ROD = """\
[scene]
name = "swing"
[[body]]
name = "rod"
mass = 1.0
inertia = [0.01, 0.1, 0.1]
position = [0.5, 0, 0]
[[joint]]
name = "pivot"
type = "revolute"
a = "ground"
b = "rod"
axis = [0, 1, 0]
[solver]
end = 0.5
[output]
frames = 20
"""

SERVER = """
import json, os, sys, time
from mbplugin.cli import main
import mbplugin.cli.run, mbplugin.cli.info, mbplugin.cli.plugins, mbplugin.cli.verify, mbplugin.cli.new, mbplugin.export, mbplugin.results
import zarr, google_crc32c
from mbplugin.cli.check import check_scene
asked, answered = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_RDWR), 0)
os.dup2(2, 1)
check_scene(sys.argv[1], [], False, True, [], False)
for line in asked:
    order = json.loads(line)
    child = os.fork()
    if child == 0:
        answered.close()
        os.chdir(order["cwd"])
        os.environ.update(order["environment"])
        sys.path[:0] = order["extra"]
        for number in (1, 2):
            os.dup2(os.open(order["files"][number - 1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["mbplugin", *order["words"]]
        exec(order["before"])
        main()
        sys.exit(0)
    until = time.monotonic() + order["timeout"]
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done or time.monotonic() > until:
            break
        time.sleep(0.002)
    if not done:
        os.kill(child, 9)
        _, status = os.waitpid(child, 0)
    answered.write(json.dumps(os.waitstatus_to_exitcode(status)) + "\\n")
    answered.flush()
"""


@dataclass
class Done:
    returncode: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)


def environment(extra: Any = (), **more: str) -> dict[str, str]:
    """Of a child that runs this repository's code."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "plugins"), *map(str, extra)]), **more}


def started(*words: Any, cwd: Path, extra: Any = (), before: str = "", **more: Any) -> subprocess.Popen[str]:
    """A command on its way; `before` is Python that runs ahead of it."""
    variables = {key: more.pop(key) for key in list(more) if key.isupper()}
    return subprocess.Popen(
        [sys.executable, "-c", before + "\n" + MAIN, *map(str, words)], cwd=cwd, env=environment(extra, **variables), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more,
    )  # fmt: skip


def command(*words: Any, cwd: Path, timeout: float = 300.0, **more: Any) -> Done:
    """A command in a fresh Python, run to its end."""
    child = started(*words, cwd=cwd, **more)
    try:
        out, err = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise
    return Done(child.returncode, out, err)


class Forks:
    """Commands in forks of one process; `folder` holds what it needs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        scene = folder / "warm.toml"
        scene.write_text(ROD)
        self.server = subprocess.Popen([sys.executable, "-c", SERVER, str(scene)], env=environment(), text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, *words: Any, cwd: Path, extra: Any = (), before: str = "", timeout: float = 60.0, **variables: str) -> Done:
        files = [self.folder / "stdout", self.folder / "stderr"]
        order = {
            "words": list(map(str, words)), "cwd": str(cwd), "environment": variables, "extra": list(map(str, extra)), "before": before,
            "timeout": timeout, "files": list(map(str, files)),
        }  # fmt: skip
        assert self.server.stdin is not None and self.server.stdout is not None
        self.server.stdin.write(json.dumps(order) + "\n")
        self.server.stdin.flush()
        code = json.loads(self.server.stdout.readline())
        return Done(code, *(file.read_text(errors="replace") for file in files))

    def close(self) -> None:
        assert self.server.stdin is not None
        self.server.stdin.close()
        self.server.wait(timeout=10)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder and its content."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
