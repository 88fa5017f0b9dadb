"""Standard output and standard error of the command line."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from mbplugin.errors import MbpluginError, NotGiven, SceneError, cut, value_text

#: where documents of --json go while standard output is that of the errors
_documents: list[TextIO | None] = []


def escape_what_cannot_be_encoded() -> None:
    """Standard output and error print characters that the terminal does not know as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def print_warning(
    message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None
) -> None:
    """Replacement for `warnings.showwarning`: one line on standard error."""
    print(f"warning: {cut(str(message))}", file=sys.stderr)


def opened(folder: str) -> Any:
    """The `Result` in a folder; a warning tells of lost chunks. Raises StoreError."""
    from mbplugin.result import load

    warnings.showwarning = print_warning
    return load(folder)


@contextmanager
def only_documents() -> Iterator[None]:
    """Standard output holds only what `print_document` writes; everything else goes to standard error, also
    what compiled code and other processes print.
    """
    stdout = sys.stdout
    sys.stdout = sys.stderr
    try:
        real = stdout is not None and stdout.fileno() == 1
    except OSError:
        real = False  # a test has replaced it
    saved = -1
    if real:
        stdout.flush()
        saved = os.dup(1)
        os.dup2(2, 1)
    document: TextIO | None = os.fdopen(saved, "w", encoding="utf-8", closefd=False) if real else stdout
    _documents.append(document)
    try:
        yield
    finally:
        _documents.pop()
        sys.stdout = stdout
        if real:
            with suppress(OSError):
                document.flush()  # type: ignore[union-attr]
            os.dup2(saved, 1)
            os.close(saved)


def print_document(document: Any) -> None:
    """Print one JSON document; numbers that are not finite are null."""
    # not at the top: --help needs no numbers
    from mbplugin.analysis.report import plain

    out = _documents[-1] if _documents else sys.stdout
    if out is not None:
        print(json.dumps(plain(document), default=str, allow_nan=False), file=out, flush=True)


def print_answer(json: bool, document: Callable[[], Any], text: Callable[[], str]) -> None:
    """Print one JSON document for scripts, or a text for people."""
    if json:
        print_document(document())
    else:
        print(text())


ERROR_FIELDS = ("key", "value", "file", "line", "time", "last_steps")


def error_fields(error: MbpluginError) -> dict[str, Any]:
    """An error for scripts: its kind, and key, value (as it is shown), file, line and time [s]
    where it has them.
    """
    fields = {name: getattr(error, name, None) for name in ERROR_FIELDS}
    if isinstance(fields["value"], NotGiven):
        fields["value"] = None
    elif isinstance(error, SceneError):
        fields["value"] = value_text(error.value)
    return {"kind": type(error).__name__} | {k: v for k, v in fields.items() if v not in (None, "")}


def forget_output() -> None:
    """Nobody reads standard output: what is still buffered is dropped, without an error at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
