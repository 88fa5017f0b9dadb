"""A kernel that numba cannot compile runs as plain Python, with one warning and the same results."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from refusals import has
from scene_text import body, solver, table
from snapshots import same_message

from mbplugin.codegen.compiled import Compiled, PythonKernelWarning, in_python


def bob(spring):
    """Text of a bob on a spring of a kind."""
    return (
        body("bob", mass=1.0, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0], marker=[{"name": "eye"}])
        + table("force", type=spring, a="ground", b="bob.eye", stiffness=40.0, length=0.3)
        + solver(tolerance=1e-8, end=0.3)
    )


def test_plain_python_equals_the_compiled_spring_and_warns_once(runs):
    for kernel in runs.prepare(bob("foreign_plain_spring")).problem.kernels:
        kernel.warned = False  # whatever ran in this process before
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (plain,) = runs.frames(bob("foreign_plain_spring"), [0.3])
        runs.prepare(bob("foreign_plain_spring"))
    told = [w for w in caught if issubclass(w.category, PythonKernelWarning)]
    assert len(told) == 1
    assert has(str(told[0].message), '"foreign_plain_spring"', "µs")
    same_message(str(told[0].message), hide=r"[\d.]+ µs|\(During.*")
    (compiled,) = runs.frames(bob("spring_damper"), [0.3])
    np.testing.assert_allclose(plain["bodies/position"], compiled["bodies/position"], atol=1e-13)
    np.testing.assert_allclose(plain["forces/wrench"], compiled["forces/wrench"], atol=1e-11)


def fails(which):
    raise (ValueError, IndexError)[which]


def test_each_thread_has_the_exception_of_its_own_call():
    # one kernel of the process serves the runs of both threads; each looks after both have failed
    text = "def batch(first, count, address):\n    return author(first)\n"
    kernel = in_python(Compiled("force", {"author": fails}, text, "a kind"))
    failed = threading.Barrier(2, timeout=30)

    def call(which):
        status = kernel.call(which, 1, np.zeros(1, np.int64))
        failed.wait()
        return status, type(kernel.error)

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(call, range(2))) == [(1, ValueError), (1, IndexError)]
    assert kernel.error is None
