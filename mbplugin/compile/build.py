"""Walk a system and draft its tables: bodies, joints with their motions, forces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mbplugin.compile.assemble import BodyRecord, assemble
from mbplugin.compile.draft import Draft, DraftBlock, DraftElement, DraftEnforced, DraftRow
from mbplugin.compile.drawn import drawn_value
from mbplugin.compile.frames import Frame, joint_frames, on_body, plane_axes
from mbplugin.compile.parameters import split
from mbplugin.errors import PluginError, SceneError, did_you_mean, listed
from mbplugin.hooks.registry import Registry
from mbplugin.interface import Basic, BodyKind, BodyPlan, ConstraintKind, ForceKind, Measure
from mbplugin.interface.problem import CoordinateWords, EnforcedWords, JointWords, Problem, RowName, Words
from mbplugin.interface.tangent import tangent_of
from mbplugin.interface.wrapper import Shape
from mbplugin.model import Force, Joint, Motion, System
from mbplugin.model.expression import FUNCTIONS, Expression, Reference, parse
from mbplugin.model.joint import Start
from mbplugin.model.table import validated
from mbplugin.tables.groups import ACCEPT, CONSTRAINT, COORDINATE, DEPENDENCE, ENFORCE, EVENT, FORCE, MEASURE, OWN_SLOTS, SAME_SLOTS

#: the force element that the engine adds for `[scene] gravity`
GRAVITY = "gravity"


@dataclass
class Builder:
    """One compilation: the system, what plugins offer, and the draft."""

    system: System
    registry: Registry
    draft: Draft = field(default_factory=Draft)
    words: Words = field(default_factory=Words)
    bodies: list[BodyRecord] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    joint_motions: dict[str, list[tuple[int, Motion]]] = field(default_factory=dict)
    coordinate_measure: dict[tuple[str, str], tuple[int, Measure, tuple[int, ...]]] = field(default_factory=dict)

    def own(self, kind: Any, raw: dict[str, Any], key: str, common: Sequence[str]) -> Any:
        """A kind's own keys, validated."""
        if kind.parameters is None:
            for name in raw:
                raise SceneError(f"{key}.{name}", raw[name], f'unknown key of type "{kind.name}"{did_you_mean(name, common) or f"; it takes {listed(common)}"}')
            return None
        return validated(kind.parameters, raw, key, self.system.names, also_known=common)

    def measure(self, given: Measure | str, kind: type[ConstraintKind] | type[ForceKind]) -> Measure:
        """A kind's own measure, or the registered one that it names."""
        if not isinstance(given, str):
            return given
        try:
            return self.registry.measure(given)
        except SceneError as error:
            raise PluginError(f'type "{kind.name}" asks for the measure "{given}": {error.mend}') from None

    # bodies

    def add_bodies(self) -> None:
        """Bodies sorted by kind, so that a batch is a range; `words.body_index` leads from the scene's order to the tables'."""
        system = self.system
        kinds = [self.registry.body_kind(body.type, f"body[{k}].type") for k, body in enumerate(system.bodies)]
        order = sorted(range(len(kinds)), key=lambda k: kinds[k].name)
        plane = plane_axes(system.scene.plane)
        for k in order:
            body, kind = system.bodies[k], kinds[k]
            own = self.own(kind, body.own, f"body[{k}]", type(body).keys())
            plan = kind.plan(own, body.mass_properties(), plane)
            R = body.axes()
            x, v = np.array(body.position, float), np.array(body.velocity, float)
            w = np.array(body.angular_velocity, float)
            q, qv = kind.coordinates(x, R, v, w, plan, plane)
            if kind.in_plane and abs(plane[:, 2] @ (x + R @ plan.origin)) > 1e-9:
                raise SceneError(f"body[{k}].position", list(body.position), "a planar body's mass centre lies in the plane through the world's origin")
            self.bodies.append(BodyRecord(body.name, kind, plan, q, qv, x, R))
            self.index[body.name] = len(self.bodies) - 1
        self.words.bodies = [body.name for body in system.bodies]
        self.words.body_index = [self.index[name] for name in self.words.bodies]
        for number, record in enumerate(self.bodies):
            centre = record.x + record.R @ record.plan.origin
            record.point = self.point(Frame(number, centre, record.R))
        self.words.body_point = [self.bodies[i].point for i in self.words.body_index]

    def point(self, frame: Frame) -> int:
        """A marker: a point record on its body."""
        if frame.body < 0:
            return self.draft.point(-1, np.zeros(0), frame.x, frame.R)
        record = self.bodies[frame.body]
        place = record.R.T @ (frame.x - record.x)
        return self.draft.point(frame.body, record.kind.point(place, record.R.T @ frame.R, record.plan), frame.x, frame.R)

    # joints

    def add_joints(self) -> None:
        for k, motion in enumerate(self.system.motions):
            self.joint_motions.setdefault(motion.joint, []).append((k, motion))
        couplings = []
        for k, joint in enumerate(self.system.joints):
            kind = self.registry.constraint(joint.type, f"joint[{k}].type")
            own = self.own(kind, joint.own, f"joint[{k}]", type(joint).keys())
            relation = kind.coupling(own)
            if relation is not None:
                couplings.append((k, joint, kind, own, relation))
            else:
                self.add_joint(k, joint, kind, own)
        for k, joint, kind, own, relation in couplings:
            self.add_coupling(k, joint, kind, own, relation)
        for number, motion, coordinate, expression in self.dependent:
            self.add_dependent_motion(f"motion[{number}].{motion.key}", motion, coordinate, expression)

    dependent: list[tuple[int, Motion, CoordinateWords, Expression]] = field(default_factory=list)

    # what expressions refer to

    def add_states(self) -> None:
        """The user's states come first."""
        draft = self.draft
        for k, state in enumerate(self.system.states):
            draft.numbers[state.name] = k
            draft.start_states.append(state.start)
            draft.state_names.append(state.name)
            draft.states += 1

    def add_equations(self) -> None:
        for k, state in enumerate(self.system.states):
            expression = self.expression(state.rate, f"state[{k}].rate")
            self.resolve(expression, f"state[{k}].rate")
            self.draft.equations.append((expression, 2 + k))

    def resolve(self, expression: Expression, key: str) -> None:
        """Give every measure that the expression refers to a number. Raises SceneError."""
        for reference in expression.references:
            if reference not in self.draft.numbers:
                try:
                    self.draft.numbers[reference] = self.referred(reference)
                except SceneError as error:
                    raise SceneError(key, expression.text, error.mend) from None

    def referred(self, reference: Reference) -> int:
        if not reference.measure:
            joint, _, coordinate = reference.markers[0].rpartition(".")
            if (joint, coordinate) not in self.coordinate_measure:
                known = [f"{j}.{c}" for j, c in self.coordinate_measure]
                near = did_you_mean(reference.markers[0], known)
                raise SceneError(mend=f'there is no coordinate "{reference}" of a joint{near or f"; there are {listed(known)}"}')
            return self.draft.always(self.coordinate_measure[joint, coordinate][0])
        known = list(self.registry.offers["measure"])
        if reference.measure not in known:
            near = did_you_mean(reference.measure, [*FUNCTIONS, *known])
            raise SceneError(mend=f'unknown function or measure "{reference.measure}"{near or f"; measures are {listed(known, len(known))}"}')
        measure = self.registry.measure(reference.measure)
        if measure.markers != len(reference.markers) or measure.rows != 1:
            rows = f" and gives {measure.rows} numbers" if measure.rows != 1 else ""
            raise SceneError(mend=f'the measure "{reference.measure}" is of {measure.markers} markers{rows}; an expression takes one number')
        points = []
        for marker in reference.markers:
            self.system.check_reference(marker, "")
            points.append(self.point(on_body(self.system, marker, self.index, None)))
        return self.add_measure(str(reference), measure, points, MEASURE)

    def add_dependent_motion(self, key: str, motion: Motion, coordinate: CoordinateWords, expression: Expression) -> None:
        """A row s = f(t, other measures), over the markers of all of them; where a rate or an acceleration is given, f adds nothing to G."""
        self.resolve(expression, key)
        level = motion.level
        if level < 2 and self.uses_rates(expression):
            what = "velocity" if level else "position"
            raise SceneError(key, expression.text, f"a rate may not decide a {what}; give {motion.coordinate}_acceleration, or leave it out")
        number, measure, at = self.coordinate_measure[motion.joint, motion.coordinate]
        terms = [(self.draft.always(number), tuple(at), 1.0)]
        measures = [r for r in expression.references if isinstance(r, Reference)] if level == 0 else []
        for reference in measures:
            number = self.draft.numbers[reference]
            terms.append((number, tuple(self.draft.measures[number].points), 0.0))
        block = self.draft.open_block([point for _, points, _ in terms for point in points])
        row = self.add_row(block, DraftRow(f"{motion.joint} motion", f"motion of {motion.coordinate}", measure.unit, level))
        coordinate.motion_row = row
        function = self.draft.bind(expression, level)
        g = 0
        for i, (number, points, c) in enumerate(terms):
            self.draft.couplings.append(((row, number, g, function if i == 0 else DEPENDENCE), c))
            if i > 0:
                self.draft.partials.append((expression, number, len(self.draft.couplings) - 1))
            g += 6 * len(points)

    def uses_rates(self, expression: Expression) -> bool:
        """Whether the expression, or the rate of a state in it, reads a rate."""
        rates = {state.name: parse(state.rate, self.system.names) for state in self.system.states}
        return expression.uses_rates or any(rates[r].uses_rates for r in expression.references if isinstance(r, str))

    def add_joint(self, k: int, joint: Joint, kind: type[ConstraintKind], own: Any) -> None:
        key = f"joint[{k}]"
        if kind.kernel is None and not kind.basics and not kind.planar_basics:
            raise PluginError(f'constraint type "{kind.name}" has neither `basics` nor a `kernel`')
        planar = self.is_planar(joint, kind, key)
        basics = kind.planar_basics if planar and kind.planar_basics else kind.basics
        coordinates = kind.planar_coordinates if planar and kind.planar_coordinates is not None else kind.coordinates
        frames = joint_frames(self.system, joint, key, self.index, planar, slides="length" in coordinates)
        if kind.markers is not None and len(frames) != kind.markers:
            raise SceneError(key, joint.name, f'type "{kind.name}" joins {kind.markers} markers; give `a` and `b`' if kind.markers == 2 else
                             f'type "{kind.name}" takes {kind.markers} markers, not {len(frames)}; list them in `markers`')  # fmt: skip
        points = tuple(self.point(frame) for frame in frames)
        own = kind.defaults(own, [(frame.x, frame.R) for frame in frames])
        block = self.draft.open_block(points)
        first = len(self.draft.rows)
        if kind.kernel is not None:
            self.add_kernel(joint.name, kind, own, block)
        for basic in basics:
            self.add_basic(joint.name, kind, basic, own, block)
        measures = {name: self.measure(m, kind) for name, m in coordinates.items()}
        again = self.add_relation(joint.name, kind, own, measures, block)
        words = JointWords(joint.name, kind.name, str(joint.a or ""), str(joint.b or ""), len(self.draft.blocks) - 1,
                           range(first, len(self.draft.rows)), points, kind, planar)  # fmt: skip
        self.words.joints.append(words)
        self.enforce(k, joint, words)
        self.add_coordinates(k, joint, measures, block)
        self.words.again += [(number, self.coordinate_measure[joint.name, name][0]) for number, name in again]

    def add_relation(self, name: str, kind: type[ConstraintKind], own: Any, measures: dict[str, Measure], block: DraftBlock) -> list[tuple[int, str]]:
        """A row Σ cᵢ sᵢ = 0 over the joint's own coordinates; its measures, and the coordinates that they repeat."""
        terms = kind.relation(own)
        if not terms:
            return []
        row = self.add_row(block, DraftRow(name, kind.labels[-1], "m", 0))
        found = []
        for i, (coordinate, c) in enumerate(terms):
            number = self.add_measure(name, measures[coordinate], block.points, MEASURE)
            self.draft.couplings.append(((row, number, 6 * len(block.points) * (row - block.row0), SAME_SLOTS if i else 0), c))
            found.append((number, coordinate))
        return found

    def enforce(self, k: int, joint: Joint, words: JointWords) -> None:
        """Hold the joint's rows as its `enforce` says: where that is a law, each row gets an element of it and leaves the system of the constraint forces."""
        key = f"joint[{k}].enforce"
        name, raw = joint.enforcement
        kind = self.registry.enforcement(name, f"{key}.type" if isinstance(joint.enforce, dict) else key)
        own = self.own(kind, raw, key, ("type",))
        if kind.kernel is None:
            return
        draft = self.draft
        rows = [draft.rows[r] for r in words.rows]
        for row in rows:
            if row.level not in kind.levels:
                raise SceneError(key, name, f'holds no accelerations, and joint "{joint.name}" prescribes one ({row.label}); use enforce = "lagrange"')
        try:
            kind.check(own, [row.label for row in rows])
        except SceneError as error:
            raise SceneError(f"{key}.{error.key}", error.value, error.mend) from None
        shape = Shape(parameters=tuple((value, "float") for value in kind.values), memory=kind.memory, rows=1, level=0)
        for r in words.rows:
            draft.rows[r].active = 0
            element = DraftElement(ENFORCE, "enforcement", kind.kernel, shape, f'enforcement "{kind.name}"', joint.name, (), [0.0] * len(kind.values), row=r,
                                   accept=kind.accept, accept_role="enforcement_accept", memory=draft.memory)  # fmt: skip
            draft.memory += kind.memory
            draft.elements.append(element)
            draft.enforced.append(DraftEnforced(r, words.block))
        self.words.enforced.append(EnforcedWords(len(self.words.joints) - 1, kind, own))

    def is_planar(self, joint: Joint, kind: type[ConstraintKind], key: str) -> bool:
        """Whether all moving bodies of the joint are planar; a joint that only suits the others is an error that names one."""
        names = [r.partition(".")[0] for r in (joint.markers or (joint.a, joint.b)) if r]
        moving = [name for name in names if name != "ground"]
        flat = [name for name in moving if self.bodies[self.index[name]].kind.in_plane]
        if kind.kernel is not None:
            return False
        planar = bool(flat) and len(flat) == len(moving)
        if planar and not kind.planar_basics:
            instead = f'; use "{kind.planar_name}"' if kind.planar_name else ""
            raise SceneError(f"{key}.type", joint.type, f'body "{flat[0]}" is planar, and this joint holds motions that planar bodies do not have{instead}')
        if not planar and not kind.basics:
            name = next((name for name in moving if name not in flat), "ground")
            raise SceneError(f"{key}.type", joint.type, f'this joint is for planar bodies, and body "{name}" is not')
        return planar

    def add_kernel(self, name: str, kind: type[ConstraintKind], own: Any, block: DraftBlock) -> None:
        if not kind.labels or isinstance(kind.labels, str):
            raise PluginError(f'constraint type "{kind.name}" has a `kernel`, which needs `labels = ("...",)`: one for each row')
        layout, values, functions = split(own)
        for function in functions.values():
            if function.references:
                raise SceneError(name, function.text, "may depend on time only, not on the motion")
        draft = self.draft
        row = len(draft.rows)
        for i, label in enumerate(kind.labels):
            unit = kind.units[i] if i < len(kind.units) else "m"
            self.add_row(block, DraftRow(name, label, unit, kind.level if isinstance(kind.level, int) else kind.level[i]))
        shape = Shape(
            parameters=tuple(layout), functions=tuple(functions), markers=len(block.points), rows=len(kind.labels), states=kind.states,
            memory=kind.memory, events=kind.events,
        )  # fmt: skip
        element = DraftElement(
            CONSTRAINT, "constraint", kind.kernel, shape, f'constraint type "{kind.name}"', name, block.points, values, row=row,
            gm=row - block.row0, function0=draft.bind_all(list(functions.values())), accept=kind.accept, event=kind.event, tangent=tangent_of(kind, "tangent", "kernel"),
        )  # fmt: skip
        self.place_inner(element, kind, name)
        draft.elements.append(element)

    def place_inner(self, element: DraftElement, kind: Any, name: str) -> None:
        """Room for inner states, memory and events."""
        draft = self.draft
        element.state, element.memory, element.event0 = draft.states, draft.memory, draft.events
        start = list(getattr(kind, "start_states", ())) or [0.0] * kind.states
        draft.start_states += start
        draft.states += kind.states
        draft.memory += kind.memory
        draft.events += kind.events
        draft.state_names += [f"{name}.{i}" if kind.states > 1 else name for i in range(kind.states)]

    def add_row(self, block: DraftBlock, row: DraftRow) -> int:
        self.words.rows.append(RowName(row.owner, row.label, row.unit))
        return self.draft.add_row(block, row)

    def add_basic(self, name: str, kind: type[ConstraintKind], basic: Basic, own: Any, block: DraftBlock) -> None:
        """A basic constraint: measure = target."""
        measure = self.measure(basic.measure, kind)
        labels = (basic.labels,) if isinstance(basic.labels, str) else basic.labels
        row = len(self.draft.rows)
        if len(labels) != measure.rows:
            raise PluginError(
                f'constraint type "{kind.name}": measure {measure.kernel.__name__} has {measure.rows} row(s), and its labels are {len(labels)}: {", ".join(labels)}'
            )
        for label in labels:
            self.add_row(block, DraftRow(name, label, measure.unit, 0))
        target = getattr(own, basic.to) if basic.to is not None else 0.0
        if isinstance(target, Expression) and target.references:
            raise SceneError(str(basic.to), target.text, "may depend on time only, not on the motion; drive a joint's coordinate by a [[motion]] instead")
        self.add_measure_rows(name, measure, self.draft.bind(target), row, block)

    def add_measure_rows(self, name: str, measure: Measure, function: int, row: int, block: DraftBlock) -> None:
        if measure.markers != len(block.points):
            raise PluginError(f'joint "{name}": measure {measure.kernel.__name__} is of {measure.markers} markers, and the joint has {len(block.points)}')
        layout, values, _ = split(measure.settings)
        shape = Shape(parameters=tuple(layout), markers=measure.markers, rows=measure.rows, period=measure.period)
        self.draft.elements.append(
            DraftElement(
                CONSTRAINT, "measure", measure.kernel, shape, f"measure {measure.kernel.__name__}", name, block.points, values, row=row,
                gm=row - block.row0, function0=function, tangent=measure.tangent,
            )  # fmt: skip
        )

    def add_measure(self, name: str, measure: Measure, points: Sequence[int], purpose: int) -> int:
        """A measure that is evaluated for itself; returns its number."""
        layout, values, _ = split(measure.settings)
        number = self.draft.measure(points, measure.turns)
        shape = Shape(parameters=tuple(layout), markers=measure.markers, rows=1, period=measure.period, as_measure=True)
        self.draft.elements.append(
            DraftElement(purpose, "measure", measure.kernel, shape, f"measure {measure.kernel.__name__}", name, points, values,
                         gm=self.draft.measures[number].j0, measure=number)
        )  # fmt: skip
        return number

    def add_coordinates(self, k: int, joint: Joint, coordinates: dict[str, Measure], block: DraftBlock) -> None:
        motions = self.joint_motions.get(joint.name, [])
        words = self.words
        for number, motion in motions:
            if motion.coordinate not in coordinates:
                free = f"its free coordinates are {listed(coordinates)}" if coordinates else "it has no free coordinate"
                raise SceneError(f"motion[{number}].{motion.key}", motion.expression, f'joint "{joint.name}" ({joint.type}) has no such coordinate; {free}')
        start = joint.start
        begin = started(start, coordinates, f"joint[{k}].start", joint.type) if start is not None and coordinates else {}
        for name, measure in coordinates.items():
            coordinate = CoordinateWords(f"{joint.name}.{name}", len(words.joints) - 1,
                                         self.add_measure(joint.name, measure, block.points, COORDINATE), measure.unit)  # fmt: skip
            self.coordinate_measure[joint.name, name] = (coordinate.measure, measure, tuple(block.points))
            for number, motion in motions:
                if motion.coordinate != name:
                    continue
                if coordinate.motion_row >= 0:
                    raise SceneError(f"motion[{number}].{motion.key}", motion.expression, f'joint "{joint.name}": another motion drives this coordinate already')
                expression = self.expression(motion.expression, f"motion[{number}].{motion.key}")
                if expression.references:
                    self.dependent.append((number, motion, coordinate, expression))
                    continue
                level = motion.level
                coordinate.motion_row = self.add_row(block, DraftRow(f"{joint.name} motion", f"motion of {name}", measure.unit, level))
                self.add_measure_rows(joint.name, measure, self.draft.bind(expression, level), coordinate.motion_row, block)
            if name in begin:
                self.add_start(coordinate, joint, name, measure, block, *begin[name])
            words.coordinates.append(coordinate)
        if start is not None and not coordinates:
            raise SceneError(f"joint[{k}].start", "...", f'a joint of type "{joint.type}" has no coordinate to set')

    def add_start(self, coordinate: CoordinateWords, joint: Joint, name: str, measure: Measure, block: DraftBlock, value: float | None, speed: float) -> None:
        """A row that holds the coordinate while the initial state is assembled, and is inactive afterwards."""
        coordinate.start_row = self.add_row(block, DraftRow(f"{joint.name} start", f"start of {name}", measure.unit, 0 if value is not None else 1, active=0))
        self.draft.constant.append(value or 0.0)
        function = len(self.draft.constant) - 1
        self.start_rates.append((function, speed))
        self.add_measure_rows(joint.name, measure, function, coordinate.start_row, block)

    start_rates: list[tuple[int, float]] = field(default_factory=list)

    def expression(self, value: Any, key: str) -> Expression:
        try:
            return parse(value, self.system.names)
        except SceneError as error:
            raise SceneError(key, value, error.mend) from None

    def add_coupling(self, k: int, joint: Joint, kind: type[ConstraintKind], own: Any, relation: Sequence[tuple[str, str, float]]) -> None:
        """One row Σ cᵢ sᵢ = target over coordinates of other joints."""
        key = f"joint[{k}]"
        terms = []
        points: list[int] = []
        units, drawn = set(), 0.0
        for joint_name, coordinate, c in relation:
            own_ones = [name for name in self.coordinate_measure if name[0] == joint_name]
            place = own_ones[0] if not coordinate and len(own_ones) == 1 else (joint_name, coordinate)
            if place not in self.coordinate_measure:
                known = [f"{j}.{n}" for j, n in own_ones or self.coordinate_measure]
                raise SceneError(key, ".".join(filter(None, place)), f"there is no such joint coordinate; there are {listed(known)}")
            original, measure, at = self.coordinate_measure[place]
            number = self.add_measure(joint.name, measure, at, MEASURE)
            self.words.again.append((number, original))
            terms.append((number, 6 * len(points), c))
            points += at
            units.add(measure.unit)
            drawn += c * drawn_value(measure, [self.draft.point_pose[point] for point in at])
        block = self.draft.open_block(points)
        unit = kind.units[0] if kind.units else "rad" if units == {"rad"} else "m"
        row = self.add_row(block, DraftRow(joint.name, kind.labels[0] if kind.labels else "coupling", unit, 0))
        target = getattr(own, "target", None)
        function = self.draft.bind(drawn if target is None else target)
        for i, (measure_number, g, c) in enumerate(terms):
            self.draft.couplings.append(((row, measure_number, g, OWN_SLOTS if i else function), c))
        self.words.joints.append(JointWords(joint.name, kind.name, "", "", len(self.draft.blocks) - 1, range(row, row + 1), tuple(points), kind))
        self.enforce(k, joint, self.words.joints[-1])

    # forces

    def add_forces(self) -> None:
        system = self.system
        if any(system.scene.gravity):
            kind = self.registry.force(GRAVITY)
            for body in system.bodies:
                record = self.bodies[self.index[body.name]]
                mass = body.mass_properties().mass
                own = validated(kind.parameters, {"mass": mass, "acceleration": list(system.scene.gravity)}, "scene.gravity")
                self.add_force(f"gravity.{body.name}", kind, own, [record.point])
        for k, force in enumerate(system.forces):
            kind = self.registry.force(force.type, f"force[{k}].type")
            own = self.own(kind, force.own, f"force[{k}]", type(force).keys())
            frames = self.force_frames(force, kind, f"force[{k}]")
            own = kind.defaults(own, [(frame.x, frame.R) for frame in frames])
            for name, function in split(own)[2].items():
                self.resolve(function, f"force[{k}].{name}")
            self.add_force(str(force.name), kind, own, [self.point(frame) for frame in frames])
            self.words.forces.append((str(force.name), kind.name))

    def force_frames(self, force: Force, kind: type[ForceKind], key: str) -> list[Frame]:
        references = force.markers or tuple(r for r in (force.a, force.b, force.body) if r is not None)
        if kind.markers is not None and len(references) != kind.markers:
            ways = {1: "`body`", 2: "`a` and `b`"}.get(kind.markers, f"{kind.markers} `markers`")
            raise SceneError(key, force.name, f'type "{kind.name}" acts on {kind.markers} marker{"s" * (kind.markers != 1)}, not {len(references)}; give {ways}')
        at = np.array(force.at, float) if force.at is not None else None
        return [on_body(self.system, reference, self.index, at) for reference in references]

    def add_force(self, name: str, kind: type[ForceKind], own: Any, points: list[int]) -> None:
        if kind.kernel is None:
            raise PluginError(f'force element "{kind.name}" has no `kernel`')
        layout, values, functions = split(own)
        draft = self.draft
        measures = [self.measure(m, kind) for m in kind.measures]
        numbers = [self.add_measure(name, measure, points, MEASURE) for measure in measures]
        out = len(draft.wrench_slots)
        draft.wrench_slots.append((len(draft.force_points), len(points)))
        draft.force_points += points
        draft.dissipates.append(int(kind.dissipates))
        shape = Shape(
            parameters=tuple(layout), functions=tuple(functions), markers=len(points), measures=len(measures), states=kind.states,
            memory=kind.memory, events=kind.events,
        )  # fmt: skip
        element = DraftElement(
            FORCE, "force", kind.kernel, shape, f'force element "{kind.name}"', name, points, values,
            function0=draft.bind_all(list(functions.values())), out=out, measure=numbers[0] if numbers else 0,
            gm=draft.measures[numbers[0]].j0 if numbers else 0, accept=kind.accept, event=kind.event, tangent=tangent_of(kind, "tangent", "kernel"),
        )  # fmt: skip
        self.place_inner(element, kind, name)
        draft.elements.append(element)


