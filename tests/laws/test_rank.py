"""The rank of many rows, by the factor of the joint blocks, is the rank by singular values."""

from __future__ import annotations

import numpy as np
import pytest

from mbplugin.analysis import rank as module

HINGES = "".join(
    f"""
[[body]]
name = "door{i}"
mass = {1 + 0.2 * i}
inertia = [0.9, 0.3, 0.6]
position = [{0.4 + i}, 0.1, 0]
""" + "".join(f'[[joint]]\nname = "hinge{i}{k}"\ntype = "revolute"\na = "{f"door{i - 1}" if i else "ground"}"\nb = "door{i}"\nat = [{i}, 0, {z}]\naxis = [0, 0, 1]\n'
              for k, z in enumerate((-0.8, 0.8)))
    for i in range(4)
)  # fmt: skip
SOLVER = "[solver]\nend = 1\n"


@pytest.mark.parametrize(("scene", "rows", "rank"), [(HINGES, 40, 20), (HINGES.replace('type = "revolute"', 'type = "ball"'), 24, 20)])
def test_both_ways_agree(runs, monkeypatch, scene, rows, rank):
    prepared = runs.prepare(scene + SOLVER)
    by_values = module.rank(prepared.problem)
    monkeypatch.setattr(module, "DENSE", 0)
    by_factor = module.rank(prepared.problem)
    assert (by_values.rows, by_values.rank) == (by_factor.rows, by_factor.rank) == (rows, rank)
    np.testing.assert_array_equal(by_values.determined, by_factor.determined)


def test_a_system_without_redundancy_has_full_rank(runs, monkeypatch):
    monkeypatch.setattr(module, "DENSE", 0)
    prepared = runs.prepare("[[".join(["", *[p for p in HINGES.split("[[")[1:] if not any(f'"hinge{i}1"' in p for i in range(4))]]) + SOLVER)
    report = module.rank(prepared.problem)
    assert (report.rows, report.rank, report.dof) == (20, 20, 4)
    assert (report.determined == 2).all()
