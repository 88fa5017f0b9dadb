"""`mbplugin verify`: run each scene and compare it with its truth.py."""

from __future__ import annotations

import math
import runpy
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from mbplugin.cli.common import loaded, read
from mbplugin.cli.options import NONE, Changes, Json
from mbplugin.cli.streams import print_document
from mbplugin.errors import Interrupted, MbpluginError, SceneError, one_line
from mbplugin.result import load


def verify_scenes(
    paths: Annotated[list[str], typer.Argument(help="scene folders, or folders of scene folders")],
    changes: Changes = NONE,
    json: Json = False,
) -> None:
    folders = [folder for path in paths for folder in scene_folders(Path(path))]
    if not folders:
        raise SceneError("verify", ", ".join(paths), "there is no folder with a scene.toml")
    rows = [row for folder in folders for row in verify_scene(folder, changes)]
    if json:
        print_document(rows)
    else:
        for row in rows:
            mark = "ok  " if row["ok"] else "FAIL"
            print(
                f"{mark} {row['scene']:20s} {row['name']:50s} error {row['error']:.1e}  "
                f"tolerance {row['tolerance']:.1e}  {row['source']}"
            )
    bad = sum(not row["ok"] for row in rows)
    print(f"{len(rows)} rows of {len(folders)} scenes, {bad} failed", file=sys.stderr)
    if bad:
        sys.exit(1)


def scene_folders(path: Path) -> list[Path]:
    if (path / "scene.toml").exists():
        return [path]
    return sorted(p for p in path.iterdir() if (p / "scene.toml").exists()) if path.is_dir() else []


def verify_scene(folder: Path, changes: list[str]) -> list[dict[str, Any]]:
    """One row per comparison; a scene without truth, and what does not run or raises, is a failed row, behind
    those before it.
    """
    from mbplugin.run.analyze import analyze
    from mbplugin.run.loop import run_system

    rows: list[dict[str, Any]] = []
    try:
        with tempfile.TemporaryDirectory() as out:
            system = read(str(folder), changes)
            registry, _ = loaded([], False)
            module = truth_of(folder)
            if "ANALYSIS" in module:
                options = module.get("OPTIONS", {})
                found: Any = analyze(system, module["ANALYSIS"], registry, **options).report
            else:
                run_system(system, out, registry)
                found = load(out)
            for row in compared(folder, module, found):
                rows.append(row)
    except (Interrupted, MemoryError):
        raise
    except MbpluginError as error:
        return [*rows, failed(folder, str(error))]
    except (Exception, SystemExit) as error:
        return [*rows, failed(folder, raised(folder, error))]
    return rows or [failed(folder, "truth.py yields no row")]


def raised(folder: Path, error: BaseException) -> str:
    """An exception in one line, with the last line of truth.py that it comes from."""
    what = one_line(f"{type(error).__name__}: {error}").rstrip(": ")
    truth = str(folder / "truth.py")
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == truth]
    if isinstance(error, SyntaxError) and error.filename == truth:
        lines.append(error.lineno)
    return f"truth.py: line {lines[-1]}: {what}" if lines else what


def truth_of(folder: Path) -> dict[str, Any]:
    """What truth.py defines: `truth(result)`, and ANALYSIS where its argument is the report of that analysis
    instead, with its OPTIONS.
    """
    file = folder / "truth.py"
    return runpy.run_path(str(file)) if file.exists() else {}


def compared(folder: Path, module: dict[str, Any], result: Any) -> Iterator[dict[str, Any]]:
    if not module:
        yield failed(folder, "there is no truth.py")
        return
    truth = module.get("truth")
    if truth is None:
        yield failed(folder, "truth.py has no function truth(result)")
        return
    for name, value, reference, tolerance, source in truth(result):
        error = abs(float(value) - float(reference))
        good = (
            math.isfinite(float(value))
            and math.isfinite(float(reference))
            and tolerance > 0
            and error <= tolerance
        )
        yield {
            "scene": folder.name,
            "name": name,
            "value": float(value),
            "reference": float(reference),
            "error": error,
            "tolerance": float(tolerance),
            "source": source,
            "ok": bool(good),
        }


def failed(folder: Path, why: str) -> dict[str, Any]:
    nan = float("nan")
    return {
        "scene": folder.name,
        "name": why,
        "value": nan,
        "reference": nan,
        "error": nan,
        "tolerance": 0.0,
        "source": "",
        "ok": False,
    }
