"""The commands and their options; what they do is imported when they run, so that `--help` is quick."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Multibody dynamics in which everything physical is a plugin.",
)

Scene = Annotated[
    str, typer.Argument(help="a .toml file, a scene folder, or a Python file that builds `system`")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", help="change a parameter or a key: stiffness=5, solver.tolerance=1e-9"),
]
Json = Annotated[bool, typer.Option("--json", help="print one JSON document")]
Disabled = Annotated[list[str] | None, typer.Option("--no-plugin", help="leave this plugin out")]
Strict = Annotated[bool, typer.Option("--strict-plugins", help="stop where a plugin cannot be loaded")]


@app.command()
def run(
    scene: Scene,
    out: Annotated[
        str | None, typer.Option("-o", "--out", help="folder of the result; default out/<scene>")
    ] = None,
    changes: Changes = None,
    end: Annotated[float | None, typer.Option(help="time at which to end [s]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="go on from the last checkpoint of the result")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = None,
    strict: Strict = False,
) -> None:
    """Run a scene: result.zarr, the ParaView series and messages.txt."""
    from mbplugin.cli.run import run_scene

    run_scene(scene, out, changes or [], end, resume, json, no_plugin or [], strict)


@app.command()
def check(
    scene: Scene,
    changes: Changes = None,
    matrices: Annotated[
        bool, typer.Option("--matrices", help="print M, G, h, γ, X, Y, S, λ of a small model")
    ] = False,
    steps: Annotated[bool, typer.Option("--steps", help="show what each joint adds to the rank")] = False,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="try other joints in the place of redundant ones")
    ] = False,
    json: Json = False,
    no_plugin: Disabled = None,
    strict: Strict = False,
) -> None:
    """Assemble a scene and count: degrees of freedom, rows, rank; which rows are redundant, and why."""
    from mbplugin.cli.check import check_scene

    check_scene(scene, changes or [], matrices, steps, repairs, json, no_plugin or [], strict)


@app.command()
def explain(
    scene: Scene,
    out: Annotated[str | None, typer.Option("-o", "--out", help="folder; default out/<scene>")] = None,
    changes: Changes = None,
    no_plugin: Disabled = None,
    strict: Strict = False,
) -> None:
    """Write the equations of a small model: a page with its numbers, and a numpy script that finds the
    accelerations again.
    """
    from mbplugin.cli.explain import explain_scene

    explain_scene(scene, out, changes or [], no_plugin or [], strict)


@app.command()
def analyze(
    scene: Scene,
    what: Annotated[
        str,
        typer.Argument(
            help="position, velocity, acceleration, kinematic, inverse, static, eigen or redundancy"
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="folder for messages.txt and what can be drawn; default none"),
    ] = None,
    changes: Changes = None,
    positions: Annotated[
        int | None, typer.Option(help="kinematic, inverse: number of positions; default the frames of a run")
    ] = None,
    end: Annotated[
        float | None, typer.Option(help="kinematic, inverse: time of the last position [s]")
    ] = None,
    load_steps: Annotated[
        int | None, typer.Option(help="static, eigen: parts in which the load comes on; default 1")
    ] = None,
    about: Annotated[
        str | None,
        typer.Option(
            help="eigen: about the balance (static, the default), the position at t = 0 (start), or the motion then (motion)"
        ),
    ] = None,
    frame: Annotated[
        str | None,
        typer.Option(
            help="eigen --about motion: from what turns as the bodies do (turning, the default), world, or x,y,z in rad/s"
        ),
    ] = None,
    repairs: Annotated[
        bool, typer.Option("--repairs", help="redundancy: try other joints in the place of redundant ones")
    ] = False,
    modes: Annotated[int | None, typer.Option(help="eigen with -o: modes to draw; default 6")] = None,
    movie: Annotated[bool, typer.Option("--movie", help="eigen with -o: a movie of each mode too")] = False,
    json: Json = False,
    no_plugin: Disabled = None,
    strict: Strict = False,
) -> None:
    """Analyse a scene without time steps: assembly, initial velocities and accelerations, kinematics, drives,
    balance, modes, redundant rows.
    """
    from mbplugin.cli.analyze import analyze_scene

    options = {
        "positions": positions,
        "end": end,
        "load_steps": load_steps,
        "about": about,
        "frame": frame,
        "repairs": repairs or None,
    }
    analyze_scene(scene, what, out, changes or [], options, modes, movie, json, no_plugin or [], strict)


@app.command()
def info(result: Annotated[str, typer.Argument(help="folder of a result")], json: Json = False) -> None:
    """Say what a result holds, and whether it is whole."""
    from mbplugin.cli.info import info_result

    info_result(result, json)


@app.command()
def render(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .gif or .mp4 file; default picture.png in the result's folder"
        ),
    ] = None,
    time: Annotated[float | None, typer.Option(help="time of a picture [s]; default the middle")] = None,
    speed: Annotated[
        float | None,
        typer.Option(help="simulated seconds per second of a movie; default all of the run in eight seconds"),
    ] = None,
    fps: Annotated[float, typer.Option(help="pictures per second of a movie")] = 25.0,
    size: Annotated[str, typer.Option(help="pixels of the picture")] = "1280x720",
    forces: Annotated[bool, typer.Option("--forces", help="show reaction forces as arrows")] = False,
    names: Annotated[bool, typer.Option("--names", help="show the names of the joints")] = False,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors",
            help="show the vectors from the origin to the mass centres and from there to the joints",
        ),
    ] = False,
    trace: Annotated[list[str] | None, typer.Option(help="body whose mass centre leaves a line")] = None,
    window: Annotated[
        bool, typer.Option("--window", help="open a window with a time slider; space plays")
    ] = False,
) -> None:
    """Draw a result: a picture, a movie, or a window."""
    from mbplugin.cli.render import render_result

    render_result(result, out, time, speed, fps, size, forces, names, vectors, trace or [], window)


@app.command()
def plot(
    result: Annotated[str, typer.Argument(help="folder of a result")],
    what: Annotated[
        list[str],
        typer.Argument(help="names such as energy.kinetic, pin.angle, joint.pin.force, body.rod.position.x"),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", help="a .png, .svg or .pdf file; default plot.png in the result's folder"
        ),
    ] = None,
) -> None:
    """Plot stored quantities over time."""
    from mbplugin.cli.render import plot_result

    plot_result(result, what, out)


plugins_app = typer.Typer(
    invoke_without_command=True,
    help="List plugins: name, version, distribution, what they offer, state; show a kind, or check a plugin.",
)
app.add_typer(plugins_app, name="plugins")


@plugins_app.callback()
def plugins(
    context: typer.Context, json: Json = False, strict: Strict = False, no_plugin: Disabled = None
) -> None:
    """List plugins: name, version, distribution, what they offer, state; or check one."""
    if context.invoked_subcommand is None:
        from mbplugin.cli.plugins import list_plugins

        list_plugins(json, no_plugin or [], strict)


@plugins_app.command("show")
def show(
    name: Annotated[
        str,
        typer.Argument(
            help="name of a joint, force, measure, body kind, solver, method or enforcement, such as revolute"
        ),
    ],
    json: Json = False,
    no_plugin: Disabled = None,
    strict: Strict = False,
) -> None:
    """Say what a kind is: what it is made of, its coordinates, what it leaves free, its keys."""
    from mbplugin.cli.plugins import show_kind

    show_kind(name, json, no_plugin or [], strict)


@plugins_app.command("check")
def check_plugin(
    name: Annotated[str, typer.Argument(help="name of the plugin, as `mbplugin plugins` lists it")],
) -> None:
    """Run the conformance kit on everything that a plugin offers: derivatives, action and reaction, power,
    rank, cost.
    """
    from mbplugin.cli.plugins import check_one

    check_one(name)


@app.command()
def schema() -> None:
    """Print the JSON Schema of a scene, with the keys of all loaded plugins."""
    from mbplugin.cli.schema import print_schema

    print_schema()


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="folder to make")],
    plugin: Annotated[
        bool, typer.Option("--plugin", help="write a small plugin in a distribution of its own instead")
    ] = False,
) -> None:
    """Write a small scene to start from, or with --plugin a small plugin."""
    from mbplugin.cli.new import new_plugin, new_scene

    new_plugin(name) if plugin else new_scene(name)


@app.command()
def verify(
    paths: Annotated[list[str], typer.Argument(help="scene folders, or folders of such")],
    changes: Changes = None,
    json: Json = False,
) -> None:
    """Run scenes and compare them with their truth.py."""
    from mbplugin.cli.verify import verify_scenes

    verify_scenes(paths, changes or [], json)


def main() -> None:
    """The entry point: a message and an exit code for every error that a user can meet."""
    from mbplugin.cli.interrupt import leaves_at_once
    from mbplugin.errors import MbpluginError, StoreError

    try:
        with leaves_at_once():
            app()
    except MbpluginError as error:
        if "--json" in sys.argv:
            import json

            print(json.dumps({"error": {"message": str(error), "exit_code": error.exit_code}}))
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except OSError as error:
        # what is written has its own messages; this is the cache, a pipe, a folder that went away
        print(f"error: {error.filename or 'input/output'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(StoreError.exit_code)
