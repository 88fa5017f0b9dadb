"""Scene files: every bad one gives one message with file, key, value and correction."""

import copy
import tomllib
import tracemalloc

import pytest

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


@pytest.mark.parametrize(
    "old, new, message",
    [
        (
            "[0.0841, 0.0841, 0.0017]",
            "[1, 1, 5]",
            "line 11: body[0].inertia = [1, 1, 5]: no body has these principal",
        ),
        ("mass = 1", "mass = true", "line 19: body[1].mass = true: must be a number, not true or false"),
        ("mass = 1", "mass = nan", "line 19: body[1].mass = nan: must be a finite number"),
        ("mass = 1", "mass = -inf", "line 19: body[1].mass = -inf: must be a finite number"),
        ("mass = 1", 'mass = ""', 'line 19: body[1].mass = "": is empty'),
        ("mass = 1", "mass = 1979-05-27", "line 19: body[1].mass = "),
        (
            "mass = 1",
            "mass = 1" + 400 * "0",
            "line 19: body[1].mass = an integer with more than 30 digits: is too large",
        ),
        ("mass = 1", "mass = 1" + 5000 * "0", "line 19: contains a value that cannot be read"),
        ('"half"', '"haf"', 'line 10: body[0].mass = "haf": unknown name "haf"; did you mean "half"?'),
        ('"stiffness/2"', '"half"', 'line 6: parameters.half = "half": circular definition: half -> half'),
        (
            'b = "upper"',
            'b = "uper"',
            'line 25: joint[0].b = "uper": there is no body "uper"; did you mean "upper"?',
        ),
        (
            "upper.tip",
            "upper.tp",
            'line 30: force[0].b = "upper.tp": body "upper" has no marker "tp"; did you',
        ),
        (
            "[0, 0, 0.5]",
            "[0, 0]",
            "line 15: body[0].marker[0].position = [0.0, 0.0]: must be a list of 3 numbers",
        ),
        (
            "[scene]",
            "[scne]",
            'line 1: scne = { gravity = [0, 0, -9.81] }: unknown key; did you mean "scene"?',
        ),
        (
            "[scene]",
            "heading = 3\n[scene]",
            "line 1: heading = 3: unknown key; known: scene, parameters, body",
        ),
        ("gravity", "gravty", 'line 2: scene.gravty = [0, 0, -9.81]: unknown key; did you mean "gravity"?'),
        ("[0, 0, -9.81]", "-9.81", "line 2: scene.gravity = -9.81: must be a list of 3 numbers"),
        ("[[joint]]", "[joint]", "line 21: joint = {"),
        ("[solver]", "[[solver]]", "line 33: solver = [{"),
        ("end = 10.0", "end = 0", "line 35: solver.end = 0: must be greater than 0"),
        ("[solver]", "[solver", "line 33: is not TOML: "),
        ('"upper"', '"upper', "line 9: is not TOML: "),
        ("[solver]", "[scene]", "line 33: is not TOML: "),
        ('name = "lower"', 'name = "upper"', 'line 18: body[1].name = "upper": another body has this name'),
        ('name = "lower"', "", "line 17: body[1].name: is missing"),
        (
            'name = "lower"',
            'nme = "lower"',
            'line 17: body[1].name: is missing; did you misspell it as "nme"?',
        ),
    ],
)
def test_a_mistake_is_reported_with_file_line_key_and_value(tmp_path, monkeypatch, old, new, message):
    assert old in SCENE
    with pytest.raises(SceneError) as caught:
        read(tmp_path, SCENE.replace(old, new, 1), monkeypatch)
    assert caught.value.exit_code == 2
    assert str(caught.value).startswith("scene.toml: " + message)
    assert len(str(caught.value).splitlines()) <= 3


