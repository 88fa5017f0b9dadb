"""Derived texts: the same in every process, kept in the cache, derived anew where the author changes them."""

from __future__ import annotations

import os
import subprocess
import sys

import derived_kinds
import pytest
from mbplugin_joints.measures import Distance

from mbplugin.derive.functions import derived
from mbplugin.derive.kernels import Source, measure_text
from mbplugin.interface import Measure, axis

PLUGIN = """
from mbplugin.interface import Measure, axis
from mbplugin.math.vec3 import dot, sub

def helper(a, b):
    return {value}

def phi(a, b):
    return helper(a, b) ** 2 if b.x[0] > 0.0 else min(b.x[1], a.x[1]) * max(b.x[2], 0.5)

Squared = Measure(phi=phi)
"""
PRINT = "import acme_text; print(acme_text.Squared.kernel.source); print(acme_text.Squared.tangent.source)"


@pytest.fixture
def process(tmp_path):
    """Texts of a plugin with this helper, as another process prints them."""

    def run(value, seed="0", cache="cache"):
        (tmp_path / "acme_text.py").write_text(PLUGIN.format(value=value))
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONDONTWRITEBYTECODE": "1",  # an edit within a second is not seen otherwise
            "MBPLUGIN_CACHE": str(tmp_path / cache),
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        }
        command = [sys.executable, "-c", PRINT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    return run


def test_a_text_is_the_same_under_every_hash_seed_and_follows_the_author(process, tmp_path):
    first = process("dot(axis(a, 2), sub(b.x, a.x))")
    assert process("dot(axis(a, 2), sub(b.x, a.x))", seed="7", cache="other") == first
    files = list((tmp_path / "cache").glob("*/derived/*.py"))
    assert len(files) == 2
    for file in files:  # it is taken from there
        file.write_text(file.read_text().replace("private", "kept"))
    assert process("dot(axis(a, 2), sub(b.x, a.x))") == first.replace("private", "kept")
    other = process("dot(axis(a, 1), sub(b.x, a.x))")
    assert other != first and "kept" not in other


def test_a_function_that_no_other_process_can_import_is_derived_here():
    def phi(a, b):
        return b.x[2] - a.x[2]

    kernel = Measure(phi=phi).kernel
    assert kernel.source is not None and kernel.__name__ == "phi_kernel"
    assert derived("measure", Source(2, (0,), phi, is_measure=True)) is kernel


def test_the_cheapest_plan_is_printed():
    text = derived_kinds.MEASURES["from_axis"].kernel.source
    assert "# J reverse, a by balance; bias seen from a\n" in text
    # a common rotation changes the value
    (plan,) = measure_text(Source(2, (0,), lambda a, b: axis(b, 0)[2])).plans
    assert plan == "J reverse; bias in world axes"


def test_long_tangents_are_loops():
    assert "for j in (" in derived_kinds.MEASURES["middle_angle"].tangent.source
    assert "for j in (" not in Distance.tangent.source


DATA = """
import os, pathlib
import numpy as np
from mbplugin.interface import Measure

LIFT = np.loadtxt(pathlib.Path(__file__).with_name("lift.txt"))
FACTOR = float(os.environ["ACME_FACTOR"])
COUNTER = object()

def helper(x):
    return FACTOR * x

def phi(a, b):
    return helper(b.x[0]) + float(LIFT[1]) * a.x[1]

Squared = Measure(phi=phi)
"""


def test_constants_from_data_files_and_the_environment_are_never_stale(tmp_path):
    (tmp_path / "acme_text.py").write_text(DATA)

    def text(lift, factor):
        (tmp_path / "lift.txt").write_text(f"1.0 {lift}")
        environment = {
            **os.environ,
            "ACME_FACTOR": str(factor),
            "MBPLUGIN_CACHE": str(tmp_path / "cache"),
            "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]),
        }
        command = [sys.executable, "-c", PRINT]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    first = text(2.5, 0.75)
    assert "2.5 *" in first and "0.75" in first
    assert "3.5 *" in text(3.5, 0.75)
    assert "0.25" in text(2.5, 0.25)
    assert text(2.5, 0.75) == first
    assert len(list((tmp_path / "cache").glob("*/derived/*measure*.py"))) == 3
