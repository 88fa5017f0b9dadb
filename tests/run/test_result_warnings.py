"""What the end of a run says of frames that cannot be right."""

from __future__ import annotations

import pytest

from mbplugin.run.recording import result_warnings


@pytest.mark.parametrize(
    ("drift", "energy", "told"),
    [
        (1e-7, 0.01, []),
        (3e-6, 0.01, ["constraints are open by up to 3e-06"]),
        (1e-13, 0.2, ["the energy balance is off by 0.2"]),
        (9.3, 1.0, ["constraints are open by up to 9.3", "the energy balance is off by 1"]),
    ],
)
def test_open_constraints_and_lost_energy_are_told(drift, energy, told):
    said = list(result_warnings(drift, energy))
    assert [text.startswith(start) for text, start in zip(said, told, strict=True)] == [True] * len(told)
