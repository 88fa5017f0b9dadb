"""Commands and options. Implementations are imported when a command runs, so that `--help` is fast."""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from mbplugin.cli.optional_choice import WithForces
from mbplugin.cli.plugin_commands import Commands
from mbplugin.errors import cut, printable

#: exit code where standard output is closed early, the same as typer has
CLOSED_PIPE = 1

app = typer.Typer(cls=Commands, add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

Scene = Annotated[
    str, typer.Argument(help="a .toml file, a scene folder, or a Python file that defines `system`")
]
#: default of options that may be given several times
NONE: list[str] = []
Changes = Annotated[
    list[str], typer.Option("--set", help="set a parameter or a key: stiffness=5, solver.tolerance=1e-9")
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document")]
Disabled = Annotated[list[str], typer.Option("--no-plugin", help="do not load this plugin")]
Strict = Annotated[bool, typer.Option("--strict-plugins", help="stop if a plugin cannot be loaded")]


def command(
    what: str, name: str | None = None, of: typer.Typer = app, cls: Any = None
) -> Callable[[Any], Any]:
    """Register a function, of which the signature and the docstring count, as a command. What it does is the
    function `module:function` of this package, which gets the options by name.

    cls: of the command, if it reads its words itself
    """
    module, _, function = what.partition(":")

    def register(options: Any) -> Any:
        @functools.wraps(options)
        def call(**given: Any) -> None:
            getattr(importlib.import_module(f"mbplugin.cli.{module}"), function)(**given)

        return of.command(name, cls=cls)(call)

    return register


def print_version(wanted: bool) -> None:
    if wanted:
        from mbplugin import __version__

        print(f"mbplugin {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Multibody dynamics in which everything physical is a plugin."""


@command("run:run_scene")
def run(
    scene: Scene,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="folder of the result; default out/<scene>")
    ] = None,
    changes: Changes = NONE,
    end: Annotated[float | None, typer.Option(help="end time \\[s]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="continue from the last checkpoint of the result")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Simulate a scene; writes result.zarr, a ParaView series and messages.txt."""


@command("check:check_scene")
def check(
    scene: Scene,
    changes: Changes = NONE,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="print M, G, h, γ, X, Y, S, λ of a small model")
    ] = False,
    steps: Annotated[bool, typer.Option("--steps", help="print the rank added by each joint")] = False,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="propose replacements for redundant joints")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Assemble a scene; print degrees of freedom, constraint rows, rank, and redundant rows with causes."""


@command("explain:explain_scene")
def explain(
    scene: Scene,
    out: Annotated[str | None, typer.Option("-o", "--out", help="output folder; default out/<scene>")] = None,
    changes: Changes = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Write the equations of a small model: a page with numbers, and a numpy script that solves them."""


@command("analyze:analyze_scene")
def analyze(
    scene: Scene,
    what: Annotated[
        str,
        typer.Argument(
            help="position, velocity, acceleration, kinematic, inverse, static, eigen or redundancy; or the "
            "name of one that a plugin offers, whose keys are set by --set analysis.KEY=VALUE"
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="folder for messages.txt and results; default: nothing is written"),
    ] = None,
    changes: Changes = NONE,
    positions: Annotated[
        int | None,
        typer.Option(help="kinematic, inverse: number of positions; default as the frames of a run"),
    ] = None,
    end: Annotated[
        float | None, typer.Option(help="kinematic, inverse: time of the last position \\[s]")
    ] = None,
    load_steps: Annotated[
        int | None, typer.Option(help="static, eigen: number of load increments; default 1")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="eigen: linearize about the equilibrium (static, the default), the initial position (start) "
            "or the initial motion (motion)"
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            help="eigen --about motion: reference frame: rotating with the bodies (turning, the default), "
            "world, or angular velocity x,y,z \\[rad/s]"
        ),
    ] = None,
    lowest: Annotated[
        int | None,
        typer.Option(help="eigen: number of lowest modes to compute; default all, 20 of a large system"),
    ] = None,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="redundancy: propose replacements for redundant joints")
    ] = False,
    modes: Annotated[
        int | None, typer.Option(help="eigen with -o: number of mode shapes to write; default 6")
    ] = None,
    movie: Annotated[
        bool, typer.Option("--movie", help="eigen with -o: also write a movie of each mode")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Analyse a scene without time integration: assembly, initial state, kinematics, inverse dynamics,
    equilibrium, modes, redundancy.
    """


@command("info:info_result")
def info(result: Annotated[str, typer.Argument(help="folder of a result")], json: Json = False) -> None:
    """List the content of a result and check its integrity."""


@command("render:render_result", cls=WithForces)
def render(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .gif, .mp4 or .html file; default picture.png in the result's folder"
        ),
    ] = None,
    time: Annotated[
        float | None, typer.Option(help="time of a picture \\[s]; default the middle of the run")
    ] = None,
    speed: Annotated[
        float | None,
        typer.Option(help="simulated seconds per second of a movie; default the whole run in eight seconds"),
    ] = None,
    fps: Annotated[float, typer.Option(help="frames per second of a movie")] = 25.0,
    size: Annotated[str, typer.Option(help="width x height in pixels")] = "1280x720",
    view: Annotated[
        str | None,
        typer.Option(help="front, back, left, right, top, bottom or corner; default by the motion"),
    ] = None,
    forces: Annotated[
        str | None,
        typer.Option(
            "--forces",
            metavar="[WHICH]",
            help="show forces as arrows: joints, drives, contacts, or all, which is the default",
        ),
    ] = None,
    force_scale: Annotated[
        float | None,
        typer.Option(help="force \\[N] of an arrow of a sixth of the scene; default the usual one"),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="show the names of joints, bodies, springs, dampers and ropes")
    ] = False,
    joints: Annotated[
        bool, typer.Option("--joints/--no-joints", help="show the points and axes of joints")
    ] = True,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors",
            help="show the vectors from the origin to the mass centres and from those to the joints",
        ),
    ] = False,
    drawings: Annotated[
        bool, typer.Option("--drawings/--no-drawings", help="show the drawings of the scene")
    ] = True,
    trace: Annotated[
        list[str], typer.Option(help="show the path of this body's mass centre or of this marker (arm.tip)")
    ] = NONE,
    follow: Annotated[str | None, typer.Option(help="keep this body in the middle of the picture")] = None,
    color_by: Annotated[
        str,
        typer.Option(help="what colours bodies with a mesh: auto, von_mises, displacement, velocity, none"),
    ] = "auto",
    deformation: Annotated[float, typer.Option(help="scale of the deformation of bodies with a mesh")] = 1.0,
    undeformed: Annotated[
        bool, typer.Option("--undeformed", help="show outlines of bodies with a mesh, undeformed")
    ] = False,
    quality: Annotated[
        str,
        typer.Option(
            help="normal, or high: darkens corners, slower; auto does where the ground is more than a floor"
        ),
    ] = "auto",
    window: Annotated[
        bool, typer.Option("--window", help="open a window with a time slider; the space bar plays")
    ] = False,
) -> None:
    """Render a result as a picture, as a movie, as a page that a browser turns, or in a window."""


@command("render:plot_result")
def plot(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    what: Annotated[
        list[str],
        typer.Argument(
            help="names such as energy.kinetic, pin.angle, joint.pin.force, rod.tip.position.x, "
            "contact.floor.box.normal_force; `mbplugin info` lists them"
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .svg or .pdf file; default plot.png in the result's folder"
        ),
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="a quantity in the place of time, such as pin.angle: a phase plot")
    ] = None,
    beside: Annotated[
        list[str], typer.Option("--with", help="folder of another result, drawn in the same panels")
    ] = NONE,
    size: Annotated[str, typer.Option(help="width x height in pixels; default by the panels")] = "",
    degrees: Annotated[bool, typer.Option("--degrees", help="angles and their rates in degrees")] = False,
) -> None:
    """Plot stored quantities against time, or against another quantity."""


@command("report:report_result")
def report(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="a .html file; default report.html in the result's folder"),
    ] = None,
) -> None:
    """Write an HTML page about a result: picture, energies, drift, redundancy, reactions, contacts, plots."""


@command("paraview:show_in_paraview")
def paraview(
    result: Annotated[str, typer.Argument(help="folder of a result")] = "",
    forces: Annotated[
        bool, typer.Option("--forces", help="show reactions and forces of contacts as arrows at once")
    ] = False,
    script: Annotated[
        str | None,
        typer.Option(help="write the picture as a script for paraview and pvpython instead; - prints it"),
    ] = None,
    plugin_path: Annotated[
        bool, typer.Option("--plugin-path", help="print the path of the reader plugin for ParaView, no more")
    ] = False,
) -> None:
    """Show a result in ParaView, by a reader plugin that opens the store itself: no series is needed."""


@command("export:export_result")
def export(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    out: Annotated[
        str,
        typer.Option(
            "-o",
            "--out",
            help="the file; its suffix says which: .csv, .parquet, .vtkhdf, .glb, or one of a plugin "
            "(`mbplugin plugins` lists them)",
        ),
    ],
    what: Annotated[
        list[str],
        typer.Argument(
            help="quantities of a table, such as energy.kinetic or joint.pin.force; default all stored"
        ),
    ] = NONE,
    keys: Annotated[list[str], typer.Option("--set", help="set a key of the exporter: separator=;")] = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Export a result as a table, or its moving bodies, to one file."""


@command("import_file:import_file", "import")
def import_command(
    file: Annotated[str, typer.Argument(help="a file of another program: .urdf, .xml (URDF, MJCF)")],
    out: Annotated[str, typer.Option("-o", "--out", help="the scene folder to write; new or empty")],
    keys: Annotated[
        list[str],
        typer.Option("--set", help="set a key of the importer: floating=true, packages.NAME=FOLDER"),
    ] = NONE,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Make a scene of a robot described for another program; lists what it leaves out."""


@command("sweep:sweep_scene")
def sweep(
    scene: Scene,
    values: Annotated[
        list[str],
        typer.Argument(
            help="keys and their values: length=0.1:0.5:50 (first:last:count), rate=1:1e3:7:log, mass=1,2,3"
        ),
    ],
    measure: Annotated[
        list[str],
        typer.Option(
            "--measure",
            "-m",
            help="what is kept of each run: a quantity over time such as pin.angle, or a reduction such as "
            "max(norm(joint.pin.force)); max, min, range, mean, rms, first, last; norm, abs",
        ),
    ],
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="folder of the sweep; default out/<scene>_sweep")
    ] = None,
    processes: Annotated[int, typer.Option(help="worker processes")] = 1,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="the first values together, the second ones, ...: no grid")
    ] = False,
    changes: Changes = NONE,
    end: Annotated[float | None, typer.Option(help="end time of the runs \\[s]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="continue: points that were run stay as they are")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="write over a sweep of other values or measures")
    ] = False,
    plot: Annotated[
        str | None, typer.Option(help="picture: a .png, .svg or .pdf file; default sweep.png in the folder")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="a measure in the place of time in the picture, such as pen.position.x")
    ] = None,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Run a scene at many points of its parameters; writes sweep.nc, sweep.csv and a picture."""


@command("linearize:linearize_scene", "linearize")
def linearize_command(
    scene: Scene,
    outputs: Annotated[
        list[str],
        typer.Option("--output", "-y", help="a quantity as `plot` takes it; default the joint coordinates"),
    ] = NONE,
    inputs: Annotated[
        list[str], typer.Option("--input", "-u", help="an `input` of the scene; default all")
    ] = NONE,
    about: Annotated[
        str, typer.Option(help="start (position at t = 0) or static (equilibrium searched from there)")
    ] = "start",
    out: Annotated[str | None, typer.Option("-o", "--out", help="a .json, .npz or .mat file")] = None,
    changes: Changes = NONE,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Linear model dz/dt = A z + B u, y = C z + D u about an equilibrium; its poles, and a file of it."""


plugins_app = typer.Typer(
    invoke_without_command=True,
    help="List plugins with version, distribution, state and offers; show a kind; check a plugin.",
)
app.add_typer(plugins_app, name="plugins")


@plugins_app.callback()
def plugins(
    context: typer.Context, json: Json = False, strict: Strict = False, no_plugin: Disabled = NONE
) -> None:
    """List plugins with version, distribution, state and offers."""
    if context.invoked_subcommand is None:
        from mbplugin.cli.plugins import list_plugins

        list_plugins(json, no_plugin, strict)


@command("plugins:show_kind", "show", of=plugins_app)
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="name of a joint, force, measure, body kind, solver, method or enforcement, such as revolute"
        ),
    ],
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    """Describe a kind: its basic constraints, coordinates, free directions and keys."""


@command("plugins:check_one", "check", of=plugins_app)
def check_plugin(
    name: Annotated[str, typer.Argument(help="name of the plugin, as `mbplugin plugins` lists it")],
) -> None:
    """Run the conformance kit on all offers of a plugin: derivatives, action = reaction, power, rank,
    cost.
    """


@command("plugins:print_schema")
def schema() -> None:
    """Print the JSON Schema of a scene, including the keys of all loaded plugins."""


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="folder to create")],
    plugin: Annotated[
        bool, typer.Option("--plugin", help="create a small plugin with its own distribution instead")
    ] = False,
) -> None:
    """Create a small scene to start from, or with --plugin a small plugin."""
    from mbplugin.cli.new import new_plugin, new_scene

    new_plugin(name) if plugin else new_scene(name)


@command("verify:verify_scenes")
def verify(
    paths: Annotated[list[str], typer.Argument(help="scene folders, or folders of scene folders")],
    changes: Changes = NONE,
    json: Json = False,
) -> None:
    """Run scenes and compare the results with their truth.py."""


def main() -> None:
    """Entry point of the command line: turns errors into messages and exit codes."""
    from contextlib import nullcontext

    from mbplugin.cli.interrupt import exit_on_interrupt
    from mbplugin.cli.streams import (
        error_fields,
        escape_what_cannot_be_encoded,
        forget_output,
        only_documents,
        print_document,
    )
    from mbplugin.errors import Interrupted, MbpluginError, SceneError, StoreError

    # what is imported and compiled stays: looking for garbage in it took a quarter of a short run
    gc.set_threshold(100_000, 20, 100)
    atexit.register(gc.freeze)
    escape_what_cannot_be_encoded()
    json, fields = "--json" in sys.argv, {}
    with only_documents() if json else nullcontext():
        try:
            with exit_on_interrupt():
                app()
        except MbpluginError as error:
            text, code, fields = str(error), error.exit_code, error_fields(error)
            if error.last_steps is not None:
                text += f"\nthe last steps, painted: mbplugin render {error.last_steps}"
        except MemoryError as error:
            text = f"not enough memory ({error or 'none left'}): ask for fewer frames, positions or points"
            code = SceneError.exit_code
        except BrokenPipeError:
            # nobody reads the output any more
            forget_output()
            sys.exit(CLOSED_PIPE)
        except UnicodeEncodeError as error:
            mend = f"this name cannot be written as {error.encoding}; set LC_ALL=C.UTF-8, or PYTHONUTF8=1"
            text = f"{error.object[:100]}: {mend}"
            code = StoreError.exit_code
        except OSError as error:
            # not from results, which raise StoreError: the cache, a deleted folder
            text = f"{error.filename or 'input/output'}: {error.strerror or error}"
            code = StoreError.exit_code
        except KeyboardInterrupt:
            text, code = "interrupted", Interrupted("").exit_code
        else:
            return
        text = "\n".join(map(printable, cut(text).split("\n")))
        if json:
            print_document({"error": fields | {"message": text, "exit_code": code}})
        print(f"error: {text}", file=sys.stderr)
        sys.exit(code)
