"""The laws of the contacts of a scene, as a part of the step: loops over contacts that call functions.

Machine code is made for the laws that a scene has; with one law there is no choice left at run time.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from math import inf, sqrt
from typing import Any

from mbplugin.interface import OPEN, SLIP, STICK, inlined
from mbplugin.math.vec3 import add, load, load_matrix, norm, rotate, scale, sub
from mbplugin.stepping import Part, State, Step, TransientRows, add_transient_columns, transient_rates, view
from mbplugin_contact.arrays import Contacts
from mbplugin_contact.coulomb import Coulomb
from mbplugin_contact.impulses import impulse_at, set_impulse
from mbplugin_contact.islands import CONTACTS, island
from mbplugin_contact.rolling import TOUCHES, Moments

#: rounding of one number
ROUNDING_OF_IMPULSE = 2.3e-16
#: tasks of the part
BEGIN, SWEEP, MAP, SLOPES, CONES, RESIDUAL, NATURAL, ACCEPT = range(8)
#: functions of a law, in the order of `part_of_laws`
FUNCTIONS = ("begin", "solve", "map", "slope", "projection", "slope_of_projection", "cone", "start", "accept")
#: arguments of `begin` of a law with memory, whose last one that is
BEGIN_WITH_MEMORY = 7
#: `LawRecord.broke` of a contact that is new
NO_MEMORY = -1
#: gap in smallest radii in the middle of the first step up to which a contact is closed where a run begins
CLOSED = 1e-4
#: velocity in goals above which a contact has moved, for laws with memory: at rest it misses 0 by one goal
MOVED = 100.0


#: substitutes for the functions that a law without a convex set lacks
OF_MAP = {"projection": "map", "slope_of_projection": "slope"}


@inlined
def set_memory(numbers, memory):
    """Write the memory of a contact."""
    numbers.memory_0, numbers.memory_1, numbers.memory_2 = memory


def all_have(laws: Sequence[Any], function: str) -> bool:
    """Whether all of these laws have a function, such as `cone`; None: Coulomb's."""
    return all(law is None or getattr(law, function) is not None for law in laws)


def law_part(laws: Sequence[Any], turns: bool = False) -> Part:
    """The part of the step for these laws, by their numbers; None: Coulomb's. turns: contacts have moments,
    whose law is the last one.
    """
    kinds = [Coulomb if law is None else law for law in laws] + [Moments] * turns
    # Coulomb's `cone` is not called where another law has none
    functions = [
        getattr(kind, name) or getattr(kind, OF_MAP.get(name, name)) or getattr(Coulomb, name)
        for kind in kinds
        for name in FUNCTIONS
    ]
    owner = ", ".join(f'law of contact "{kind.name}"' for kind in kinds)
    return Part(part_with_moments if turns else part_of_laws, functions, owner)


def dispatch(functions: Sequence[Any]) -> Any:
    """The compiled function that calls the one of a contact's law: f(law, ...)."""
    *others, last = functions

    @inlined
    def call(law, *given):
        return last(*given)

    for number in reversed(range(len(others))):
        call = branch(number, others[number], call)
    return call


def branch(number: int, function: Any, rest: Any) -> Any:
    @inlined
    def call(law, *given):
        if law == number:
            return function(*given)
        return rest(law, *given)

    return call


def taking_memory(begin: Any) -> Any:
    """The function `begin` of a law, with the memory of the contact as last argument."""
    if len(signature(getattr(begin, "py_func", begin)).parameters) == BEGIN_WITH_MEMORY:
        return begin

    @inlined
    def begin_without(friction, friction_static, own, gap, h, stuck, memory):
        return begin(friction, friction_static, own, gap, h, stuck)

    return begin_without


def residual_of(impulse_map: Any, projection: Any) -> Any:
    """The compiled function |r − P(r − ρ ũ)| / ρ [m/s]; of a law without a convex set |r − S(r − ρ u)| / ρ.
    It is zero where the law holds.
    """
    is_convex = getattr(projection, "py_func", projection) is not getattr(impulse_map, "py_func", impulse_map)

    @inlined
    def residual(r, u, p, rho):
        if is_convex:
            u = (u[0] + p[0] * sqrt(u[1] * u[1] + u[2] * u[2]), u[1], u[2])
        x, y, z = sub(r, scale(rho, u))
        n, a, b, _ = projection(x, y, z, p)
        return norm(sub(r, (n, a, b))) / rho

    return residual


