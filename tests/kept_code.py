"""Machine code of functions that Python calls, kept in the cache; to import this module is enough.

A run calls entry points, whose code is kept with all that they call. Tests and the conformance kit also call
the functions inside, which each process compiles anew: ten seconds for the kernels of one kind of element.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from child import ROOT

from mbplugin.compiler import functions
from mbplugin.compiler.numba_names import MISSING
from mbplugin.compiler.unit_file import UnitFile

#: options of a function whose code is kept
USUAL = {"error_model": "numpy"}

make = functions.function


def kept(python: Callable[..., Any], twin: Any = None, **options: Any) -> Any:
    """As `functions.function`, which `jit` calls: code of functions of modules is looked for in the cache."""
    made = make(python, twin, **options)
    if options == USUAL and of_module(python) and not MISSING:
        made._cache = UnitFile(python.__module__, f"{python.__name__}.called")
    return made


def of_module(python: Callable[..., Any]) -> bool:
    """Whether the source of a function is the file of its module, here, with nothing around it that it reads.

    Others may have the name of one that is kept: closures, and texts that a test changes and runs.
    """
    file = getattr(sys.modules.get(python.__module__), "__file__", None)
    return (
        file is not None
        and file.startswith(f"{ROOT}{os.sep}")
        and python.__code__.co_filename == file
        and python.__qualname__ == python.__name__
        and python.__closure__ is None
    )


functions.function = kept
