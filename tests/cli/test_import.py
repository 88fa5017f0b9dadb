"""`mbplugin import`, and what `check` says of the scene."""

from __future__ import annotations

import json

from child import command

ROBOT = """
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1"/></joint>
</robot>
"""
LEFT_OUT = "limits of 1 joint (hinge)"


def test_an_import_tells_what_it_leaves_out_and_check_tells_it_again(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT)
    done = command("import", "arm.urdf", "-o", "arm", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "arm/scene.toml: 1 bodies, 1 joints",
        f"left out: {LEFT_OUT}",
        "try: mbplugin run arm",
    ]
    told = command("check", "arm", cwd=tmp_path).stdout.splitlines()
    assert f"left out at the import: {LEFT_OUT}" in told
    assert json.loads(command("check", "arm", "--json", cwd=tmp_path).stdout)["left_out"] == [LEFT_OUT]


def test_bad_input_is_refused_in_one_line_and_leaves_no_folder(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT.replace('value="2"', 'value="two"'))
    (tmp_path / "arm.step").write_text("")
    for words, options in (
        ('arm.urdf: link "upper": <mass value> = "two": must be a finite number', ("arm.urdf",)),
        ("no plugin reads such files; known: .mjcf, .urdf, .xml", ("arm.step",)),
        ("there is no such file", ("gone.urdf",)),
        ("float = true: unknown key; did you mean", ("arm.urdf", "--set", "float=true")),
    ):
        done = command("import", *options, "-o", "out", cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        (line,) = done.stderr.splitlines()
        assert line.startswith("error: ") and words in line, line
        assert not (tmp_path / "out").exists()
