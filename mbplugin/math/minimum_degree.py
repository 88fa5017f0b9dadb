"""Minimum-degree elimination order of the nodes of a graph, compiled, and the pattern of the factor.

The quotient graph of P. R. Amestoy, T. A. Davis and I. S. Duff, "An approximate minimum degree ordering
algorithm", SIAM J. Matrix Anal. Appl. 17 (1996) 886-905: an eliminated node p becomes an element, the set L_p
of its neighbours at that moment, which is the pattern of its column of the factor. A node that is left knows
its elements and those of its neighbours that are in none of them. Elements are absorbed by p if p is in them,
or if L_p contains them. The degree is their upper bound, weighted with the sizes of the nodes. Other than
theirs, nodes of one pattern are not merged, and ties go to the lower number, so that the order is the same
everywhere.

`ordering.py` is the same with exact degrees, in Python.
"""

from __future__ import annotations

from mbplugin.math.heap import sift_down, sift_up
from mbplugin.math.jit import internal


@internal
def adjacency(n, edge, edges, start, neighbour, mark):
    """Neighbours of each node in `neighbour[start[i] : start[i + 1]]`, once each, from pairs of nodes.

    edge: (≥ edges, 2) pairs, repetitions and loops allowed; start: (n + 1,); neighbour: (2 edges,)
    mark: (n,) work array
    """
    for i in range(n + 1):
        start[i] = 0
    for e in range(edges):
        start[edge[e, 0]] += 1
        start[edge[e, 1]] += 1
    total = 0
    for i in range(n):
        total += start[i]
        start[i] = total
    # backwards, so that `start` ends at the first neighbours
    for e in range(edges - 1, -1, -1):
        i, j = edge[e, 0], edge[e, 1]
        start[i] -= 1
        neighbour[start[i]] = j
        start[j] -= 1
        neighbour[start[j]] = i
    for i in range(n):
        mark[i] = -1
    end = 0
    for i in range(n):
        first = end
        mark[i] = i
        last = start[i + 1] if i + 1 < n else total
        for p in range(start[i], last):
            j = neighbour[p]
            if mark[j] != i:
                mark[j] = i
                neighbour[end] = j
                end += 1
        start[i] = first
    start[n] = end


@internal
def eliminate_all(n, size, late, start, neighbour, work, order, first, entry):
    """Elimination order of n nodes. Returns the number of entries, or −1 if `entry` has no room for them.

    size, late: (n,) rows of each node; 1 where it may only be eliminated after all its neighbours that are
    not late
    start, neighbour: as of `adjacency`
    work: (11 n + neighbours,) work array
    order: (n,) nodes in elimination order
    first, entry: later neighbours of node order[k], not sorted: entry[first[k] : first[k + 1]]
    """
    degree, elements, length, waits = work[0:n], work[n : 2 * n], work[2 * n : 3 * n], work[3 * n : 4 * n]
    stamp, heap, place, key = (
        work[4 * n : 5 * n],
        work[5 * n : 6 * n],
        work[6 * n : 7 * n],
        work[7 * n : 8 * n],
    )
    # of an element: its size, 0 after it is absorbed; its size outside of L_p, and the elimination that found
    # it
    full, outside, seen = work[8 * n : 9 * n], work[9 * n : 10 * n], work[10 * n : 11 * n]
    # of a node that is left: its elements, then its neighbours; an element is named by its place in the order
    around = work[11 * n : 11 * n + start[n]]
    for k in range(start[n]):
        around[k] = neighbour[k]
    count, left, end = 0, 0, 0
    for i in range(n):
        left += size[i]
        elements[i], length[i], stamp[i], place[i], seen[i] = 0, start[i + 1] - start[i], -1, -1, -1
        degree[i], waits[i] = 0, 0
        for q in range(start[i], start[i + 1]):
            degree[i] += size[neighbour[q]]
            if late[i] == 1 and late[neighbour[q]] == 0:
                waits[i] += 1
        if waits[i] == 0:
            key[i] = degree[i] * n + i
            heap[count] = i
            sift_up(heap, place, key, count)
            count += 1
    first[0] = 0
    for k in range(n):
        p = heap[0]
        count -= 1
        place[p] = -1
        if count > 0:
            heap[0] = heap[count]
            sift_down(heap, place, key, 0, count)
        order[k] = p
        stamp[p] = k
        left -= size[p]
        # L_p
        begin, total = end, 0
        for q in range(start[p], start[p] + elements[p]):
            e = around[q]
            full[e] = 0
            for r in range(first[e], first[e + 1]):
                i = entry[r]
                if stamp[i] != k:
                    if end == entry.shape[0]:
                        return -1
                    stamp[i] = k
                    total += size[i]
                    entry[end] = i
                    end += 1
        for q in range(start[p] + elements[p], start[p] + length[p]):
            i = around[q]
            if stamp[i] != k:
                if end == entry.shape[0]:
                    return -1
                stamp[i] = k
                total += size[i]
                entry[end] = i
                end += 1
        first[k + 1] = end
        full[k] = total
        if late[p] == 0:
            for q in range(start[p], start[p + 1]):
                waits[neighbour[q]] -= 1
        # |L_e outside L_p| of each element that shares nodes with L_p
        for r in range(begin, end):
            i = entry[r]
            for q in range(start[i], start[i] + elements[i]):
                e = around[q]
                if full[e] > 0:
                    if seen[e] != k:
                        seen[e] = k
                        outside[e] = full[e]
                    outside[e] -= size[i]
        for r in range(begin, end):
            i = entry[r]
            new, d = start[i], 0
            for q in range(start[i], start[i] + elements[i]):
                e = around[q]
                if full[e] > 0 and outside[e] > 0:
                    around[new] = e
                    new += 1
                    d += outside[e]
            kept = new
            for q in range(start[i] + elements[i], start[i] + length[i]):
                j = around[q]
                if stamp[j] != k:
                    around[new] = j
                    new += 1
                    d += size[j]
            if new > kept:
                around[new] = around[kept]
            around[kept] = k
            elements[i], length[i] = kept + 1 - start[i], new + 1 - start[i]
            rest = total - size[i]
            degree[i] = min(left - size[i], min(degree[i], d) + rest)
            before, key[i] = key[i], degree[i] * n + i
            if place[i] < 0:
                if waits[i] == 0:
                    heap[count] = i
                    sift_up(heap, place, key, count)
                    count += 1
            elif key[i] < before:
                sift_up(heap, place, key, place[i])
            elif key[i] > before:
                sift_down(heap, place, key, place[i], count)
    return end
