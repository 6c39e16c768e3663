"""Finds balanced designs: small collections of sets in which any two points occur together equally often.

A design is a union of orbits. The points are 0 to n - 1, arranged on a circle; or the last of them is in the
middle and the others are on the circle. An orbit is a set with all its rotations. How often two points occur
together in an orbit depends only on their distance, so orbits are combined by these counts.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb

#: Designs in which two points occur together more often would be too long for tournaments.
_MOST_OFTEN = 10
#: The maximum number of sets, and of steps in the search for orbits that add up to a design.
_MOST_SETS, _MOST_STEPS = 10_000, 10_000

Set = tuple[int, ...]


@cache
def design(points: int, size: int) -> tuple[Set, ...]:
    """Returns sets of `size` points in which any two points occur together equally often.

    Every point is in equally many sets. It is the smallest design found, or () if no short one is found.
    """
    if comb(points, size) > _MOST_SETS:
        return ()
    found = [_design(points, size, middle) for middle in (False, True)]
    return min(filter(None, found), key=len, default=())


def often(sets: Sequence[Set]) -> int:
    """Returns in how many sets of a design any two points occur together."""
    return sum({0, 1} <= set(own) for own in sets)


def _design(points: int, size: int, middle: bool) -> tuple[Set, ...]:
    """Returns the shortest design found on a circle, with the last point in the `middle` or on the circle."""
    orbits: dict[Set, tuple[Set, ...]] = {}
    for orbit in _orbits(points, size, points - middle):
        orbits.setdefault(_together(orbit, points - middle, middle), orbit)
    for each in _possible(points, size):
        if (chosen := _adding_up(sorted(orbits, reverse=True), each)) is not None:
            return tuple([own for together in chosen for own in orbits[together]])
    return ()


def _possible(points: int, size: int) -> list[int]:
    """Returns how often two points may occur together, so that the numbers of sets are whole."""
    return [
        each
        for each in range(1, _MOST_OFTEN + 1)
        if each * (points - 1) % (size - 1) == 0 and each * points * (points - 1) % (size * (size - 1)) == 0
    ]


def _orbits(points: int, size: int, circle: int) -> Iterator[tuple[Set, ...]]:
    """Yields every orbit once: a set with all its rotations."""
    seen = set[Set]()
    for own in combinations(range(points), size):
        if own not in seen:
            turns = (
                (*((point + turn) % circle for point in own if point < circle),) for turn in range(circle)
            )
            rest = tuple([point for point in own if point >= circle])
            orbit = tuple(dict.fromkeys(tuple(sorted(turned)) + rest for turned in turns))
            seen.update(orbit)
            yield orbit


def _together(orbit: tuple[Set, ...], circle: int, middle: bool) -> Set:
    """Returns how often an orbit has point 0 together with a point at each distance, and with the middle."""
    met = Counter(two for own in orbit for two in combinations(own, 2))
    return tuple([met[0, other] for other in range(1, circle // 2 + 1)] + [met[0, circle]] * middle)


def _adding_up(kinds: Sequence[Set], each: int) -> list[Set] | None:
    """Returns some of `kinds`, with repetition, that sum to `each` everywhere; None if not found in time."""
    steps = 0

    def rest_of(first: int, missing: Set) -> list[Set] | None:
        nonlocal steps
        if not any(missing):
            return []
        for place in range(first, len(kinds)):
            steps += 1
            if steps > _MOST_STEPS:
                return None
            left = tuple([have - own for have, own in zip(missing, kinds[place], strict=True)])
            if min(left) >= 0 and (more := rest_of(place, left)) is not None:
                return [kinds[place], *more]
        return None

    return rest_of(0, (each,) * len(kinds[0]))
