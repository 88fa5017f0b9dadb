"""Blocks in vector registers against numpy, for every size with generated code, and one without."""

from functools import cache

import numpy as np
import pytest

from mbplugin.math.emitters import blocks
from mbplugin.math.jit import jit

RNG = np.random.default_rng(7)
SIZES = [(m, n) for m in blocks.JOINTS for n in blocks.JOINTS]


def random(*shape):
    return RNG.uniform(-1.0, 1.0, shape)


def positive(n):
    A = random(n, n)
    return A @ A.T + np.eye(n)


def run(function, arrays, sizes):
    """Call a block function with flat arrays that start at place 2, and give back the arrays; nothing outside
    of a block may change.
    """
    flat = [np.concatenate([[7.0, 7.0], np.ravel(a), [7.0]]) for a in arrays]
    done = caller(function, len(flat), len(sizes))(*flat, *sizes)
    assert all(a[0] == a[1] == a[-1] == 7.0 for a in flat)
    return done, [a[2:-1].reshape(np.shape(b)) for a, b in zip(flat, arrays)]


@cache
def caller(function, arrays, sizes):
    """A compiled function of so many arrays and sizes that calls a block function."""
    names = [f"a{k}" for k in range(arrays)]
    blocks_of = ", ".join(f"{name}, 2" for name in names)
    numbers = [f"n{k}" for k in range(sizes)]
    space = {"f": function}
    exec(
        f"def call({', '.join(names + numbers)}):\n    return f(({blocks_of}), ({', '.join(numbers)},))",
        space,
    )
    return jit(space["call"])


def near(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-14 * max(1.0, np.abs(wanted).max()))


@pytest.mark.parametrize("m, n, k", [(m, n, 6) for m in (3, 5) for n in (3, 5)] + [(2, 2, 3)])
def test_products_of_blocks(m, n, k):
    C, A, B = random(m, n), random(m, k), random(k, n)
    done, (result, *_) = run(blocks.add_product, (C, A, B), (m, n, k))
    assert done
    near(result, C + A @ B)


@pytest.mark.parametrize("m, n", SIZES)
def test_combinations_of_the_rows_and_columns_of_a_block(m, n):
    c, a, B = random(n), random(m), random(m, n)
    done, (result, *_) = run(blocks.subtract_combination, (c, a, B), (m, n))
    assert done
    near(result, c - a @ B)
    done, (result, *_) = run(blocks.gemv_sub, (a, B, c), (m, n))
    assert done
    near(result, a - B @ c)


@pytest.mark.parametrize("m", blocks.JOINTS)
@pytest.mark.parametrize("nv", blocks.BODIES)
def test_products_of_a_joint_block_with_a_body_block(m, nv):
    out, v, lam, G, W = random(m), random(nv), random(m), random(m, nv), random(nv) + 2.0
    near(run(blocks.add_combination, (out, v, G.T), (nv, m))[1][0], out + G @ v)
    near(run(blocks.add_combination, (v, lam, G), (m, nv))[1][0], v + G.T @ lam)
    s = random(m)
    done, (T, norms, *_) = run(blocks.transpose_and_norms, (np.zeros((nv, m)), s, G, W), (m, nv))
    assert done
    near(T, G.T)
    near(norms, s + np.diag(G @ np.diag(W) @ G.T))
    done, (X, T, *_) = run(blocks.scale_rows, (np.zeros((m, nv)), T, G, W, s), (m, nv))
    assert done
    near(X, np.diag(s) @ G @ np.diag(W))
    near(T, G.T @ np.diag(s))


@pytest.mark.parametrize(
    "m, n, k",
    [(m, m, m) for m in blocks.JOINTS] + [(3, 5, 5), (5, 3, 5), (3, 3, 5), (5, 5, 3), (3, 5, 3), (5, 3, 3)],
)
def test_gram_products_of_blocks(m, n, k):
    C, A, B = random(m, n), random(k, m), random(k, n)
    done, (result, *_) = run(blocks.subtract_gram, (C, A, B), (m, n, k))
    assert done
    near(result, C - A.T @ B)


@pytest.mark.parametrize("m, n", SIZES)
def test_cholesky_factor_and_triangular_solves(m, n):
    S, B, b = positive(m), random(m, n), random(m)
    done, (L,) = run(blocks.cholesky_block, (S,), (m,))
    assert done
    lower = np.tril(L, -1) + np.diag(1.0 / np.diag(L))
    near(lower, np.linalg.cholesky(S))
    near(run(blocks.solve_lower_block, (L, B), (m, n))[1][1], np.linalg.solve(lower, B))
    near(run(blocks.solve_lower_block, (L, b[:, None]), (m, 1))[1][1], np.linalg.solve(lower, b[:, None]))
    near(run(blocks.solve_upper_block, (L, b), (m,))[1][1], np.linalg.solve(lower.T, b))


@pytest.mark.parametrize("pivot", [0.0, -1.0, np.nan])
def test_a_pivot_that_is_not_positive_leaves_no_positive_number(pivot):
    S = np.eye(5)
    S[3, 3] = pivot
    _, (L,) = run(blocks.cholesky_block, (S,), (5,))
    assert not L[3, 3] > 0.0


def test_other_sizes_are_left_alone():
    C = random(4, 4)
    done, (result, *_) = run(blocks.add_product, (C, random(4, 6), random(6, 4)), (4, 4, 6))
    assert not done
    assert np.array_equal(result, C)


@pytest.mark.parametrize("m, n", [(1, 19), (1, 21), (1, 22), (2, 19), (4, 22), (1, 35)])
def test_no_code_for_small_sizes_is_taken_for_long_rows(m, n):
    """A body may have any number of velocities."""
    v = random(n)
    done, (result, *_) = run(blocks.add_combination, (v, random(m), random(m, n)), (m, n))
    assert not done
    assert np.array_equal(result, v)
    C = random(m, m)
    assert not run(blocks.add_product, (C, random(m, n), random(n, m)), (m, m, n))[0]
