"""Minimum-degree elimination order of a graph with weighted nodes.

Ties are broken by the lower number, so that the order is the same in every process.
"""

from __future__ import annotations

import heapq


def minimum_degree(neighbours: list[set[int]], sizes: list[int]) -> tuple[list[int], list[list[int]]]:
    """Elimination order of the nodes, and for each node in that order its later neighbours, sorted.

    neighbours: of each node
    sizes:      rows of each node
    """
    graph = [set(n) for n in neighbours]
    done = [False] * len(graph)
    weight = [sum(sizes[j] for j in n) for n in graph]
    queue = [(w, k) for k, w in enumerate(weight)]
    heapq.heapify(queue)
    order: list[int] = []
    below: list[list[int]] = []
    while queue:
        w, k = heapq.heappop(queue)
        if done[k] or w != weight[k]:
            continue
        done[k] = True
        order.append(k)
        later = graph[k]
        below.append(sorted(later))
        for j in later:
            graph[j] |= later
            graph[j] -= {j, k}
            fresh = sum(sizes[i] for i in graph[j])
            if fresh != weight[j]:
                weight[j] = fresh
                heapq.heappush(queue, (fresh, j))
        graph[k] = set()
    return order, below
