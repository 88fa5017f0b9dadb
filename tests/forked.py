"""Command lines in processes that are forked from one that has imported the engine: a tenth of a second each
instead of two seconds.

Run as a program this is that process: it reads requests, one JSON line each, and answers with exit codes, or
with the number of a process that goes on. What a command prints goes to the files that the request names.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

#: exit code of Python where standard output cannot be written at the end
FLUSH_FAILED = 120


@functools.cache
def server(environment: frozenset[tuple[str, str]]) -> subprocess.Popen[str]:
    """The process that forks, one for each environment."""
    started = subprocess.Popen(
        [sys.executable, __file__],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    atexit.register(started.kill)
    return started


class Forked:
    """`mbplugin WORDS` in a process of its own, with what a `Popen` has of signals and ends.

    extra: first folders of the path, with plugins; code: what runs instead of the command, with the words as
    arguments; waits: whether it has ended when this returns
    """

    def __init__(
        self,
        words: Sequence[str],
        cwd: Path,
        environment: Mapping[str, str],
        extra: Sequence[Path | str] = (),
        code: str = "",
        waits: bool = False,
    ) -> None:
        self.words = list(map(str, words))
        self.server = server(
            frozenset(item for item in environment.items() if item[0] != "PYTEST_CURRENT_TEST")
        )
        self.folder = tempfile.TemporaryDirectory()
        self.out, self.err = Path(self.folder.name, "out"), Path(self.folder.name, "err")
        for file in (self.out, self.err):
            file.touch()
        self.returncode: int | None = None
        paths = {"cwd": str(cwd), "out": str(self.out), "err": str(self.err)}
        answer = self.ask(words=self.words, extra=list(map(str, extra)), code=code, waits=waits, **paths)
        self.pid = 0
        if waits:
            self.returncode = answer
        else:
            self.pid = answer

    def ask(self, **request: Any) -> Any:
        """The answer of the process that forks."""
        assert self.server.stdin is not None and self.server.stdout is not None
        print(json.dumps(request), file=self.server.stdin, flush=True)
        return json.loads(self.server.stdout.readline())

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = self.ask(poll=self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float = 300.0) -> tuple[str, str]:
        """What it has printed to standard output and error when it has ended."""
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self.words, timeout)
            time.sleep(0.01)
        return self.out.read_text(), self.err.read_text()


def forked(
    words: Sequence[str],
    cwd: Path,
    environment: Mapping[str, str],
    extra: Sequence[Path | str] = (),
    code: str = "",
) -> subprocess.CompletedProcess[str]:
    """`mbplugin WORDS` until it ends, with the arguments of `Forked`."""
    ended = Forked(words, cwd, environment, extra, code, waits=True)
    assert ended.returncode is not None
    return subprocess.CompletedProcess(ended.words, ended.returncode, *ended.communicate())


def serve() -> None:
    """Fork a process for each request."""

    # everything that a command of a scene needs, and plugins and solvers, which commands import when they do
    import scipy.linalg
    import scipy.sparse.csgraph
    import scipy.sparse.linalg  # noqa: F401

    import mbplugin.api
    import mbplugin.cli.run  # noqa: F401
    from mbplugin.hooks.load import load_plugins
    from mbplugin.run import observers

    observers.strict = True  # as in the tests
    load_plugins()

    for line in sys.stdin:
        request = json.loads(line)
        if asked := request.get("poll"):
            print(json.dumps(exit_code(asked, os.WNOHANG)), flush=True)
            continue
        waits = request.pop("waits")
        pid = os.fork()
        if pid == 0:
            os._exit(run(**request))
        print(exit_code(pid) if waits else pid, flush=True)


def exit_code(pid: int, options: int = 0) -> int | None:
    """Of a forked process; None if it still runs."""
    ended, status = os.waitpid(pid, options)
    return os.waitstatus_to_exitcode(status) if ended else None


def run(words: list[str], cwd: str, out: str, err: str, extra: list[str], code: str) -> int:
    """The exit code of a command, or of this code, in a process of its own."""
    from mbplugin.cli import main

    os.chdir(cwd)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    # words as the system would give them: by the encoding of its names
    sys.argv, sys.path[:0] = ["mbplugin", *(os.fsdecode(word.encode()) for word in words)], extra
    os.environ["PYTHONPATH"] = os.pathsep.join([*extra, os.environ["PYTHONPATH"]])
    status: Any = 0
    try:
        if code:
            exec(code, {"__name__": "__main__"})
        else:
            main()
    except SystemExit as ended:
        status = ended.code
    except BaseException:  # as Python ends a program
        traceback.print_exc()
        status = 1
    try:
        sys.stdout.flush()
    except OSError:  # this too
        traceback.print_exc()
        status = FLUSH_FAILED
    sys.stderr.flush()
    return status if isinstance(status, int) else int(status is not None)


if __name__ == "__main__":
    serve()