def test_at_most_three_mistakes_are_reported(tmp_path, monkeypatch):
    bad = SCENE.replace("[0, 0, -9.81]", "3").replace("0.1, 0.1, 1.0", "0").replace("mass = 1", "mass = 0")
    with pytest.raises(SceneError) as caught:
        read(tmp_path, bad.replace("end = 10.0", "end = -1"), monkeypatch)
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[1] for line in lines] == ["line 2", "line 12", "line 19"]
    assert lines[-1].endswith("(and 1 more)")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "is empty"),
        (b" \n\t\n", "is empty"),
        (b"# nothing\n", "there is no [[body]]"),
        (b"body = []", "there is no [[body]]"),
        (b'[[body]]\nname = "\xff"\n', "line 2: byte 0xff is not UTF-8"),
        (b"\x00\x01\x02", "is not TOML"),
        (b"a = " + b"[" * 100_000, "is nested too deeply"),
        (b"a = " + b"{a = " * 100_000, "is nested too deeply"),
    ],
)
def test_a_file_that_is_no_scene_is_refused(tmp_path, monkeypatch, content, message):
    (tmp_path / "scene.toml").write_bytes(content)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SceneError) as caught:
        System.from_file("scene.toml")
    assert str(caught.value).startswith("scene.toml: ")
    assert message in str(caught.value)


def test_a_huge_file_is_refused_unread(tmp_path):
    path = tmp_path / "scene.toml"
    with open(path, "wb") as file:
        file.truncate(200_000_000)
    tracemalloc.start()
    with pytest.raises(SceneError, match="200 MB; at most 20"):
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
        with pytest.raises(SceneError) as caught:
            System.from_file(typed)
        assert str(caught.value).startswith(f"{seen}: ")
        assert "a scene is a .toml file" in str(caught.value)


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
    "key, value, message",
    [
        ("stifness", "8", 'the scene has no parameter "stifness"; did you mean "stiffness"?'),
        ("w", "8", 'the scene has no parameter "w"; known: stiffness, half'),
        ("parameters.w", "8", 'the scene has no parameter "w"'),
        ("solve.end", "8", 'there is no table [solve]; did you mean "solver"?'),
        ("solver.end", "-8", "must be greater than 0"),
        ("solver.end", "ten", 'unknown name "ten"'),
        ("stiffness", "half", "circular definition"),
        ("body.uper.mass", "8", 'there is no body named "uper"; did you mean "upper"?'),
        ("body[7].mass", "8", "body has 2 elements"),
        ("scene.gravity.x", "8", "scene.gravity has no keys"),
        ("body.upper.mass", "-8", "must be greater than 0"),
    ],
)
def test_a_mistake_in_a_set_option_is_reported_as_such(tmp_path, monkeypatch, key, value, message):
    with pytest.raises(SceneError) as caught:
        read(tmp_path, SCENE, monkeypatch, set={key: value})
    assert str(caught.value).startswith("scene.toml: --set ")
    assert message in str(caught.value)
    assert value.lstrip("-") in str(caught.value)


def test_set_without_a_value_takes_a_key_out(tmp_path, monkeypatch):
    """So that a scene can be given to a solver without that key, whose message says how."""
    for nothing in ("", None):
        system = read(tmp_path, SCENE, monkeypatch, set={"body.upper.inertia": nothing})
        assert system.bodies[0].inertia is None and system.bodies[0].shapes
    with pytest.raises(SceneError, match=r"scene.toml: --set body.lower.inertia: gives no value, which"):
        read(tmp_path, SCENE, monkeypatch, set={"body.lower.inertia": ""})
    with pytest.raises(SceneError, match=r'unknown name "stiffness"'):
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
    "line, message",
    [
        ("x = 1/0", "swing.py: line 5: ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "swing.py: line 5: SystemExit: 3"),
        ("import no_such_module", "swing.py: line 5: ModuleNotFoundError: "),
        (
            "system.add(Body(name='bob'))",
            'swing.py: line 5: body[1].name = "bob": another body has this name',
        ),
        ("Body(name='x', mass=-1)", "swing.py: line 5: Body.mass = -1: must be greater than 0"),
        ("x = (", "swing.py: line 5: is not Python: "),
        ("system = 3", "swing.py: the file must define `system`, a System; it is of type int"),
        ("del system", "swing.py: the file must define `system`, a System; it is not defined"),
    ],
)
def test_a_mistake_in_a_python_file_is_reported_with_its_line(tmp_path, monkeypatch, line, message):
    (tmp_path / "swing.py").write_text(PYTHON + line + "\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SceneError) as caught:
        System.from_file("swing.py")
    assert str(caught.value).startswith(message)


def test_a_mistake_of_a_kind_is_located_by_the_system(tmp_path, monkeypatch):
    system = read(tmp_path, SCENE, monkeypatch)
    error = system.locate(SceneError("force[0].stiffness", "stiffness", "must be soft"))
    assert str(error) == 'scene.toml: line 31: force[0].stiffness = "stiffness": must be soft'
