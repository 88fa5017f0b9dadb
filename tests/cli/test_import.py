"""`mbplugin import`, and what `check` says of the scene."""

from __future__ import annotations

import json

from child import inside
from snapshots import same_message, same_report

ROBOT = """
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2"/></joint>
</robot>
"""
LEFT_OUT = "velocity limits of 1 joint (hinge)"


def test_an_import_tells_what_it_leaves_out_and_check_tells_it_again(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT)
    done = inside("import", "arm.urdf", "-o", "arm", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    same_report("import", done.stdout)
    assert LEFT_OUT in done.stdout and LEFT_OUT in inside("check", "arm", cwd=tmp_path).stdout
    assert json.loads(inside("check", "arm", "--json", cwd=tmp_path).stdout)["left_out"] == [LEFT_OUT]


def test_bad_input_is_refused_in_one_line_and_leaves_no_folder(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT.replace('value="2"', 'value="two"'))
    (tmp_path / "arm.step").write_text("")
    for options, place in (
        (("arm.urdf",), 'arm.urdf: link "upper": <mass value> = "two"'),
        (("arm.step",), 'import = "arm.step"'),
        (("gone.urdf",), 'import = "gone.urdf"'),
        (("arm.urdf", "--set", "float=true"), "float = true"),
    ):
        done = inside("import", *options, "-o", "out", cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"error: {place}: "), line
        same_message(line)
        assert not (tmp_path / "out").exists()
