"""The point of a segment, triangle or tetrahedron that is nearest to the origin, as weights of its corners,
and the nearest points of two segments.

Regions as in C. Ericson, Real-Time Collision Detection (2005), 5.1.
"""

from __future__ import annotations

from mbplugin.math.jit import inlined, internal
from mbplugin.math.vec3 import add, cross, dot, scale, sub


@internal
def nearest_on_segment(a, b):
    """Weights of a and b."""
    d = sub(b, a)
    length2 = dot(d, d)
    if not length2 > 0.0:
        return 1.0, 0.0
    t = min(max(-dot(a, d) / length2, 0.0), 1.0)
    return 1.0 - t, t


@internal
def nearest_on_triangle(a, b, c):
    """Weights of a, b and c."""
    ab, ac, bc = sub(b, a), sub(c, a), sub(c, b)
    n = cross(ab, ac)
    n2 = dot(n, n)
    # on which side of each edge, seen along n, the origin is
    w_c, w_a, w_b = dot(n, cross(a, ab)), dot(n, cross(b, bc)), dot(n, cross(ac, c))
    if n2 > 0.0 and w_a > 0.0 and w_b > 0.0 and w_c > 0.0:
        total = w_a + w_b + w_c
        return w_a / total, w_b / total, w_c / total
    # on an edge: the nearest of those behind which it is
    best, u, v, w = 1e300, 1.0, 0.0, 0.0
    if not w_c > 0.0:
        s, t = nearest_on_segment(a, b)
        p = add(scale(s, a), scale(t, b))
        if dot(p, p) < best:
            best, u, v, w = dot(p, p), s, t, 0.0
    if not w_a > 0.0:
        s, t = nearest_on_segment(b, c)
        p = add(scale(s, b), scale(t, c))
        if dot(p, p) < best:
            best, u, v, w = dot(p, p), 0.0, s, t
    if not w_b > 0.0:
        s, t = nearest_on_segment(c, a)
        p = add(scale(s, c), scale(t, a))
        if dot(p, p) < best:
            best, u, v, w = dot(p, p), t, 0.0, s
    return u, v, w


@internal
def nearest_on_tetrahedron(a, b, c, d):
    """Weights of the corners, and whether the origin is inside (then they are meaningless)."""
    ab, ac, ad = sub(b, a), sub(c, a), sub(d, a)
    volume = dot(ab, cross(ac, ad))
    flat = not volume * volume > 1e-28 * dot(ab, ab) * dot(ac, ac) * dot(ad, ad)
    if volume < 0.0:
        # seen from outside, faces are then a b c, a c d, a d b and b d c backwards
        wa, wc, wb, wd, inside = outside_faces(a, c, b, d, flat)
        return wa, wb, wc, wd, inside
    return outside_faces(a, b, c, d, flat)


@inlined
def face_weights(a, b, c, flat):
    """Squared distance of a face from the origin and the weights of its nearest point; 1e300 if the origin is
    not behind the face of a tetrahedron that is not flat.
    """
    if not (flat or dot(a, cross(sub(b, a), sub(c, a))) > 0.0):
        return 1e300, 0.0, 0.0, 0.0
    u, v, w = nearest_on_triangle(a, b, c)
    p = add(add(scale(u, a), scale(v, b)), scale(w, c))
    return dot(p, p), u, v, w


@internal
def outside_faces(a, b, c, d, flat):
    """Results of `nearest_on_tetrahedron` for a positive volume: d is on the side to which (b − a) × (c − a)
    points. Of a flat one all faces count, of others those behind which the origin is.
    """
    best, wa, wb, wc = face_weights(a, b, c, flat)
    wd = 0.0
    s, u, v, w = face_weights(a, c, d, flat)
    if s < best:
        best, wa, wb, wc, wd = s, u, 0.0, v, w
    s, u, v, w = face_weights(a, d, b, flat)
    if s < best:
        best, wa, wb, wc, wd = s, u, w, 0.0, v
    s, u, v, w = face_weights(b, d, c, flat)
    if s < best:
        best, wa, wb, wc, wd = s, 0.0, u, w, v
    return wa, wb, wc, wd, best == 1e300


@internal
def nearest_of_segments(p, u, q, w):
    """s and t in [0, 1] of the nearest points p + s u and q + t w of two segments."""
    a, e, b = dot(u, u), dot(w, w), dot(u, w)
    r = sub(p, q)
    c, f = dot(u, r), dot(w, r)
    if not a > 0.0:
        return 0.0, min(max(f / e, 0.0), 1.0) if e > 0.0 else 0.0
    if not e > 0.0:
        return min(max(-c / a, 0.0), 1.0), 0.0
    det = a * e - b * b
    s = 0.5
    if det > 1e-14 * a * e:
        s = min(max((b * f - c * e) / det, 0.0), 1.0)
    t = min(max((b * s + f) / e, 0.0), 1.0)
    s = min(max((b * t - c) / a, 0.0), 1.0)
    if det > 1e-6 * a * e:
        return s, t
    # nearly parallel: rounding of the interior solution may hide a nearer end
    d = add(sub(r, scale(t, w)), scale(s, u))
    best = dot(d, d)
    for k in range(4):
        if k < 2:
            s1 = float(k)
            t1 = min(max((b * s1 + f) / e, 0.0), 1.0)
        else:
            t1 = float(k - 2)
            s1 = min(max((b * t1 - c) / a, 0.0), 1.0)
        d = add(sub(r, scale(t1, w)), scale(s1, u))
        if dot(d, d) < best * (1.0 - 1e-15):
            best, s, t = dot(d, d), s1, t1
    return s, t


@internal
def nearest_along(p, u, q, w, n, distance, tolerance):
    """The point of the segment p + s u that is nearest to the segment q + t w, and whether both nearest
    points are `distance` apart along n.
    """
    s, t = nearest_of_segments(p, u, q, w)
    x = add(p, scale(s, u))
    d = sub(sub(add(q, scale(t, w)), x), scale(distance, n))
    return x, dot(d, d) <= tolerance * tolerance
