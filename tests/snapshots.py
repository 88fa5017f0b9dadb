"""Texts of reports and messages, compared with files of tests/snapshots.

`pytest --renew-snapshots` writes them anew; the difference to the last commit shows what has changed.
"""

from __future__ import annotations

import difflib
import os
import re
import tempfile
from pathlib import Path

from child import ROOT
from filelock import FileLock

FOLDER = Path(__file__).parent / "snapshots"
LOCK = Path(tempfile.gettempdir()) / f"mbplugin-snapshots-{os.getuid()}.lock"
#: set by --renew-snapshots
renew = False
#: tests of which a message has been written by this process
renewed: set[tuple[str, str]] = set()

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?!\w|\.\d)")
REPLACED = [
    # where no test before has needed these functions
    (re.compile(r"^mbplugin: compiling \d+ functions?, once on this machine.*\n", flags=re.M), ""),
    (re.compile(re.escape(str(ROOT))), "ROOT"),
    (re.compile(r"[^\s\"'(]*/pytest-of-\w+/pytest-\d+/(popen-gw\d+/)?[^/\s\"':;,]+"), "TMP"),
    (
        re.compile(r"process \d+ on \S+, since 20\d\d-[-\d]+[T ][\d:]+( UTC)?"),
        "process N on HOST, since DATE",
    ),
    (re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?"), "DATE"),
    (re.compile(r"(\w+\.py)(\", line |, line |:)\d+"), r"\1\2N"),
    (re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{16,}\b"), "HASH"),
    (re.compile(r"(?<=\S)  +"), "  "),
    (re.compile(r" +$", flags=re.M), ""),
]


def four_digits(found: re.Match[str]) -> str:
    """A number with four digits; what rounding leaves of zero is 0."""
    text = found[0]
    if "." not in text and "e" not in text:
        return "0" if text == "-0" else text
    value = float(text)
    digits = len(re.sub(r"e.*|\D", "", text).lstrip("0"))
    if abs(value) < 1e-9 and digits > 1:
        return "0"
    return f"{value + 0.0:.4g}"


def normal(text: str, hide: str = "") -> str:
    """`text` without what differs from one machine or run to the next; also without what fits `hide`."""
    if hide:
        text = re.sub(hide, "...", text)
    text = NUMBER.sub(four_digits, text)
    for pattern, name in REPLACED:
        text = pattern.sub(name, text)
    return text.strip("\n") + "\n"


def compare(name: str, before: str | None, now: str) -> None:
    difference = difflib.unified_diff(
        (before or "").splitlines(),
        now.splitlines(),
        f"{name} in tests/snapshots",
        "printed now",
        lineterm="",
    )
    shown = "\n".join(difference)
    assert now == before, f"{shown}\n--renew-snapshots writes it anew"


def same_report(name: str, text: str, hide: str = "") -> None:
    """A report is that of its file `name`.txt."""
    file, now = FOLDER / f"{name}.txt", normal(text, hide)
    before = file.read_text("utf-8") if file.exists() else None
    if not renew:
        return compare(file.name, before, now)
    if now != before:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(now, "utf-8")
    return None


def sections(file: Path) -> dict[str, list[str]]:
    """The messages of a room by the test function that looks at them."""
    parts = re.split(r"^## (.*)\n", file.read_text("utf-8") if file.exists() else "", flags=re.M)
    items = lambda part: re.findall(r"^- (.*\n(?:  .*\n)*)", part, flags=re.M)
    messages = lambda part: [item.replace("\n  ", "\n") for item in items(part)]
    return {test: messages(part) for test, part in zip(parts[1::2], parts[2::2])}


def is_there(room: str, test: str) -> bool:
    file = ROOT / "tests" / room / test.partition("::")[0]
    return file.exists() and f"def {test.rpartition('::')[2]}(" in file.read_text("utf-8")


def same_message(text: str, hide: str = "") -> None:
    """A message is among those that the file of its room has for the running test."""
    path, _, function = os.environ["PYTEST_CURRENT_TEST"].partition("::")
    room = str(Path(path).parent.relative_to("tests"))
    test = Path(path).name + "::" + re.split(r"\[| ", function)[0]
    file, now = FOLDER / "messages" / f"{room}.txt", normal(text, hide)
    if not renew:
        known = sections(file).get(test, [])
        if now not in known:
            compare(test, (difflib.get_close_matches(now, known, 1, 0.0) or [None])[0], now)
        return
    with FileLock(LOCK):
        kept = {name: messages for name, messages in sections(file).items() if is_there(room, name)}
        before = kept.get(test, []) if (room, test) in renewed else []
        renewed.add((room, test))
        kept[test] = sorted({*before, now})
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = lambda messages: "".join("- " + m.rstrip("\n").replace("\n", "\n  ") + "\n" for m in messages)
        file.write_text("\n".join(f"## {name}\n\n{whole(kept[name])}" for name in sorted(kept)), "utf-8")
