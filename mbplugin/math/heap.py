"""A binary heap of numbered nodes with keys that change; the smallest key is on top.

heap: nodes; place: of each node in `heap`, −1 if it is not there; key: of each node, all different
"""

from mbplugin.math.jit import inlined


@inlined
def sift_up(heap, place, key, k):
    """Move the node at place k towards the top."""
    node = heap[k]
    while k > 0:
        above = heap[(k - 1) >> 1]
        if key[above] < key[node]:
            break
        heap[k] = above
        place[above] = k
        k = (k - 1) >> 1
    heap[k] = node
    place[node] = k


@inlined
def sift_down(heap, place, key, k, count):
    """Move the node at place k towards the bottom."""
    node = heap[k]
    while True:
        below = 2 * k + 1
        if below >= count:
            break
        if below + 1 < count and key[heap[below + 1]] < key[heap[below]]:
            below += 1
        if key[node] < key[heap[below]]:
            break
        heap[k] = heap[below]
        place[heap[k]] = k
        k = below
    heap[k] = node
    place[node] = k
