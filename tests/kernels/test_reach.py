"""Machine code is cached under a hash of the files that it can reach, which are found by their imports."""

from __future__ import annotations

import sys

import pytest

import mbplugin.stepping.loop  # noqa: F401
from mbplugin.compiler.reach import reachable


def names(*modules: str) -> set[str]:
    return {"/".join(path.parts[-2:]) for path in reachable(modules)}


def test_the_loop_of_steps_reaches_every_package_that_it_calls():
    found = names("mbplugin.stepping.loop")
    files = "stepping/loop.py stepping/accept.py kernels/evaluate.py emitters/blocks.py tables/groups.py"
    assert set(files.split()) <= found
    # what Python alone uses is not among them
    assert not {"run/loop.py", "model/system.py", "results/store.py"} & found


def test_a_kernel_reaches_the_helpers_that_its_module_imports():
    assert {"measures/distance.py", "math/vec3.py"} <= names("mbplugin_joints.measures.distance")


@pytest.mark.parametrize(
    ("line", "reached"),
    [
        ("import acme_b", {"acme_b"}),
        ("import os, acme_b as b", {"acme_b"}),
        ("from acme_b import (\n    x,\n    y as z,\n)", {"acme_b"}),
        ("from acme_pack import part", {"__init__", "part"}),
        ("from acme_pack.part import x", {"part"}),
        ("import numpy as np", set()),
        ("def f():\n    import acme_b", set()),
    ],
)
def test_every_form_of_an_import_at_module_level_is_followed(tmp_path, monkeypatch, line, reached):
    (tmp_path / "acme_b.py").write_text("x = y = 1\n")
    (tmp_path / "acme_pack").mkdir()
    (tmp_path / "acme_pack" / "__init__.py").touch()
    (tmp_path / "acme_pack" / "part.py").write_text("x = 1\n")
    (tmp_path / "acme_a.py").write_text(line + "\n")
    monkeypatch.syspath_prepend(tmp_path)
    # the package of the case before, whose folder is gone
    monkeypatch.delitem(sys.modules, "acme_pack", raising=False)
    from mbplugin.compiler import reach

    reach.file_of.cache_clear()
    assert {path.stem for path in reachable(["acme_a"])} == {"acme_a", *reached}
