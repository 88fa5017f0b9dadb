"""Coordinates of trees: their rates, increments, and unit quaternions."""

from __future__ import annotations

from mbplugin.kernels.by_address import by_address
from mbplugin.kernels.view import view
from mbplugin.math.jit import inlined
from mbplugin.math.quat import normalise, put_rate, turn
from mbplugin.math.vec3 import load3
from mbplugin.math.vectors import add_scaled, copy_range
from mbplugin.tables.groups import Rates, State, Trees
from mbplugin.tables.records import BALL, FREE


@inlined
def before_quaternion(link):
    """Coordinates and velocities of a link before its quaternion and its angular velocity."""
    if link.form == BALL:
        return 0
    return 3 if link.form == FREE else link.rates


@by_address(when="tree")
def rates_of_trees(tables, first, count):
    """q̇ of `count` trees: the rates, and of a quaternion ½ quaternion ∘ (0, ω). Returns 0."""
    trees, state, q_dot = view(tables, Trees), view(tables, State), view(tables, Rates).q_dot
    for t in range(first, first + count):
        tree = trees.index[t]
        for i in range(tree.first_link, tree.first_link + tree.links):
            link = trees.link[i]
            plain = before_quaternion(link)
            copy_range(state.v, link.first_v, q_dot, link.first_q, plain)
            if plain < link.rates:
                p, v = link.first_q + plain, link.first_v + plain
                put_rate(state.q, p, load3(state.v, v), q_dot)
    return 0


@by_address(when="tree")
def retract_trees(tables, first, count):
    """q ← q ⊕ dq of `count` trees, an increment in velocity space in `Rates.v_dot`. Returns 0."""
    trees, q, dq = view(tables, Trees), view(tables, State).q, view(tables, Rates).v_dot
    for t in range(first, first + count):
        tree = trees.index[t]
        for i in range(tree.first_link, tree.first_link + tree.links):
            link = trees.link[i]
            plain = before_quaternion(link)
            add_scaled(1.0, dq, link.first_v, q, link.first_q, plain)
            if plain < link.rates:
                p, v = link.first_q + plain, link.first_v + plain
                turn(q, p, load3(dq, v))
    return 0


@by_address(when="tree")
def normalise_trees(tables, first, count):
    """Unit quaternions of `count` trees. Returns 0."""
    trees, q = view(tables, Trees), view(tables, State).q
    for t in range(first, first + count):
        tree = trees.index[t]
        for i in range(tree.first_link, tree.first_link + tree.links):
            link = trees.link[i]
            plain = before_quaternion(link)
            if plain < link.rates:
                normalise(q, link.first_q + plain)
    return 0
