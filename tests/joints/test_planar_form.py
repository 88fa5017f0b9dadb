"""The form of a kind between planar bodies."""

from __future__ import annotations

import pytest

from mbplugin.testing.kit import installed

KINDS = {name: installed().constraint(name) for name in installed().names("constraint type")}


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.Planar is not None])
def test_a_planar_form_is_its_own_planar_form(name):
    form = KINDS[name].form(planar=True)
    assert form.form(planar=True) is form
    assert form.form(planar=False) is form
