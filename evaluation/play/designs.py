"""Balanced designs: few sets of points in which every two points are together equally often.

A design is made of orbits. Points are the numbers 0 to n - 1 on a circle, or all but the last of them with
that one in the middle; an orbit is a set in all its turns. It is found by how often an orbit has every two
points together, which depends on their distance alone.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb

#: Designs that put two points together more often would be longer than tournaments are.
_MOST_OFTEN = 10
#: Sets that are looked at, and steps of the search for orbits that add up.
_MOST_SETS, _MOST_STEPS = 10_000, 10_000

Set = tuple[int, ...]


@cache
def design(points: int, size: int) -> tuple[Set, ...]:
    """Sets of `size` of the points, so that every two are in equally many; none if no short design is found.

    Of the designs found, one of the fewest sets. Every point is in as many sets as any other.
    """
    if comb(points, size) > _MOST_SETS:
        return ()
    found = [_design(points, size, middle) for middle in (False, True)]
    return min(filter(None, found), key=len, default=())


def often(sets: Sequence[Set]) -> int:
    """In how many sets of a design every two points are."""
    return sum({0, 1} <= set(own) for own in sets)


def _design(points: int, size: int, middle: bool) -> tuple[Set, ...]:
    """The shortest design on a circle, with its last point in the middle or on the circle, too."""
    orbits: dict[Set, tuple[Set, ...]] = {}
    for orbit in _orbits(points, size, points - middle):
        orbits.setdefault(_together(orbit, points - middle, middle), orbit)
    for each in _possible(points, size):
        if (chosen := _adding_up(sorted(orbits, reverse=True), each)) is not None:
            return tuple([own for together in chosen for own in orbits[together]])
    return ()


def _possible(points: int, size: int) -> list[int]:
    """How often two points may be together, so that numbers of sets, and of those of a point, are whole."""
    return [
        each
        for each in range(1, _MOST_OFTEN + 1)
        if each * (points - 1) % (size - 1) == 0 and each * points * (points - 1) % (size * (size - 1)) == 0
    ]


def _orbits(points: int, size: int, circle: int) -> Iterator[tuple[Set, ...]]:
    """Every set in all its turns, each orbit once."""
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
    """How often an orbit has point 0 with each at another distance, and with the middle if there is one."""
    met = Counter(two for own in orbit for two in combinations(own, 2))
    return tuple([met[0, other] for other in range(1, circle // 2 + 1)] + [met[0, circle]] * middle)


def _adding_up(kinds: Sequence[Set], each: int) -> list[Set] | None:
    """Some of these, one or more times, that add up to `each` everywhere; None if none are found in time."""
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
