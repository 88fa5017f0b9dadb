"""Functions that Python calls, and callbacks: with late libraries and the cache, or as plain numba does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba import types

from mbplugin.compiler.folder import cache_folder
from mbplugin.compiler.front_end import shortened
from mbplugin.compiler.libraries import LateLibrary, libraries_of
from mbplugin.compiler.numba_names import MISSING, CFunc, CPUDispatcher, normalize_signature
from mbplugin.compiler.unit_file import UnitFile


class Internal(CPUDispatcher):
    """A compiled function that only compiled code calls: one for a type of arguments, not for each constant
    that is passed, as numba has it.
    """

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(
            tuple(map(types.unliteral, args)), {name: types.unliteral(kind) for name, kind in kws.items()}
        )


class Function(CPUDispatcher):
    """A compiled function that Python calls. twin: what compiled code calls in its place, without what Python
    needs.
    """

    twin: Any = None

    def compile(self, sig: Any) -> Any:
        with libraries_of(LateLibrary), shortened():
            return super().compile(sig)

    @property
    def _numba_type_(self) -> Any:
        return types.Dispatcher(self if self.twin is None else self.twin)


def internal(python: Callable[..., Any], **options: Any) -> Any:
    """A function that only compiled code calls; a call from Python crashes."""
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
    if MISSING:
        return numba.njit(**options)(python)
    return Internal(python, targetoptions={"nopython": True, "boundscheck": None, **options})


def function(python: Callable[..., Any], twin: Any = None, **options: Any) -> Any:
    """A function that Python calls; it is compiled anew in each process."""
    if MISSING:
        return numba.njit(**options)(python)
    made = Function(python, targetoptions={"nopython": True, "boundscheck": None, **options})
    made.twin = twin
    return made


def entry(python: Callable[..., Any], folder: Path | None = None, twin: Any = None, **options: Any) -> Any:
    """Compiled function as by `function`, of a module; its machine code is kept in the cache. folder: of the
    cache; None: that of the module.
    """
    if MISSING:
        folder = folder or cache_folder(python.__module__)
        return plainly_cached(folder, lambda: numba.njit(cache=True, **options)(python))
    made = function(python, twin, **options)
    made._cache = UnitFile(python.__module__, python.__name__, folder)
    return made


def callback(
    python: Callable[..., Any],
    signature: Any,
    folder: Path | None = None,
    named: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    """A callback, compiled or loaded: `address` is its address, `cache_hits` 1 if it was loaded. folder: of
    the cache; None: it is not kept. named: the function under whose name it is kept.
    """
    named = named or python
    if MISSING:
        make = lambda: numba.cfunc(signature, cache=folder is not None, **options)(python)
        return make() if folder is None else plainly_cached(folder, make)
    made: Any = CFunc(python, normalize_signature(signature), {}, options)
    if folder is not None:
        made._cache = UnitFile(named.__module__, named.__name__, folder)
    with libraries_of(LateLibrary), shortened():
        made.compile()
    return made


def plainly_cached(folder: Path, make: Callable[[], Any]) -> Any:
    """Run `make` with numba's own cache in this folder; numba reads the setting when it decorates."""
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)  # type: ignore[attr-defined]
    try:
        return make()
    finally:
        numba.config.CACHE_DIR = before  # type: ignore[attr-defined]
