"""Names of numba that are not public; the package uses no others, but for `math/emitters`.

Another version of numba may lack one of them. `MISSING` then says why, and everything is compiled and stored
as plain numba does it, which takes longer and gives the same numbers. MBPLUGIN_PLAIN_NUMBA=1 hides all of
them.
"""

from __future__ import annotations

import itertools
import os
import warnings
from typing import Any

#: why the names are not used; "": they are
MISSING = ""
#: what is used of a library, beside its public functions
OF_LIBRARY = (
    "_raise_if_finalized",
    "_optimize_final_module",
    "_finalize_final_module",
    "_get_module_for_linking",
    "_get_compiled_object",
    "_set_compiled_object",
    "_unserialize",
)

try:
    if os.environ.get("MBPLUGIN_PLAIN_NUMBA", "") not in ("", "0"):
        raise ImportError("MBPLUGIN_PLAIN_NUMBA is set")
    import numba.cpython.hashing  # noqa: F401 - its symbols, which machine code may call
    from numba.core import bytecode, entrypoints
    from numba.core.ccallback import CFunc
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.environment import lookup_environment
    from numba.core.postproc import PostProcessor, VariableLifetime
    from numba.core.registry import CPUDispatcher, cpu_target
    from numba.core.runtime import rtsys
    from numba.core.sigutils import normalize_signature
    from numba.core.transforms import canonicalize_cfg
    from numba.core.types.functions import BaseFunction

    for _name in OF_LIBRARY:
        getattr(JITCodeLibrary, _name)
    # numba numbers functions from 1 in each process, and symbols of machine code have that number. Closures
    # of a factory that two processes have compiled and stored would be one symbol in a third that loads both,
    # and one would be called for the other.
    getattr(bytecode.FunctionIdentity, "_unique_ids")  # noqa: B009
    bytecode.FunctionIdentity._unique_ids = itertools.count(int.from_bytes(os.urandom(6), "big"))
except (ImportError, AttributeError) as _error:
    MISSING = str(_error)
    bytecode = entrypoints = CFunc = CompileResult = global_compiler_lock = lookup_environment = None  # type: ignore
    JITCodeLibrary = CPUDispatcher = object  # type: ignore
    BaseFunction = PostProcessor = VariableLifetime = canonicalize_cfg = None  # type: ignore
    cpu_target = rtsys = normalize_signature = None  # type: ignore
    warnings.warn(
        f"functions are compiled as plain numba does it, which takes several times as long: {MISSING}",
        stacklevel=2,
    )


def codegen() -> Any:
    """Generator of machine code for this processor."""
    return cpu_target.target_context.codegen()