def part_of_laws(*functions: Any) -> Any:
    """Makes the part from the `FUNCTIONS` of every law, one law after the other."""
    return part_of(functions, False)


def part_with_moments(*functions: Any) -> Any:
    """The same where contacts have moments."""
    return part_of(functions, True)


def part_of(functions: Sequence[Any], turns: bool) -> Any:
    """The part; turns: the last law is that of moments."""
    of: dict[str, Sequence[Any]] = {name: functions[k :: len(FUNCTIONS)] for k, name in enumerate(FUNCTIONS)}
    of["begin"] = [taking_memory(begin) for begin in of["begin"]]
    begin, solve, impulse_map, slope, projection, slope_of_projection, cone, start, accept = (
        dispatch(of[name]) for name in FUNCTIONS
    )
    residual = dispatch([residual_of(*pair) for pair in zip(of["map"], of["projection"])])

    @inlined
    def parameters_of(transient, contacts, k, exact):
        """p; exact: moments are bounded by the map of the contact's impulse, not by that itself."""
        numbers = contacts.of_law[k]
        if turns and contacts.turns[k] != TOUCHES:
            c = contacts.bounded_by[k]
            bound = contacts.mapped[c, 0] if exact else transient.impulse[3 * c]
            return transient.friction[k], max(bound, 0.0), 0.0, 0.0
        return transient.friction[k], numbers.first, numbers.second, numbers.third

    @inlined
    def begin_all(tables):
        """p of every contact, and the memory of new ones."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        h = view(tables, Step).record[0].length
        for k in range(transient.used[0]):
            i = contacts.rule[k]
            rule = contacts.rules[i]
            parameters = (rule.number_0, rule.number_1, rule.number_2, rule.number_3)
            contacts.contact_law[k] = rule.contact_law
            if turns and contacts.turns[k] != TOUCHES:
                contacts.contact_law[k] = contacts.record[0].law_of_moments
                continue
            stuck, gap = contacts.status[k] == STICK, transient.phi[3 * k]
            numbers = contacts.of_law[k]
            if contacts.record[0].remembers == 1 and numbers.broke == NO_MEMORY:
                begins = gap <= CLOSED * contacts.record[0].size and contacts.totals[0].stepped == 0
                set_memory(numbers, start(rule.contact_law, parameters, begins))
            numbers.broke = 0
            memory = (numbers.memory_0, numbers.memory_1, numbers.memory_2)
            law, mu, mu_static = rule.contact_law, rule.friction, rule.friction_static
            p = begin(law, mu, mu_static, parameters, gap, h, stuck, memory)
            transient.friction[k], numbers.first, numbers.second, numbers.third = p

    @inlined
    def accept_all(tables):
        """The memory of every contact at the end of the step, by its impulse and whether it has moved."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        moved = MOVED * contacts.record[0].goal
        for k in range(transient.used[0]):
            if turns and contacts.turns[k] != TOUCHES:
                continue
            rule, numbers = contacts.rules[contacts.rule[k]], contacts.of_law[k]
            parameters = (rule.number_0, rule.number_1, rule.number_2, rule.number_3)
            memory = (numbers.memory_0, numbers.memory_1, numbers.memory_2)
            u = add(load(contacts.after, k), load(contacts.held_rate, k))
            slides = u[1] * u[1] + u[2] * u[2] > moved * moved
            status = OPEN if u[0] > moved else (SLIP if slides else STICK)
            h = view(tables, Step).record[0].length
            r_n, r_1, r_2 = impulse_at(transient, k)
            new = accept(rule.contact_law, parameters, memory, r_n, r_1, r_2, h, status)
            set_memory(numbers, new)
            numbers.broke = 1 if memory[0] > 0.0 and not new[0] > 0.0 else 0

    @inlined
    def sweep(tables):
        """Block Gauss-Seidel: each contact in turn obeys its law exactly, the others held."""
        transient, contacts, v = view(tables, TransientRows), view(tables, Contacts), view(tables, State).v
        for k in island(contacts, CONTACTS):
            before, w = impulse_at(transient, k), load_matrix(contacts.W, k)
            u = add(transient_rates(transient, k, v), load(contacts.bias, k))
            q_n, q_1, q_2 = sub(u, rotate(w, before))
            p = parameters_of(transient, contacts, k, False)
            n, a, b, contacts.status[k] = solve(contacts.contact_law[k], w, q_n, q_1, q_2, p)
            set_impulse(transient, k, (n, a, b))
            add_transient_columns(transient, transient.X, k, n - before[0], a - before[1], b - before[2], v)

    @inlined
    def argument(transient, contacts, k):
        """r − σ ρ u."""
        rho = contacts.record[0].penalty * contacts.rho[k]
        return sub(impulse_at(transient, k), scale(rho, load(contacts.u, k)))

    @inlined
    def map_all(tables):
        """The map of every contact at r − σ ρ u into `Contacts.mapped`, and statuses."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        exact = contacts.record[0].exact
        for k in island(contacts, CONTACTS):
            p = parameters_of(transient, contacts, k, exact == 1)
            x, y, z = argument(transient, contacts, k)
            if exact == 1:
                impulse = impulse_map(contacts.contact_law[k], x, y, z, p)
            else:
                impulse = projection(contacts.contact_law[k], x, y, z, p)
            contacts.mapped[k, 0], contacts.mapped[k, 1], contacts.mapped[k, 2], contacts.status[k] = impulse

    @inlined
    def slopes_of_all(tables):
        """D = ρ ∂S/∂x of every contact that is not open. That of the path inside the cones is there."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        exact, sigma = contacts.record[0].exact, contacts.record[0].penalty
        if exact > 1:
            return
        for k in island(contacts, CONTACTS):
            if contacts.status[k] == OPEN:
                continue
            rho, p = sigma * contacts.rho[k], parameters_of(transient, contacts, k, exact == 1)
            x, y, z = argument(transient, contacts, k)
            if exact == 1:
                slopes = slope(contacts.contact_law[k], x, y, z, p)
            else:
                slopes = slope_of_projection(contacts.contact_law[k], x, y, z, p)
            for c in range(9):
                contacts.D[k, c] = rho * slopes[c]
            if turns and contacts.turns[k] != TOUCHES:
                # the first column is over the bound, of which the contact has the slope
                D_NN = contacts.D[contacts.bounded_by[k], 0]
                contacts.D[k, 3], contacts.D[k, 6] = D_NN * slopes[3], D_NN * slopes[6]

    @inlined
    def cones(tables):
        """μ and c of every contact into `Contacts.path`."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        for k in island(contacts, CONTACTS):
            p = parameters_of(transient, contacts, k, False)
            contacts.path[k].friction, contacts.path[k].offset = cone(contacts.contact_law[k], p)

    @inlined
    def residuals(tables, natural):
        """`Contacts.contact_residual` of every contact at `Contacts.u`; the largest into the record."""
        transient, contacts = view(tables, TransientRows), view(tables, Contacts)
        worst = 0.0
        for k in island(contacts, CONTACTS):
            rho, p = 1.0 if natural else contacts.rho[k], parameters_of(transient, contacts, k, False)
            r, u = impulse_at(transient, k), load(contacts.u, k)
            contacts.contact_residual[k] = residual(contacts.contact_law[k], r, u, p, rho)
            rounding = ROUNDING_OF_IMPULSE * norm(r) / contacts.rho[k]
            if rounding > contacts.record[0].goal:
                # beside an impulse so large u is lost
                contacts.contact_residual[k] = max(contacts.contact_residual[k], rounding)
            # NaN is no residual: max would drop it
            worst = max(worst, contacts.contact_residual[k] if contacts.contact_residual[k] < inf else inf)
        contacts.record[0].largest = worst

    def part(tables, number):
        if number == SWEEP:
            sweep(tables)
        elif number == MAP:
            map_all(tables)
        elif number == SLOPES:
            slopes_of_all(tables)
        elif number == CONES:
            cones(tables)
        elif number == BEGIN:
            begin_all(tables)
        elif number == ACCEPT:
            accept_all(tables)
        else:
            residuals(tables, number == NATURAL)
        return 0

    return part
