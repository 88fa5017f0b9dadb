"""Constant numbers and integers of elements: where each is, of an element or of all.

Total Lagrangian elements:   numbers λ, μ, then for each Gauss point ∂ξ/∂X (9, row by row) and the volume; one
                             integer, the law of all elements.
Hexahedra of eight nodes:    geometry of each element; behind it the matrices of all, so that equal elements
                             share them; H by 3 × 3 blocks, those of its lower half row by row. Two integers
                             of each element: first places of its H and of its α by q in the numbers.
"""

#: total Lagrangian: λ [Pa], μ [Pa], first Gauss point, numbers of a Gauss point
LAM, MU, POINTS, POINT = 0, 1, 2, 10
VOLUME = 9  # within a Gauss point [m³]

#: hex8, of each element: ⅛ ∂ξ/∂X at the centre, Σ h X, V, V λ, V μ, d (`incompatible.py`); count of numbers
INVERSE, WARP, CONTENT, VOLUME_LAM, VOLUME_MU, MEAN, HEX8 = 0, 9, 21, 22, 23, 24, 36
#: hex8, behind those of all elements: all H, then all α by q, those of equal elements once
H, ALPHA = 90, 108
#: (10, 2) the blocks of H: k, l for q_k and q_l
BLOCKS = ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3))
