"""Files of machine code with a checksum, which numba's cache reads and writes instead of its own.

A flipped bit would be run as it is. So each file begins with a hash of its name and content; a file that
does not match it, or that is not this user's alone, is compiled again, and one line says so.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba.cpython.hashing  # noqa: F401 - its symbols, which machine code may call
from llvmlite import binding
from numba.core import caching, ccallback, codegen, config, dispatcher, entrypoints
from numba.core.runtime import rtsys

from mbplugin.math.cache import FORMAT, unsafe_status, warn_once

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


class SealedFiles(caching.IndexDataCacheFile):
    """The files of one function: its index, and the machine code of each signature."""

    def _load_index(self) -> Any:
        try:
            stamp, overloads = pickle.loads(read_sealed(Path(self._index_path)))
        except FileNotFoundError:
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: Any) -> None:
        write_sealed(Path(self._index_path), self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        return pickle.loads(read_sealed(Path(self._data_path(name))))

    def _save_data(self, name: str, data: Any) -> None:
        write_sealed(Path(self._data_path(name)), self._dump(data))


class Locator(caching.UserProvidedCacheLocator):
    """The folder in use, also if it is read-only: numba would look for code beside the source files."""

    def ensure_cache_path(self) -> None:
        path = Path(self.get_cache_path())
        with suppress(OSError):
            for folder in (path.parent, path):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)


class Library(codegen.JITCodeLibrary):
    """Machine code from a file. Its bitcode, for inlining into other code, is parsed when that is made."""

    bitcode = b""

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> Any:
        name, _, (code, bitcode) = state
        library = cls(codegen, name)
        library.enable_object_caching()
        library._set_compiled_object(code)
        library._finalize_final_module()
        library.bitcode = bitcode
        return library

    def _get_module_for_linking(self) -> Any:
        if self._shared_module is None:
            self._shared_module = binding.parse_bitcode(self.bitcode)
        return self._shared_module


class Content(caching.CompileResultCacheImpl):
    """What is stored of a compiled function: the names of its symbols, and numba's tuple."""

    _locator_classes = [Locator]

    def reduce(self, result: Any) -> Any:
        return symbols(result.library._get_module_for_linking()), result._reduce()

    def rebuild(self, target_context: Any, stored: Any) -> Any:
        names, reduced = stored
        codegen = target_context.codegen()
        codegen._engine._defined_symbols.update(names)
        before, codegen._library_class = codegen._library_class, Library
        try:
            return super().rebuild(target_context, reduced)
        finally:
            codegen._library_class = before


def symbols(module: Any) -> list[str]:
    """What a module defines; numba asks for the address of nothing else."""
    values = (*module.functions, *module.global_variables)
    return [value.name for value in values if not value.is_declaration]


class Checked(caching.FunctionCache):
    """numba's cache of one function with sealed files; what is damaged or cannot be written is compiled."""

    _impl_class = Content

    def __init__(self, function: Any) -> None:
        super().__init__(function)
        files = self._cache_file
        self._cache_file = SealedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=files._source_stamp,
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # numba refreshes its context first, which imports all that it can compile, and scipy: 0.2 s. What is
        # ready needs only the symbols that machine code may call; the compiler refreshes the context itself.
        entrypoints.init_all()
        rtsys.initialize(target_context)
        try:
            with self._guard_against_spurious_io_errors():
                return self._load_overload(sig, target_context)
        except Exception as error:  # code of another version can raise anything
            say_damaged(error)
            with suppress(OSError):
                self.flush()
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Unusable as error:
            say_damaged(error)
            with suppress(OSError):
                self.flush()
                super().save_overload(sig, data)
        except OSError as error:
            warn_once(
                f"{Path(self._cache_path).parent}: cannot store compiled code: "
                f"{error.strerror or error}; every run compiles again. Free disk space, or set "
                "MBPLUGIN_CACHE to another folder"
            )


_said: list[str] = []


def say_damaged(error: Exception) -> None:
    """Warn of the first file of this process that cannot be used."""
    if not _said:
        _said.append(str(error))
        text = str(error) if isinstance(error, Unusable) else f"{type(error).__name__}: {error}"
        warn_once(f"machine code in the cache is compiled again: {text}")


def in_cache(folder: Path, decorate: Callable[[], Any]) -> Any:
    """Run `decorate` with numba's cache in `folder`; numba reads the setting when it decorates."""
    settings = (
        (config, "CACHE_DIR", str(folder)),
        (dispatcher, "FunctionCache", Checked),
        (ccallback, "FunctionCache", Checked),
    )
    before = [getattr(module, name) for module, name, _ in settings]
    try:
        for module, name, value in settings:
            setattr(module, name, value)
        return decorate()
    finally:
        for (module, name, _), value in zip(settings, before):
            setattr(module, name, value)
