"""Scenes that somebody might write by mistake: bundled ones with values, keys, tables and letters changed."""

from __future__ import annotations

import copy
import random
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from mbplugin.model.toml import document

SCENES = Path(__file__).parents[2] / "scenes"
Tables = dict[str, Any]
Place = tuple[Any, Any]  # a table or list, and a key or index of it

EXTREMES = (
    0,
    -1,
    1e300,
    -1e300,
    1e-300,
    1e50,
    -1e50,
    1e49,
    1e20,
    -1e20,
    1e-50,
    1e-49,
    1e15,
    1e-15,
    2**63,
    10**400,
)
SCALES = (-1.0, 0.0, 1e-12, 1e-9, 1e-6, 1e-3, 0.5, 2.0, 1e3, 1e6, 1e9, 1e12, 1e30, 1e-30)
TEXTS = (
    "",
    " ",
    "ground",
    "Größe",
    "漢字",
    "e\u0301",
    "\u202eright to left",
    "a\u0000b",
    "\x1b[2J",
    "😀",
    "n" * 300,
    "漢" * 100,
    "../../x",
    "a.b.c",
    "-",
    "nan",
    "inf",
    "time",
    "sin",
    "__import__('os')",
)
EXPRESSIONS = (
    "time",
    "1/time",
    "sin(1e9*time)",
    "exp(100*time)",
    "1e49*time",
    "sqrt(-time)",
    "log(time)",
    "time**-3",
    "tan(100*time)",
    "if(time > 0.01, 1, -1)",
    "sign(sin(1000*time))",
    "abs(time - 0.005)",
    "1e-40*time",
    "(" * 39 + "time" + ")" * 39,
    "+".join(["time"] * 300),
    "polynomial(time, 1, 2, 3)",
    "haversine_step(time, 0, 0, 1e-12, 1e3)",
    "0*time",
    "time - time",
    "exp(-1/time)",
)
WRONG_KINDS = (True, None, [], {}, [[]], [1, 2], [1, 2, 3, 4], "text", {"a": 1}, [None], [{}])


@cache
def bundled() -> dict[str, Tables]:
    """The tables of all bundled scenes, by name."""
    return {file.parent.name: tomllib.loads(file.read_text()) for file in sorted(SCENES.glob("*/scene.toml"))}


def case(number: int) -> tuple[str, str]:
    """Name of the bundled scene and text of case `number`, always the same."""
    chance = random.Random(number)
    name = chance.choice(list(bundled()))
    tables = copy.deepcopy(bundled()[name])
    try:
        for _ in range(chance.choice((1, 1, 1, 2, 3, 5))):
            chance.choice(MUTATIONS)(tables, chance)
        text = document(without_nothing(tables))
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        return case(number + 10**9)
    if chance.random() < 0.05:
        text = cut_or_noise(text, chance)
    return name, text


def without_nothing(value: Any) -> Any:
    """The tables without None, which TOML has not."""
    if isinstance(value, dict):
        return {str(k): without_nothing(v) for k, v in value.items() if v is not None}
    if isinstance(value, list):
        return [without_nothing(v) for v in value if v is not None]
    return value


def places(here: Any) -> Iterator[Place]:
    """Every value of the tables, with the table or list that holds it."""
    items = here.items() if isinstance(here, dict) else enumerate(here) if isinstance(here, list) else ()
    for key, value in list(items):
        yield here, key
        yield from places(value)


def choose(tables: Tables, chance: random.Random, kind: Any) -> Place | None:
    found = [(h, k) for h, k in places(tables) if isinstance(h[k], kind) and not isinstance(h[k], bool)]
    return chance.choice(found) if found else None


def scale_a_number(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, (int, float)):
        here, key = place
        here[key] = here[key] * chance.choice(SCALES)


def put_an_extreme(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, (int, float)):
        place[0][place[1]] = chance.choice(EXTREMES)


def put_an_expression(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, (int, float, str)):
        place[0][place[1]] = chance.choice(EXPRESSIONS)


def put_a_text(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, str):
        place[0][place[1]] = chance.choice(TEXTS)


def put_a_wrong_kind(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, object):
        place[0][place[1]] = copy.deepcopy(chance.choice(WRONG_KINDS))


def rename_everywhere(tables: Tables, chance: random.Random) -> None:
    """A body or a joint gets another name, and all that refer to it too."""
    names = [
        t["name"] for of in ("body", "joint") for t in elements(tables, of) if isinstance(t.get("name"), str)
    ]
    if not names:
        return
    old, new = chance.choice(names), chance.choice(TEXTS)
    for here, key in places(tables):
        value = here[key]
        if isinstance(value, str) and (value == old or value.startswith(f"{old}.")):
            here[key] = new + value[len(old) :]


