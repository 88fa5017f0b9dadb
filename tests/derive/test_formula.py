"""Formulas of functions in LaTeX."""

from __future__ import annotations

import derived_kinds
import pytest
from mbplugin_joints import measures, rolling

from mbplugin.analysis.explain.formulas import of_kind, of_measure
from mbplugin.derive.formula import formula
from mbplugin.interface import Measure


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (measures.Distance.phi, r"\Phi = |r_b - r_a|"),
        (
            derived_kinds.from_axis,
            r"\Phi = |r_b - r_a - \hat z_a \cdot \left( r_b - r_a \right) \, \hat z_a|",
        ),
        (
            rolling.RollingDisc.phi,
            r"\Phi = \hat z_a \cdot \left( r_b - r_a \right) - \mathrm{radius} \, |\hat z_b \times \hat z_a|",
        ),
        (
            derived_kinds.on_cubic,
            r"\Phi = \hat z_a \cdot \left( r_b - r_a \right) - "
            r"\mathrm{cubic}(\hat x_a \cdot \left( r_b - r_a \right))",
        ),
        (derived_kinds.segment, ""),  # it has branches
    ],
)
def test_formulas(function, text):
    assert formula(function, 2) == text


def test_a_helix():
    first, second = formula(derived_kinds.Helix.phi, 2).splitlines()
    assert first.startswith(r"\Phi_1 = \hat x_a \cdot \left( r_b - r_a \right) - \mathrm{radius} \, \cos")
    assert r"\frac{2 \pi \, \hat z_a" in second


def test_explain_takes_it_where_a_kind_says_nothing():
    assert of_kind(derived_kinds.Cosine).startswith("$$\n\\Phi_1 = \\hat z_a")
    assert "\\psi_1 = " in of_kind(derived_kinds.MixedRows)
    assert of_measure(Measure(phi=derived_kinds.from_axis)).startswith("$$\ns = |r_b")
    assert "Distance from a segment" in of_measure(derived_kinds.MEASURES["segment"])