def started(start: Start, coordinates: dict[str, Measure], key: str, kind: str) -> dict[str, tuple[float | None, float]]:
    """Value and rate at t = 0 of the coordinates that a `start` sets: those that it names, or the only one."""
    found: dict[str, tuple[float | None, float]] = {}
    for word, value in (("angle", start.radians), ("length", start.length)):
        fits = [name for name, measure in coordinates.items() if measure.unit == ("rad" if word == "angle" else "m")]
        name = word if word in fits else fits[0] if len(fits) == 1 else ""
        if value is None:
            continue
        if not name:
            raise SceneError(f"{key}.{word}", value, f'a joint of type "{kind}" has no one coordinate of that name; it has {listed(coordinates) or "none"}')
        found[name] = (value, 0.0)
    if start.speed is not None:
        names = list(found) or list(coordinates)
        if len(names) > 1:
            mend = f'a joint of type "{kind}" has the coordinates {listed(names)}; give `angle` or `length` of the one that is meant'
            raise SceneError(f"{key}.speed", start.speed, mend)
        found = {name: (found.get(name, (None, 0.0))[0], start.speed) for name in names}
    return found


def compile_system(system: System, registry: Registry) -> Problem:
    """The Problem of a system. Raises SceneError where the system does not fit what the plugins offer, PluginError where a plugin fails."""
    builder = Builder(system, registry)
    try:
        builder.add_bodies()
        builder.add_states()
        builder.add_joints()
        builder.add_forces()
        builder.add_equations()
    except SceneError as error:
        raise system.locate(error) from None
    return assemble(builder.draft, builder.bodies, builder.words, dict(builder.start_rates))


__all__ = ["ACCEPT", "EVENT", "BodyKind", "BodyPlan", "compile_system"]
