"""Machine code of a unit of compilation in one file with a checksum, in the place of numba's own cache.

The file is named by the function; its folder is named by the content of all source that the function reaches
(`folder.py`). So neither the place of the sources nor the time of their last change matters. A flipped bit
would be run as it is: each file begins with a hash of its name and content, and one that does not match it,
or that is not this user's alone, is compiled again, and one line says so.
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from mbplugin.compiler.folder import FORMAT, cache_folder, unsafe_status, warn_once
from mbplugin.compiler.libraries import codegen, defined, libraries_of
from mbplugin.compiler.numba_names import (
    CompileResult,
    JITCodeLibrary,
    entrypoints,
    normalize_signature,
    rtsys,
)

#: length of the hash behind the beginning of a file
BYTES = 32


class Unusable(Exception):
    """A file of machine code is damaged, or is not ours alone; str() says which."""


def seal(file: Path, content: bytes) -> bytes:
    """Hash of the name and the content of a file."""
    return hashlib.sha256(f"{file.parent.name}/{file.name}\n".encode() + content).digest()


def read_sealed(file: Path) -> bytes:
    """The content of a file. Raises Unusable, FileNotFoundError."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    number = os.open(file, flags | getattr(os, "O_BINARY", 0))
    try:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode):
            raise Unusable(f"{file} is not a regular file")
        if hasattr(os, "geteuid") and (why := unsafe_status(status, file)) is not None:
            raise Unusable(f"{file}: {why}")
        with open(number, "rb", closefd=False) as opened:
            data = opened.read()
    finally:
        os.close(number)
    begin = len(FORMAT) + BYTES
    content = data[begin:]
    if data[:begin] != FORMAT + seal(file, content):
        raise Unusable(f"{file} does not match its checksum")
    return content


def write_sealed(file: Path, content: bytes) -> None:
    """Replace a file, which only this user can read and write. Raises OSError."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(draft, flags, 0o600), "wb") as opened:
            opened.write(FORMAT + seal(file, content) + content)
        os.replace(draft, file)
    except OSError:
        with suppress(OSError):
            draft.unlink()
        raise


class LoadedLibrary(JITCodeLibrary):
    """Machine code from a file. It is called by its address; there is no bitcode to link with."""

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, _, (code, _) = state
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        return library

    def _get_module_for_linking(self) -> Any:
        raise RuntimeError(f"{self.name} is called by its address, not by compiled functions")


class UnitFile:
    """Store that numba asks for the machine code of one function, and gives it to. There is one signature in
    the file, the first that was compiled. An empty file: the function cannot be compiled.
    """

    def __init__(self, module: str, name: str, folder: Path | None = None) -> None:
        self.module, self.name, self.folder = module, name, folder
        self.holds_another = False  # signature

    @functools.cached_property
    def file(self) -> Path:
        return file_of(self.module, self.name, self.folder or cache_folder(self.module))

    @property
    def cache_path(self) -> str:
        return str(self.file.parent)

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        """The compiled function; None if it is to be compiled."""
        # numba refreshes its context first, which imports all that it can compile, and scipy: 0.2 s. What is
        # ready needs only the symbols that machine code may call; the compiler refreshes the context itself.
        entrypoints.init_all()
        rtsys.initialize(target_context)
        try:
            content = read_sealed(self.file)
            if not content:
                return None
            arguments, names, reduced = pickle.loads(content)
            if arguments != str(normalize_signature(signature)[0]):
                self.holds_another = True
                return None
            codegen()._engine._defined_symbols.update(names)
            with libraries_of(LoadedLibrary):
                return CompileResult._rebuild(target_context, *reduced)
        except FileNotFoundError:
            return None
        except Exception as error:  # code of another version can raise anything
            say_damaged(error)
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        if self.holds_another:
            return
        arguments, reduced = str(result.signature.args), result._reduce()
        module = result.library._final_module
        names = [value.name for value in (*defined(module.functions), *defined(module.global_variables))]
        self.write(pickle.dumps((arguments, names, reduced), pickle.HIGHEST_PROTOCOL))

    def write(self, content: bytes) -> None:
        """Replace the file; one that cannot be written is reported."""
        try:
            write_sealed(self.file, content)
        except OSError as error:
            warn_once(
                f"{self.file.parent.parent}: cannot store compiled code: {error.strerror or error}; every "
                "run compiles again. Free disk space, or set MBPLUGIN_CACHE to another folder"
            )

    def flush(self) -> None:
        """Forget the machine code. Raises OSError."""
        self.file.unlink(missing_ok=True)


_said: list[str] = []


def say_damaged(error: Exception) -> None:
    """Warn of the first file of this process that cannot be used."""
    if not _said:
        _said.append(str(error))
        text = str(error) if isinstance(error, Unusable) else f"{type(error).__name__}: {error}"
        warn_once(f"machine code in the cache is compiled again: {text}")


def file_of(module: str, name: str, folder: Path) -> Path:
    """The file of a function of a module."""
    return folder / "units" / f"{module}.{name}"
