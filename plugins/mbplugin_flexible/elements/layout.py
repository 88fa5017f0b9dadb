"""Where the constant numbers of an element are in its part of the parameters.

Total Lagrangian elements:   law, λ, μ, then for each Gauss point ∂ξ/∂X (9, row by row) and the volume.
Hexahedra of eight nodes:    geometry of each element; behind it the matrices of all, so that equal elements
                             share them; H by 3 × 3 blocks, those of its lower half row by row.
"""

#: total Lagrangian: law, λ [Pa], μ [Pa], first Gauss point, numbers of a Gauss point
LAW, LAM, MU, POINTS, POINT = 0, 1, 2, 3, 10
VOLUME = 9  # within a Gauss point [m³]

#: hex8, of each element: ⅛ ∂ξ/∂X at the centre, Σ h X, V, V λ, V μ, d (`incompatible.py`)
INVERSE, WARP, CONTENT, VOLUME_LAM, VOLUME_MU, MEAN = 0, 9, 21, 22, 23, 24
#: hex8, of each element: places of H and of α by q, from the first number of all; count of numbers
PLACE_H, PLACE_ALPHA, HEX8 = 36, 37, 38
#: hex8, behind those of all elements: all H, then all α by q, those of equal elements once
H, ALPHA = 90, 108
#: (10, 2) the blocks of H: k, l for q_k and q_l
BLOCKS = ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3))


def stride(kind: str, gauss: int) -> int:
    """Numbers of one element, without the matrices that equal elements share."""
    return HEX8 if kind == "hex8" else POINTS + POINT * gauss
