"""Scene files: every bad one gives one message with file, key, value and correction."""

import copy
import tomllib
import tracemalloc

import pytest
from refusals import refused
from snapshots import same_message

import mbplugin as mb
from mbplugin.errors import SceneError
from mbplugin.model import System

SCENE = """\
[scene]
gravity = [0, 0, -9.81]

[parameters]
stiffness = 100.0
half = "stiffness/2"

[[body]]
name = "upper"
mass = "half"
inertia = [0.0841, 0.0841, 0.0017]
shape = [{ type = "box", size = [0.1, 0.1, 1.0] }]
[[body.marker]]
name = "tip"
position = [0, 0, 0.5]

[[body]]
name = "lower"
mass = 1

[[joint]]
name = "shoulder"
type = "revolute"
a = "ground"
b = "upper"

[[force]]
type = "spring_damper"
a = "lower"
b = "upper.tip"
stiffness = "stiffness"

[solver]
tolerance = 1e-8
end = 10.0
"""


def read(tmp_path, text, monkeypatch, **keys):
    (tmp_path / "scene.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    return System.from_file("scene.toml", **keys)


#: what Python says differs with its version
OF_PYTHON = r"(is not TOML|is not Python|ModuleNotFoundError|cannot be read): .*"


@pytest.mark.parametrize(
    ("old", "new", "line", "key"),
    [
        ("[0.0841, 0.0841, 0.0017]", "[1, 1, 5]", 11, "body[0].inertia"),
        ("mass = 1", "mass = true", 19, "body[1].mass"),
        ("mass = 1", "mass = nan", 19, "body[1].mass"),
        ("mass = 1", "mass = -inf", 19, "body[1].mass"),
        ("mass = 1", 'mass = ""', 19, "body[1].mass"),
        ("mass = 1", "mass = 1979-05-27", 19, "body[1].mass"),
        ("mass = 1", "mass = 1" + 400 * "0", 19, "body[1].mass"),
        ("mass = 1", "mass = 1" + 5000 * "0", 19, ""),
        ('"half"', '"haf"', 10, "body[0].mass"),
        ('"stiffness/2"', '"half"', 6, "parameters.half"),
        ('b = "upper"', 'b = "uper"', 25, "joint[0].b"),
        ("upper.tip", "upper.tp", 30, "force[0].b"),
        ("[0, 0, 0.5]", "[0, 0]", 15, "body[0].marker[0].position"),
        ("[scene]", "[scne]", 1, "scne"),
        ("[scene]", "heading = 3\n[scene]", 1, "heading"),
        ("gravity", "gravty", 2, "scene.gravty"),
        ("gravity", 'units = "mm"\ngravity', 2, "scene.units"),
        ("[solver]", "[units]\n[solver]", 33, "units"),
        ("[solver]", "[[bushing]]\n[solver]", 33, "bushing"),
        ("[0, 0, -9.81]", "-9.81", 2, "scene.gravity"),
        ("[[joint]]", "[joint]", 21, "joint"),
        ("[solver]", "[[solver]]", 33, "solver"),
        ("end = 10.0", "end = 0", 35, "solver.end"),
        ("[solver]", "[solver", 33, ""),
        ('"upper"', '"upper', 9, ""),
        ("[solver]", "[scene]", 33, ""),
        ('name = "lower"', 'name = "upper"', 18, "body[1].name"),
        ('name = "lower"', "", 17, "body[1].name"),
        ('name = "lower"', 'nme = "lower"', 17, "body[1].name"),
    ],
)
def test_a_mistake_is_reported_with_file_line_key_and_value(tmp_path, monkeypatch, old, new, line, key):
    assert old in SCENE
    with refused(key, file="scene.toml", line=line, hide=OF_PYTHON) as caught:
        read(tmp_path, SCENE.replace(old, new, 1), monkeypatch)
    assert caught.value.exit_code == 2
    assert len(str(caught.value).splitlines()) <= 3


def test_at_most_three_mistakes_are_reported(tmp_path, monkeypatch):
    bad = SCENE.replace("[0, 0, -9.81]", "3").replace("0.1, 0.1, 1.0", "0").replace("mass = 1", "mass = 0")
    with pytest.raises(SceneError) as caught:
        read(tmp_path, bad.replace("end = 10.0", "end = -1"), monkeypatch)
    assert [problem.line for problem in (caught.value, *caught.value.also)] == [2, 12, 19, 35]
    assert len(str(caught.value).splitlines()) == 3
    same_message(str(caught.value))


@pytest.mark.parametrize(
    ("content", "key"),
    [
        (b"", ""),
        (b" \n\t\n", ""),
        (b"# nothing\n", "body"),
        (b"body = []", "body"),
        (b'[[body]]\nname = "\xff"\n', ""),
        (b"\x00\x01\x02", ""),
        (b"a = " + b"[" * 100_000, ""),
        (b"a = " + b"{a = " * 100_000, ""),
    ],
)
def test_a_file_that_is_no_scene_is_refused(tmp_path, monkeypatch, content, key):
    (tmp_path / "scene.toml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with refused(key, file="scene.toml", hide=OF_PYTHON):
        System.from_file("scene.toml")


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "scene.toml"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    tracemalloc.start()
    with refused(""):
        System.from_file(path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_files_that_are_not_there_or_not_scenes_are_named_as_typed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("hello")
    for typed, seen in [
        ("nothing.toml", "nothing.toml"),
        ("empty", "empty/scene.toml"),
        ("notes.txt", "notes.txt"),
    ]:
        with refused("", file=seen):
            System.from_file(typed)


def test_a_folder_stands_for_its_scene_and_names_it(tmp_path):
    folder = tmp_path / "swing"
    folder.mkdir()
    (folder / "scene.toml").write_text(SCENE)
    system = System.from_file(folder)
    assert system.scene.name == "swing"
    assert system.folder == folder
    assert system.source == SCENE
    (folder / "other.toml").write_text(SCENE)
    assert System.from_file(folder / "other.toml").scene.name == "other"


def test_a_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "scene.toml").write_bytes(b"\xef\xbb\xbf" + SCENE.encode())
    assert System.from_file(tmp_path).bodies[0].mass == 50.0


STRANGE = [
    True,
    -1,
    0,
    0.0,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "x",
    "ground",
    "a.b.c",
    "time",
    "\x00",
    "1/0",
]
STRANGE += [
    [],
    {},
    [1],
    [1, 2],
    ["x", 2, 3],
    [[1]],
    [{}],
    {"type": "box"},
    {"": 1},
    {"own": 3},
    {"name": "ground"},
]


def places(data, path=()):
    """The path of every value in nested tables and lists."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))


def test_any_value_in_a_scene_gives_a_system_or_one_message():
    from mbplugin.model.reading import system_of

    whole = tomllib.loads(
        SCENE + 'method = "kkt"\n[output]\nframes = 3\n[[motion]]\njoint = "shoulder"\nangle = "time"'
    )
    outcomes = {True: 0, False: 0}
    for path in places(whole):
        for strange in STRANGE:
            data = copy.deepcopy(whole)
            here = data
            for step in path[:-1]:
                here = here[step]
            here[path[-1]] = strange
            try:
                system_of(data, "scene.toml", "", None, ())
            except SceneError as error:
                assert 1 <= len(str(error).splitlines()) <= 3, (path, strange)
                assert (
                    len(str(error)) < 1500
                    and "Input should" not in str(error)
                    and "object at" not in str(error)
                ), error
                outcomes[False] += 1
            else:
                outcomes[True] += 1
    assert min(outcomes.values()) > 50


# --set


def test_set_changes_parameters_and_keys(tmp_path, monkeypatch):
    changes = {
        "stiffness": "8",
        "solver.tolerance": "1e-9",
        "scene.gravity": "[0, 0, 0]",
        "solver.type": "euler",
        "body.lower.mass": "half*2",
        "body[1].inertia": "[1, 1, 1]",
        "output.frames": 7,
    }
    system = read(tmp_path, SCENE, monkeypatch, set=changes)
    assert system.parameters == {"stiffness": 8.0, "half": 4.0}
    assert [body.mass for body in system.bodies] == [4.0, 8.0]
    assert system.bodies[1].inertia == (1.0, 1.0, 1.0)
    assert system.solver.raw == {"tolerance": 1e-9} and system.solver.type == "euler"
    assert system.scene.gravity == (0.0, 0.0, 0.0)
    assert system.output.frames == 7


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("stifness", "8"),
        ("w", "8"),
        ("parameters.w", "8"),
        ("solve.end", "8"),
        ("solver.end", "-8"),
        ("solver.end", "ten"),
        ("stiffness", "half"),
        ("body.uper.mass", "8"),
        ("body[7].mass", "8"),
        ("scene.gravity.x", "8"),
        ("body.upper.mass", "-8"),
    ],
)
def test_a_mistake_in_a_set_option_is_reported_as_such(tmp_path, monkeypatch, key, value):
    with pytest.raises(SceneError) as caught:
        read(tmp_path, SCENE, monkeypatch, set={key: value})
    assert caught.value.file == "scene.toml" and caught.value.key.startswith("--set ")
    assert value.lstrip("-") in str(caught.value.value)
    same_message(str(caught.value))


def test_set_without_a_value_takes_a_key_out(tmp_path, monkeypatch):
    """So that a scene can be given to a solver without that key, whose message says how."""
    for nothing in ("", None):
        system = read(tmp_path, SCENE, monkeypatch, set={"body.upper.inertia": nothing})
        assert system.bodies[0].inertia is None and system.bodies[0].shapes
    with refused("--set body.lower.inertia"):
        read(tmp_path, SCENE, monkeypatch, set={"body.lower.inertia": ""})
    with refused("parameters.half", "stiffness/2"):
        read(tmp_path, SCENE, monkeypatch, set={"stiffness": ""})


# Python files

PYTHON = """\
from mbplugin.model import Body, Joint, System
system = System(scene={"name": "swing"}, parameters={"k": 3})
system.add(Body(name="bob", mass=1, inertia=[1, 1, 1]))
system.add(Joint(name="pivot", type="ball", a="ground", b="bob"))
"""


def test_a_python_file_builds_the_system(tmp_path):
    (tmp_path / "swing.py").write_text(PYTHON)
    system = System.from_file(tmp_path / "swing.py")
    assert system.bodies[0].name == "bob" and system.folder == tmp_path
    changed = System.from_file(tmp_path / "swing.py", set={"solver.end": "3", "k": "4"})
    assert changed.solver.end == 3.0 and changed.parameters == {"k": 4.0}


@pytest.mark.parametrize(
    ("statement", "line", "key"),
    [
        ("x = 1/0", 5, ""),
        ("raise SystemExit(3)", 5, ""),
        ("import no_such_module", 5, ""),
        ("system.add(Body(name='bob'))", 5, "body[1].name"),
        ("Body(name='x', mass=-1)", 5, "Body.mass"),
        ("x = (", 5, ""),
        ("system = 3", None, ""),
        ("del system", None, ""),
    ],
)
def test_a_mistake_in_a_python_file_is_reported_with_its_line(tmp_path, monkeypatch, statement, line, key):
    (tmp_path / "swing.py").write_text(PYTHON + statement + "\n")
    monkeypatch.chdir(tmp_path)
    with refused(key, file="swing.py", line=line, hide=OF_PYTHON):
        System.from_file("swing.py")


def test_a_mistake_of_a_kind_is_located_by_the_system(tmp_path, monkeypatch):
    system = read(tmp_path, SCENE, monkeypatch)
    error = system.locate(SceneError("force[0].stiffness", "stiffness", "must be soft"))
    assert (error.file, error.line, error.key) == ("scene.toml", 31, "force[0].stiffness")


def test_a_key_of_a_kind_and_of_all_joints_is_listed_once():
    text = '[[body]]\nname = "bob"\ntype = "point"\nmass = 1\n'
    text += '[[joint]]\nname = "rope"\ntype = "rope"\na = "ground"\nb = "bob"\nlength = 1\nqqqq = 1\n'
    with pytest.raises(SceneError) as caught:
        mb.System.from_text(text).compile()
    known = str(caught.value).split("known: ")[-1].split(" and ")[0].split(", ")
    assert "restitution" in known and len(known) == len(set(known))
