"""Content of frames from a solver: its outputs, its lists, and its transient blocks as contacts."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from mbplugin.decoder.contact_frame import DERIVED, derived
from mbplugin.errors import PluginError
from mbplugin.kernels import transient_entries
from mbplugin.model.shape import MeshPart, SurfaceFaces, SurfaceNode
from mbplugin.problem import Problem
from mbplugin.results.contacts import OF_PAIRS, PAIRS, ground_first
from mbplugin.results.impacts import ARRAYS as ARRAYS_OF_IMPACTS
from mbplugin.results.impacts import IMPACTS, LOCAL_VECTORS, entries_of
from mbplugin.results.layout import LOSSES, Described
from mbplugin.run.impacts import IMPACT
from mbplugin.run.pair_sums import NO_SUMS, PairSums
from mbplugin.stepping import CompiledSolver
from mbplugin.tables.groups import Bodies, Shapes, Step, TransientMarkers, TransientRows
from mbplugin.tables.records import MOMENT
from mbplugin.tables.spec import Array, specs

#: axes of a contact beside its normal
AXES = ("tangent_1", "tangent_2")
#: points of the bodies of a solver that names the shapes
MATERIAL = {
    f"material_{end}": Described(("xyz",), "m", f"the point of body {end}, in the frame of the body")
    for end in "ab"
}
#: dimensions of the columns of an array
COLUMNS = {0: (), 3: ("xyz",), 6: ("component",), 9: ("matrix",)}
CONTACTS = {
    "body_a": Described((), "1", "index of body a, -1 the ground", "<i8"),
    "body_b": Described((), "1", "index of body b, never the ground", "<i8"),
    "law": Described((), "1", "0 equality, 1 nonnegative, 2 box, 3 cone", "<i8"),
    "point_a": Described(("xyz",), "m", "on body a, world"),
    "point": Described(("xyz",), "m", "on body b, world"),
    "normal": Described(("xyz",), "1", "direction of the first row's force on b, world"),
    "gap": Described((), "m", "of the first row, at the start of the step"),
    "impulse": Described(("xyz",), "N s", "on body b over the step that leads to the frame, world"),
    "angular_impulse": Described(("xyz",), "N m s", "on body b about the point, world"),
    "force": Described(("xyz",), "N", "impulse over the length of the step"),
    **{name: Described(("xyz",), *DERIVED[name][1:]) for name in AXES},
    "local_force": Described(("local",), *DERIVED["local_force"][1:]),
}


class SolverOutputs:
    """The outputs of one solver in a run. own: its group of arrays; None if it has none."""

    def __init__(self, problem: Problem, kind: type[CompiledSolver], own: Any, transient: bool) -> None:
        self._problem = weakref.ref(problem)  # which holds them
        self.kind, self.own, self.transient = kind, own, transient
        asked = [
            *kind.losses.values(),
            *kind.outputs,
            *(a for one in kind.lists.values() for a in (one.length, *one.arrays)),
        ]
        for name in asked:
            if own is None or name not in specs(own):
                raise PluginError(f'solver "{kind.name}": its outputs name "{name}", no array of its group')
        for term, name in kind.losses.items():
            if f"energy/{term}" not in LOSSES:
                known = ", ".join(f'"{key.removeprefix("energy/")}"' for key in LOSSES)
                raise PluginError(f'solver "{kind.name}": its losses have "{term}"; there are {known}')
            if name not in kind.stateful_arrays:
                raise PluginError(f'solver "{kind.name}": its loss "{name}" must be in `stateful_arrays`')
        self._empty: dict[str, dict[str, Array]] = {}
        numbers = np.array(problem.names.body_index, np.int64)
        #: index of a body in the scene, by its number in the tables; the last one is the ground's
        self.in_scene = np.full(len(problem[Bodies].index) + 1, -1)
        self.in_scene[numbers] = np.arange(len(numbers))
        parts = len(problem.names.kinds) + np.flatnonzero(self.in_scene[problem.names.wholes] >= 0)
        self.in_scene[parts] = self.in_scene[problem.names.wholes][parts - len(problem.names.kinds)]
        made, parts = (
            np.array([isinstance(shape, kinds) for shape in problem.names.shapes], bool)
            for kinds in (SurfaceNode | SurfaceFaces, MeshPart)
        )
        #: index of a shape in the scene, by its number in the tables; of a part its mesh, which goes before;
        #: negative: a node or the faces of a body that deforms
        self.shape_in_scene = np.where(made, -1 - np.arange(len(made)), np.cumsum(~made & ~parts) - 1)

    @property
    def problem(self) -> Problem:
        """Whose outputs they are."""
        problem = self._problem()
        assert problem is not None
        return problem

    def names(self) -> list[tuple[str, str]]:
        """(name, unit) of each number of `outputs`."""
        found = []
        for name, unit in self.kind.outputs.items():
            size = getattr(self.problem[self.own], name).size
            found += [(f"{self.kind.name}.{name}" + (f".{i}" if size > 1 else ""), unit) for i in range(size)]
        return found

    @property
    def columns(self) -> list[tuple[Any, str]]:
        """Group and name of each array that is a part of every frame: outputs, then losses of energy."""
        return [(self.own, name) for name in (*self.kind.outputs, *self.kind.losses.values())]

    def lists(self) -> dict[str, dict[str, Described]]:
        """Name of each list -> array -> its description."""
        found = {}
        for name, one in self.kind.lists.items():
            found[name] = {
                array: Described(
                    COLUMNS[specs(self.own)[array].columns],
                    unit,
                    f"of {self.kind.name}",
                    np.dtype(specs(self.own)[array].dtype).newbyteorder("<").str,
                )
                for array, unit in one.arrays.items()
            }
        material = MATERIAL if self.names_shapes else {}
        found |= {"contacts": CONTACTS | self.further | material} if self.transient else {}
        found |= {PAIRS: OF_PAIRS} if self.kind.pair_sums else {}
        return found | ({IMPACTS: ARRAYS_OF_IMPACTS} if self.kind.notes_impacts else {})

    @property
    def names_shapes(self) -> bool:
        """Whether the solver says which shapes touch."""
        return {"shape_a", "shape_b"} <= set(self.kind.contact_arrays)

    @property
    def further(self) -> dict[str, Described]:
        """Arrays that the solver adds to each contact."""
        return {
            name: Described(
                COLUMNS[one.columns], one.unit, one.meaning, "<i8" if one.whole else "<f8", one.words
            )
            for name, one in self.kind.contact_arrays.items()
        }

    def entries(self, before: PairSums | None = None) -> dict[str, Array]:
        """The present entries: "lists/name/array" -> (n, ...). Of the sums of pairs those that differ from
        the ones before, or all; impacts are of no state.
        """
        found = self.impacts(np.zeros(0, IMPACT)) if self.kind.notes_impacts else {}
        if self.kind.pair_sums:
            found |= self.of_pairs(self.pair_sums().since(before))
        for name, one in self.kind.lists.items():
            n = int(getattr(self.problem[self.own], one.length)[0])
            for array in one.arrays:
                found[f"lists/{name}/{array}"] = np.array(getattr(self.problem[self.own], array)[:n])
        return found | (self.contacts() if self.transient else {})

    @property
    def has_entries(self) -> bool:
        """Whether lists may have entries that belong to a state; where nothing can touch they are empty."""
        return bool(self.kind.lists) or (self.transient and len(self.problem[Shapes].index) > 0)

    def is_quiet(self, before: PairSums) -> bool:
        """Whether the present state has no entries, and sums of pairs are those before."""
        if self.kind.lists or self.problem[TransientRows].used[0] > 0:
            return False
        now = self.pair_sums()
        return np.array_equal(now.key, before.key) and np.array_equal(now.impulse, before.impulse)

    def no_entries(self) -> dict[str, Array]:
        """`entries` of a quiet state."""
        found = self.impacts(np.zeros(0, IMPACT)) if self.kind.notes_impacts else {}
        found |= self.of_pairs(NO_SUMS) if self.kind.pair_sums else {}
        return found | (self.empty("contacts", self.made_contacts) if self.transient else {})

    def empty(self, what: str, make: Callable[[], dict[str, Array]]) -> dict[str, Array]:
        """Entries of lists without any, made once: most frames have no contact and no impact."""
        if what not in self._empty:
            self._empty[what] = make()
        return self._empty[what]

    def impacts(self, noted: Array) -> dict[str, Array]:
        """The entries of impacts that were noted (n,) of `IMPACT`."""
        made = lambda: self.made_impacts(noted)
        return made() if len(noted) else self.empty("impacts", made)

    def made_impacts(self, noted: Array) -> dict[str, Array]:
        """`impacts`, made anew."""
        arrays = {name: np.array(noted[name]) for name in IMPACT.names or ()}
        arrays |= {f"body_{end}": self.in_scene[arrays[f"body_{end}"]] for end in "ab"}
        arrays |= {f"shape_{end}": self.shape_in_scene[arrays[f"shape_{end}"]] for end in "ab"}
        arrays |= {"before": arrays.pop("touched"), "after": 1 - arrays.pop("parts")}
        arrays |= {name: noted[source] for name, source in zip(LOCAL_VECTORS, ("impulse", "before", "after"))}
        return {f"lists/{IMPACTS}/{name}": values for name, values in entries_of(arrays).items()}

    def pair_sums(self) -> PairSums:
        """The present sums of pairs."""
        if not self.kind.pair_sums:
            return NO_SUMS
        count, key, impulse = (getattr(self.problem[self.own], name) for name in self.kind.pair_sums)
        return PairSums(key[: count[0]].copy(), impulse[: count[0]].copy())

    def of_pairs(self, sums: PairSums) -> dict[str, Array]:
        """The entries of sums of pairs."""
        made = lambda: self.made_pairs(sums)
        return made() if len(sums.key) else self.empty("pairs", made)

    def made_pairs(self, sums: PairSums) -> dict[str, Array]:
        """`of_pairs`, made anew."""
        of_shapes = np.append(self.problem[Shapes].index.body, -1)
        shapes = dict(zip(("shape_a", "shape_b"), np.divmod(sums.key, len(of_shapes) - 1)))
        bodies = {f"body_{end}": self.in_scene[of_shapes[shapes[f"shape_{end}"]]] for end in "ab"}
        shapes = {name: self.shape_in_scene[numbers] for name, numbers in shapes.items()}
        found = shapes | bodies | {"impulse": sums.impulse}
        return {f"lists/{PAIRS}/{name}": ground_first(found.__getitem__, name) for name in OF_PAIRS}

    def contacts(self) -> dict[str, Array]:
        """The blocks of the transient rows in use, as contacts; their points are where the bodies are now."""
        none = self.problem[TransientRows].used[0] == 0
        return self.empty("contacts", self.made_contacts) if none else self.made_contacts()

    def made_contacts(self) -> dict[str, Array]:
        """`contacts`, made anew."""
        self.problem.check(transient_entries.locate_contacts(self.problem.addresses))
        transient, markers = self.problem[TransientRows], self.problem[TransientMarkers]
        used, rows = map(int, transient.used)
        # blocks of moments follow their contact, and are parts of it
        blocks = np.flatnonzero(transient.index.row_type[:used] != MOMENT)
        n, index, part = len(blocks), transient.index[blocks], markers.index.part
        G = transient.G_marker[: 12 * rows].reshape(rows, 12)[:, 6:]
        first = index.first_row
        load = np.add.reduceat(transient.impulse[:rows, None] * G, first) if n > 0 else np.zeros((0, 6))
        length = float(self.problem[Step].record[0].length)
        found = {
            "body_a": self.in_scene[part[2 * blocks]],
            "body_b": self.in_scene[part[2 * blocks + 1]],
            "law": np.array(index.row_type),
            "point_a": markers.x[2 * blocks],
            "point": markers.x[2 * blocks + 1],
            "normal": G[first, :3],
            "gap": transient.phi[first],
            "impulse": load[:, :3],
            "angular_impulse": load[:, 3:],
            "force": load[:, :3] / length if length > 0.0 else np.zeros((n, 3)),
        }
        described = self.kind.describe_contacts(self.problem)
        if set(described) != set(self.kind.contact_arrays):
            lacks = ", ".join(sorted(set(described) ^ set(self.kind.contact_arrays)))
            raise PluginError(
                f'solver "{self.kind.name}": describe_contacts and contact_arrays differ in {lacks}'
            )
        found |= {name: np.array(array)[:n] for name, array in described.items()}
        if self.names_shapes:
            for point, end in (("point_a", "a"), ("point", "b")):
                found[f"material_{end}"] = self.material_points(found[f"shape_{end}"], found[point])
                found[f"shape_{end}"] = self.shape_in_scene[found[f"shape_{end}"]]
        found = {name: ground_first(found.__getitem__, name) for name in found}
        local = derived(found["normal"], found["force"])
        found |= {name: local[name] for name in (*AXES, "local_force")}
        return {f"lists/contacts/{name}": values for name, values in found.items()}

    def material_points(self, shape: Array, x: Array) -> Array:
        """(n, 3) points of the bodies of these shapes (n,) that are at x (n, 3) now, in their frames [m]."""
        points = np.array(x, order="C")
        shapes = np.ascontiguousarray(shape, np.int64)
        self.problem.check(transient_entries.put_material_points(self.problem.addresses, shapes, points))
        return points