def elements(tables: Tables, of: str) -> list[Tables]:
    value = tables.get(of)
    return [t for t in value if isinstance(t, dict)] if isinstance(value, list) else []


def remove(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, object):
        del place[0][place[1]]


def repeat(tables: Tables, chance: random.Random) -> None:
    """An element once more, under another name."""
    of = chance.choice(("body", "joint", "force", "motion", "state", "variable"))
    if found := elements(tables, of):
        new = copy.deepcopy(chance.choice(found))
        if "name" in new:
            new["name"] = f"{new['name']}_again"
        tables[of].append(new)


def exchange(tables: Tables, chance: random.Random) -> None:
    """Two values change places."""
    found = list(places(tables))
    if len(found) > 1:
        (a, i), (b, k) = chance.sample(found, 2)
        a[i], b[k] = copy.deepcopy(b[k]), copy.deepcopy(a[i])


def add_a_key(tables: Tables, chance: random.Random) -> None:
    if place := choose(tables, chance, dict):
        key = chance.choice(("mass", "type", "name", "", "size", "x", "angle", *TEXTS[3:8]))
        place[0][place[1]][key] = chance.choice((*EXTREMES, *TEXTS, *WRONG_KINDS))


def add_a_state(tables: Tables, chance: random.Random) -> None:
    new = {
        "name": "sum",
        "rate": chance.choice((*EXPRESSIONS, "sum**2", "-1e6*sum")),
        "start": chance.choice(EXTREMES),
    }
    if isinstance(tables.setdefault("state", []), list):
        tables["state"].append(new)


def add_variables(tables: Tables, chance: random.Random) -> None:
    """A chain of variables, each the sum of the one before with itself, that a force uses."""
    n = chance.choice((3, 40, 300))
    of = chance.choice(EXPRESSIONS)
    chain = [{"name": f"v{k}", "value": f"v{k - 1} + v{k - 1}" if k else of} for k in range(n)]
    if isinstance(tables.setdefault("variable", []), list):
        tables["variable"] += chain
    if bodies := elements(tables, "body"):
        force = {"type": "force", "body": bodies[0].get("name", "a"), "force_x": f"1e-12*v{n - 1}"}
        if isinstance(tables.setdefault("force", []), list):
            tables["force"].append(force)


def another_solver(tables: Tables, chance: random.Random) -> None:
    tables["solver"] = {
        **(tables["solver"] if isinstance(tables.get("solver"), dict) else {}),
        **chance.choice(
            (
                {"type": "galpha", "step": chance.choice((1e-3, 1e-5, 0.5, 1e10))},
                {"type": "galpha", "tolerance": chance.choice((1e-4, 1e-12, 0.1))},
                {"type": "rk", "integrator": "rk4", "step": chance.choice((1e-3, 1e-12, 1.0))},
                {"type": "rk", "tolerance": chance.choice((1e-1, 1e-14, 1e-16))},
                {"method": chance.choice(("kkt", "newton_euler", "constraint_force"))},
                {"end": chance.choice((1e-20, 1e-9, 1e9, 1e20))},
            )
        ),
    }


def turn_or_shift(tables: Tables, chance: random.Random) -> None:
    """A body somewhere else: joints that no longer close, or bodies in one place."""
    if found := elements(tables, "body"):
        chance.choice(found)[
            chance.choice(("position", "velocity", "angular_velocity", "center_of_mass"))
        ] = [chance.choice((0, 1e-9, 0.1, 1, 1e3, 1e15)) * chance.choice((-1, 1)) for _ in range(3)]


def cut_or_noise(text: str, chance: random.Random) -> str:
    """A file that ends early, or with a letter somewhere that was not there."""
    at = chance.randrange(len(text) + 1)
    return text[:at] if chance.random() < 0.5 else text[:at] + chance.choice(TEXTS) + text[at:]


MUTATIONS = (
    scale_a_number,
    scale_a_number,
    scale_a_number,
    put_an_extreme,
    put_an_extreme,
    put_an_expression,
    put_an_expression,
    put_a_text,
    put_a_wrong_kind,
    rename_everywhere,
    remove,
    remove,
    repeat,
    exchange,
    add_a_key,
    add_a_state,
    add_variables,
    another_solver,
    another_solver,
    turn_or_shift,
    turn_or_shift,
)
