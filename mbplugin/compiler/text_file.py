"""Source texts in the cache."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


def write_once(file: Path, text: str) -> Path:
    """Write a file atomically, as other processes may be writing it too. One that has this text is left as
    it is; a damaged one is replaced.
    """
    with suppress(OSError, UnicodeDecodeError):
        if file.read_text(encoding="utf-8") == text:
            return file
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_suffix(f".{os.getpid()}.tmp")
    try:
        draft.write_text(text, encoding="utf-8")
        os.replace(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return file
