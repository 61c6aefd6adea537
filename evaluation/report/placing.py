"""Where to write names beside points, so that they hide neither each other nor the points. Knows boxes in pixels."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class Box(NamedTuple):
    """A rectangle."""

    x0: float
    y0: float
    x1: float
    y1: float

    def overlap(self, other: "Box") -> float:
        """Area in common.

        >>> Box(0, 0, 2, 2).overlap(Box(1, 1, 3, 3))
        1
        """
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0, width) * max(0, height)


DIRECTIONS = ((1, 0), (1, 1), (1, -1), (-1, 0), (-1, 1), (-1, -1), (0, 1), (0, -1))
"""Right first: that is where a reader looks."""
STEPS = (1.0, 2.2, 3.8)
"""How far out a name may go, in units of the gap."""


def place(
    points: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    taken: Sequence[Box],
    frame: Box,
    gap: float,
) -> list[Box]:
    """A box for each point's name, the nearest place that costs least; points are served from the most crowded on.

    Args:
        points: centres of the markers.
        sizes: width and height of the names.
        taken: what names should not cover: markers and intervals.
        frame: what names should not leave.
        gap: distance between a marker's centre and its name.
    """
    placed: dict[int, Box] = {}
    for index in sorted(range(len(points)), key=lambda i: -_crowd(points, i)):
        options = _options(points[index], sizes[index], gap)
        others = [point for i, point in enumerate(points) if i != index]
        costs = [
            _cost(box, [*taken, *placed.values()], frame) + far + _strange(box, points[index], others, gap)
            for far, box in options
        ]
        placed[index] = options[costs.index(min(costs))][1]
    return [placed[index] for index in range(len(points))]


def _options(point: tuple[float, float], size: tuple[float, float], gap: float) -> list[tuple[float, Box]]:
    """Boxes around a point, each with what its distance costs."""
    (x, y), (width, height) = point, size
    found = []
    for step in STEPS:
        for rank, (right, up) in enumerate(DIRECTIONS):
            left = x + gap * step * right - (0 if right > 0 else width if right < 0 else width / 2)
            bottom = y + gap * step * up * 1.2 - height / 2 + height / 2 * up
            found.append((step * 20 + rank, Box(left, bottom, left + width, bottom + height)))
    return found


def _cost(box: Box, taken: Sequence[Box], frame: Box) -> float:
    area = (box.x1 - box.x0) * (box.y1 - box.y0)
    outside = area - box.overlap(frame)
    return sum(box.overlap(other) for other in taken) + 20 * outside


def _strange(box: Box, own: tuple[float, float], others: Sequence[tuple[float, float]], gap: float) -> float:
    """What it costs to stand nearer to another's marker than to one's own."""
    nearest = min((_distance(box, point) for point in others), default=math.inf)
    return max(0.0, _distance(box, own) + gap / 2 - nearest) * gap


def _distance(box: Box, point: tuple[float, float]) -> float:
    x, y = point
    return math.hypot(max(box.x0 - x, 0, x - box.x1), max(box.y0 - y, 0, y - box.y1))


def _crowd(points: Sequence[tuple[float, float]], index: int) -> float:
    x, y = points[index]
    return sum(1 / (1 + (x - other[0]) ** 2 + (y - other[1]) ** 2) for other in points)
