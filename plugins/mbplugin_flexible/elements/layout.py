"""Where the constant numbers of an element are in its part of the parameters.

Total Lagrangian elements:   law, λ, μ, then for each Gauss point ∂ξ/∂X (9, row by row) and the volume.
Hexahedra of eight nodes:    the parts below; H by the rows of its lower half.
"""

#: total Lagrangian: law, λ [Pa], μ [Pa], first Gauss point, numbers of a Gauss point
LAW, LAM, MU, POINTS, POINT = 0, 1, 2, 3, 10
VOLUME = 9  # within a Gauss point [m³]

#: hex8: ⅛ ∂ξ/∂X at the centre, Σ h X, V, V λ, V μ, d, H, α by q
INVERSE, WARP, CONTENT, VOLUME_LAM, VOLUME_MU, MEAN, H, ALPHA = 0, 9, 21, 22, 23, 24, 36, 114
HEX8 = 114 + 108


def stride(kind: str, gauss: int) -> int:
    """Numbers of one element."""
    return HEX8 if kind == "hex8" else POINTS + POINT * gauss
