"""The command line in its own process, with plugins found there by entry point."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from forked import Forked, forked

ROOT = Path(__file__).parents[1]
PATH = [str(ROOT), str(ROOT / "plugins"), str(ROOT / "tests" / "plugins")]
MAIN = "from mbplugin.cli import main; main()"


def after_each_frame(do: str, first: str = "") -> str:
    """Code of the command line that does `first`, and `do` (one line) after each frame of a run."""
    return f"""
import os, resource, signal, time
import mbplugin.run.frame_blocks as blocks, mbplugin.run.loop as loop
blocks.FRAMES = 1
{first}
old = loop.Run.record
def record(self, frames):
    old(self, frames)
    stop = self.stop
    {do}
loop.Run.record = record
{MAIN}
"""


def environment(extra: Any = (), **changes: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, extra), *PATH]), **changes}


def command(
    *words: str,
    cwd: Path,
    extra: Any = (),
    code: str = MAIN,
    timeout: float = 300,
    fork: bool = False,
    **changes: Any,
) -> subprocess.CompletedProcess[str]:
    """`mbplugin WORDS` until it ends; `changes`: environment variables, or preexec_fn. fork: in a fork of a
    process that has imported the engine, one for each environment, as also where nothing but the words is
    asked for.
    """
    if fork or (code == MAIN and not changes):
        return forked(words, cwd, environment(**changes), extra, "" if code == MAIN else code)
    before = changes.pop("preexec_fn", None)
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        env=environment(extra, **changes),
        capture_output=True,
        text=True,
        timeout=timeout,
        preexec_fn=before,
    )


def inside(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """`mbplugin WORDS` in this process, for tests of what a command prints: a tenth of a fork's time."""
    from mbplugin.cli import main

    out, err, argv, status = io.StringIO(), io.StringIO(), sys.argv, 0
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        sys.argv = ["mbplugin", *map(str, words)]
        try:
            main()
        except SystemExit as ended:
            status = int(ended.code or 0)
        finally:
            sys.argv = argv
    return subprocess.CompletedProcess(list(words), status, out.getvalue(), err.getvalue())


def going(*words: str, cwd: Path, extra: Any = (), code: str = MAIN) -> Forked:
    """`mbplugin WORDS`, still running in a fork as of `command`."""
    return Forked(words, cwd, environment(), extra, "" if code == MAIN else code)


def started(*words: str, cwd: Path, extra: Any = (), code: str = MAIN) -> subprocess.Popen[str]:
    """`mbplugin WORDS`, still running in an interpreter of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=cwd,
        env=environment(extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told(done: subprocess.CompletedProcess[str], mark: str) -> Any:
    """The JSON document that a process prints after this mark."""
    lines = [line for line in done.stdout.splitlines() if line.startswith(mark)]
    assert lines, done.stdout + done.stderr
    return json.loads(lines[0].removeprefix(mark))


def distribution(site: Path, name: str, module: str, source: str | None = None) -> Path:
    """A folder for the path that holds an installed distribution with one plugin."""
    info = site / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    if source is not None:
        (site / f"{module.replace('.', '/')}.py").write_text(source)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[mbplugin]\n{name} = {module}\n")
    return site


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of a folder."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
