"""A result of format 2, as mbplugin wrote it when arrays of bodies were those of their mass centres, and the
ground could be body b of a contact: read in the meaning of format 3, and not continued.

The scene: a crate whose mass centre is not the origin of its frame, and a ball on it, on a plane.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from refusals import stopped

import mbplugin as mb
from mbplugin.errors import StoreError
from mbplugin.results import RawResult, ResultWriter
from mbplugin.results.rotation import rotation

CENTRE = [0.02, -0.01, 0.03]


@pytest.fixture(scope="module")
def stored(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("format_2")
    with zipfile.ZipFile(Path(__file__).with_name("format_2.zip")) as archive:
        archive.extractall(folder)
    for name in ("a", "b"):
        (folder / "result.zarr/checkpoint" / name).mkdir(parents=True, exist_ok=True)
    return folder / "result.zarr"


def test_it_has_the_numbers_of_the_same_run_today(stored):
    old = RawResult(stored)
    assert old.attributes["version"] == 2
    new = mb.System.from_text(old.attributes["scene"]).run(files=False).raw
    later = {"bodies/kinetic_energy", "bounds/status", "bounds/force", "activities/status", "constraints/dof"}
    later |= {"lists/impacts/stop", "lists/contact_impulses/stop"}
    assert set(new.frame_arrays) - set(old.frame_arrays) == later
    # another processor rounds otherwise; accelerations are those of stiff contacts; after a blow forces are
    # those of the new velocity today
    for key in (*old.frame_arrays, *old.static_arrays):
        # outputs that came later stand behind those of then
        today = new[key][:, : old[key].shape[1]] if key == "outputs/value" else new[key]
        np.testing.assert_allclose(old[key], today, rtol=1e-7, atol=1e-6, err_msg=key)
    since = {"tangent_1", "tangent_2", "local_force", "material_a", "material_b"}
    assert set(new.lists["contacts"]) - set(old.lists["contacts"]) == since
    for array in old.lists["contacts"]:
        a, b = (raw.entries("contacts", array) for raw in (old, new))
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-6, err_msg=array)


def test_a_body_is_where_its_frame_is_and_its_mass_centre_beside_it(stored):
    crate = mb.load(stored)["crate"]
    assert crate.position[0].tolist() == [0.0, 0.0, 0.1]
    assert crate.velocity[0] == pytest.approx([0.5, 0.2, -1.0], abs=1e-15)
    arm = rotation(crate.orientation) @ CENTRE
    np.testing.assert_allclose(crate.center_of_mass, crate.position + arm, atol=1e-15)
    speed = crate.velocity + np.cross(crate.angular_velocity, arm)
    np.testing.assert_allclose(crate.center_of_mass_velocity, speed, atol=1e-15)
    assert mb.load(stored).raw.static()["bodies/local_center_of_mass"][0].tolist() == CENTRE
    assert mb.load(stored).raw.units("bodies/center_of_mass") == "m"


def test_the_ground_is_body_a_of_its_contacts_and_pushes_the_other(stored):
    contacts = mb.load(stored).list("contacts")
    assert (contacts["body_a"] == -1).any() and (contacts["body_b"] >= 0).all()
    assert ((contacts["force"] * contacts["normal"]).sum(axis=1) >= 0.0).all()
    floor = contacts["body_a"] == -1
    assert (contacts["normal"][floor] == [0.0, 0.0, 1.0]).all()
    assert contacts["point_a"][floor][:, 2] == pytest.approx(0.0, abs=1e-12)


def test_it_is_not_continued(stored):
    with stopped(StoreError, stored, 2):
        ResultWriter.reopen(stored, 3)
    assert RawResult(stored).check() == []
