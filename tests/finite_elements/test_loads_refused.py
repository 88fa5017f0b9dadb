"""Loads on faces that a scene describes wrongly are refused at their key, with what to change."""

import pytest
from loaded_blocks import pressure, text

import mbplugin as mb
from mbplugin.compile import compile_system
from mbplugin.errors import PluginError, SceneError
from mbplugin.hooks.load import load_plugins
from mbplugin.interface import ForceKind
from mbplugin.testing.kit import beside

RIGID = '[[body]]\nname = "ball"\nmass = 1\ninertia = [1, 1, 1]\nmarker = [{ name = "top" }]\n'


def refused(scene, registry=None, error=SceneError):
    with pytest.raises(error) as caught:
        compile_system(mb.System.from_text(scene), registry or load_plugins()[0])
    return caught.value


def force(**keys):
    lines = "".join(f'{key} = "{value}"\n' for key, value in keys.items())
    return f"[[force]]\n{lines}"


def test_an_unknown_set_is_named_with_the_known_ones():
    error = refused(text(forces=pressure("x+", 1).replace('"x+"', '"top"')))
    assert error.key == "force[0].faces" and error.value == "top"
    assert "no such set of faces" in error.mend and "z+" in error.mend


def test_a_node_set_without_a_full_face_is_refused(tmp_path):
    """From a file, whose set "edge" has two nodes."""
    inp = """*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 1, 1, 0
4, 0, 1, 0
5, 0, 0, 1
6, 1, 0, 1
7, 1, 1, 1
8, 0, 1, 1
*ELEMENT, TYPE=C3D8, ELSET=ALL
1, 1, 2, 3, 4, 5, 6, 7, 8
*NSET, NSET=edge
1, 2
*NSET, NSET=bottom
1, 2, 3, 4
"""
    (tmp_path / "cube.inp").write_text(inp)
    scene = text(forces=pressure("edge", 1))
    start = scene.index("mesh = ")
    scene = scene[:start] + 'mesh = { file = "cube.inp" }' + scene[scene.index("\n", start) :]
    (tmp_path / "scene.toml").write_text(scene)
    with pytest.raises(SceneError) as caught:
        compile_system(mb.System.from_file(tmp_path / "scene.toml"), load_plugins()[0])
    assert caught.value.key == "force[0].faces" and "no face to act on" in caught.value.mend
    (tmp_path / "scene.toml").write_text(scene.replace('"edge"', '"bottom"'))
    problem = compile_system(mb.System.from_file(tmp_path / "scene.toml"), load_plugins()[0])
    assert problem.names.scene_forces == [("pressure_1", "pressure")] and len(problem.names.forces) == 1


@pytest.mark.parametrize(
    "keys, key, said",
    [
        ({"faces": "x+"}, "force[0].body", "name the body"),
        ({"body": "block"}, "force[0].faces", "name a set of faces"),
        ({"body": "ball", "faces": "x+"}, "force[0].body", 'a body of type = "spatial" has no faces'),
        ({"body": "ground", "faces": "x+"}, "force[0].body", "the ground has no faces"),
        ({"body": "ball.top", "faces": "x+"}, "force[0].body", 'not on a marker; write "ball"'),
        ({"body": "block", "faces": "x+", "a": "ball"}, "force[0].a", "leave it out"),
        ({"body": "block", "faces": "x+", "joint": "hinge"}, "force[0].joint", "leave it out"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_named(keys, key, said):
    error = refused(text(forces=RIGID + force(type="pressure", pressure="1", **keys)))
    assert error.key == key and said in error.mend


def test_a_number_in_the_place_of_a_set_is_refused():
    scene = text(forces=pressure("x+", 1).replace('faces = "x+"', "faces = 3"))
    error = refused(scene)
    assert error.key == "force[0].faces" and "in quotes" in error.mend


def test_a_force_on_markers_takes_no_faces():
    error = refused(text(forces=RIGID + force(type="force", body="ball", faces="x+")))
    assert error.key == "force[0].faces" and "acts on markers" in error.mend


def test_a_kind_on_faces_has_no_states():
    class Wrong(ForceKind):
        name = "wrong"
        on_faces = True
        markers = None
        states = 1

        @staticmethod
        def kernel(m, wrench):
            wrench[:] = 0.0

    scene = text(forces=force(type="wrong", body="block", faces="x+"))
    error = refused(scene, beside("force element", Wrong, None), PluginError)
    assert "`states` is not for kinds with `on_faces`" in str(error)
