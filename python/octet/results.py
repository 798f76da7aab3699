"""What a model says about a frame, by its task."""
from typing import NamedTuple, Optional

import numpy as np


class ClassScore(NamedTuple):
    """One class of a classifier's answer."""

    label: int
    name: str  # "" where the blob has no names
    score: float


class Mask(NamedTuple):
    """The object of a box: bool [rows, columns], True where the object is; its first pixel is (left, top) of the frame."""

    left: int
    top: int
    pixels: np.ndarray


class Detection(NamedTuple):
    """A box in pixels of the frame, x to the right, y down, clipped to it."""

    x0: float
    y0: float
    x1: float
    y1: float
    score: float
    label: int
    name: str  # "" where the blob has no names
    points: Optional[np.ndarray]  # key points, float32 [count, 3]: x and y in pixels of the frame, score
    mask: Optional[Mask]
