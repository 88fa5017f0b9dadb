"""Every function passes the compiler once."""

from __future__ import annotations

import json

from child import command, with_cache

COMPILE = """
import json
from collections import Counter
from mbplugin.compiler import libraries
from mbplugin.codegen import core_functions, units
from mbplugin.stepping import entries

made = Counter()
before = units.Unit._make

def counted(unit):
    made[unit.name] += 1
    return before(unit)

units.Unit._make = counted
wanted = [unit for unit in core_functions.core_units("", "run") if unit.seconds <= 1 or "count" in unit.name]
wanted += [units.entry_unit(entry) for entry in (entries.evaluate_rates, entries.project)]
for _ in range(2):
    core_functions.load(wanted)
print(json.dumps([made, Counter(libraries.made)]))
"""


def test_no_unit_is_compiled_twice_in_a_process_and_nothing_is_optimised_twice(tmp_path):
    """With an empty cache: a library for each unit and no other, since its callees are optimised with it."""
    code = 'import os\nos.environ["MBPLUGIN_PROCESSES"] = "1"' + COMPILE
    done = command(cwd=tmp_path, code=with_cache(tmp_path, code), fork=True)
    assert done.returncode == 0, done.stderr
    made, optimised = json.loads(done.stdout)
    assert len(made) >= 4 and set(made.values()) == {1}
    assert sum(optimised.values()) == len(made)


UNUSED = """
import sys
from math import sin
from pathlib import Path
import numba
from mbplugin.compiler.functions import entry
from mbplugin.math.jit import internal

terms = " + ".join(f"sin({k} * x + y)" for k in range(40))
exec(f"def long(unused, also, x, y):\\n    return {terms}")
long = internal(long)


def ours(x):
    return long(1, 2, x, 5) + long(3, 4, 2 * x, 6)


@numba.njit
def plain(x):
    return long(1, 2, x, 5) + long(3, 4, 2 * x, 6)


@numba.njit
def another(x):
    return long(1, 2, x, 5) + long(3, 4, 2 * x, 6)


ours.__module__ = "ours"
print(len({plain(7), entry(ours, Path(sys.argv[1]))(7), another(7)}))
"""


def test_what_llvm_changes_in_one_library_is_not_taken_for_the_same_function_of_another(tmp_path):
    """Within our library it drops arguments that nothing reads; functions of plain numba pass them."""
    done = command(str(tmp_path), cwd=tmp_path, code=UNUSED, fork=True)
    assert done.stdout == "1\n", done.stderr
