"""`mbplugin loads`."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated

import typer

from mbplugin.cli.common import loaded
from mbplugin.cli.options import NONE, Disabled, Json, Stored, Strict
from mbplugin.cli.streams import opened, print_document
from mbplugin.errors import writing


def loads_of_result(
    result: Stored,
    body: Annotated[str, typer.Argument(help="name of the body")],
    time: Annotated[
        list[float], typer.Option(help="instant \\[s], the nearest frame; repeatable; default all frames")
    ] = [],  # noqa: B006
    out: Annotated[
        str | None,
        typer.Option("-o", "--out", help="a .csv file, or load cards: .inp (Abaqus), .bdf (Nastran)"),
    ] = None,
    json: Json = False,
    no_plugin: Disabled = NONE,
    strict: Strict = False,
) -> None:
    from mbplugin.results.body_loads import HEADINGS

    stored = opened(result)
    if out is not None and Path(out).suffix.lower() != ".csv":
        from mbplugin.export.one_file import export

        registry, _ = loaded(no_plugin, strict)
        keys = {"body": body, "times": ", ".join(map(repr, time))}
        print(export(stored, registry, Path(out), [], keys))
        return
    loads = stored.loads(body, time or None)
    if out is not None:
        with writing(out), Path(out).open("w", newline="", encoding="utf-8") as text:
            csv.writer(text).writerows([HEADINGS, *loads.rows()])
        print(out)
    elif json:
        print_document({"body": body, "loads": [dict(zip(HEADINGS, row)) for row in loads.rows()]})
    else:
        print(f'"{body}": loads at points of its frame, in its axes; with inertia they are in equilibrium')
        width = max([len(row[1]) for row in loads.rows()] + [4])
        print(" ".join([f"{HEADINGS[0]:>10}", f"{HEADINGS[1]:{width}}", *[f"{h:>11}" for h in HEADINGS[3:]]]))
        for at, name, _, *numbers in loads.rows():
            print(" ".join([f"{at:10.6g}", f"{name:{width}}", *[f"{number:11.5g}" for number in numbers]]))
