"""Errors, warnings and messages by their fields; their sentences are snapshots, which one switch renews."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from snapshots import same_message

from mbplugin.errors import MbpluginError, SceneError, value_text

ANY: Any = object()


def look(text: str, hide: str | None) -> None:
    """Compare a message with its snapshot, unless `hide` is None: where many inputs give one sentence."""
    if hide is not None:
        same_message(text, hide)


def has(text: str, *names: object) -> bool:
    """Whether each name of an element, a key, a file, or a number stands in a text as a word of its own."""
    return all(re.search(rf"(?<![\w.]){re.escape(str(name))}(?!\w)", text) for name in names if name != "")


def time_in(text: str) -> float | None:
    """The time [s] that a message begins with."""
    found = re.match(r"t = (\S+) s: ", text)
    return float(found[1]) if found else None


@contextmanager
def refused(
    key: str,
    value: Any = ANY,
    *,
    kind: type[SceneError] = SceneError,
    file: Any = ANY,
    line: Any = ANY,
    also: Sequence[str] = (),
    hide: str | None = "",
) -> Iterator[pytest.ExceptionInfo[SceneError]]:
    """Input is refused at this key, with this value; `also`: keys of further problems."""
    with pytest.raises(kind) as caught:
        yield caught
    error = caught.value
    assert error.key == key, str(error)
    assert value is ANY or error.value == value, repr(error.value)
    assert file is ANY or error.file == str(file), error.file
    assert line is ANY or error.line == line, error.line
    assert [problem.key for problem in error.also] == list(also)
    text = str(error)
    if isinstance(error.value, str) and "/" in error.value:  # a path, which may be cut
        text = text.replace(value_text(error.value), f'"{error.value}"')
    look(text, hide)


@contextmanager
def stopped(
    kind: type[Exception], *names: object, time: Any = ANY, hide: str | None = ""
) -> Iterator[pytest.ExceptionInfo[Any]]:
    """An error of this kind, at this time [s], in a message that has these names and numbers."""
    with pytest.raises(kind) as caught:
        yield caught
    error, text = caught.value, str(caught.value)
    assert has(text, *names), text
    assert time is ANY or time_in(text) == time, text
    assert "Traceback" not in text and (not isinstance(error, MbpluginError) or text.count("\n") < 4), text
    look(text, hide)


@contextmanager
def warned(*names: object, kind: type[Warning] = UserWarning, hide: str | None = "") -> Iterator[None]:
    """One warning of this kind has these names."""
    with pytest.warns(kind) as caught:
        yield
    texts = [str(warning.message) for warning in caught if issubclass(warning.category, kind)]
    (text,) = [text for text in texts if has(text, *names)]
    look(text, hide)


def message_with(messages: Any, *names: object, level: str = "", hide: str | None = "") -> Any:
    """The only message of a run with this level that has these names."""
    found = [m for m in messages if (not level or m.level == level) and has(m.text, *names)]
    assert len(found) == 1, "\n".join(map(str, messages))
    look(found[0].text, hide)
    return found[0]


def error_of(
    done: subprocess.CompletedProcess[str], kind: type[MbpluginError], *names: object, hide: str | None = ""
) -> dict[str, Any]:
    """The document that a command with --json prints when it ends with an error of this kind: key, value,
    file, line, time, message.
    """
    assert "Traceback" not in done.stderr, done.stderr
    error: dict[str, Any] = json.loads(done.stdout)["error"]
    code = kind.exit_code
    assert (error["kind"], error["exit_code"], done.returncode) == (kind.__name__, code, code), done.stderr
    error.setdefault("time", time_in(error["message"]))
    assert has(error["message"], *names) and error["message"].count("\n") < 4, done.stderr
    look(error["message"], hide)
    return error
