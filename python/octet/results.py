"""What a model says about a frame, by its task."""
from typing import NamedTuple, Optional

import numpy as np


class ClassScore(NamedTuple):
    """One class of a classifier's answer."""

    label: int
    name: str  # "" where the blob has no names
    score: float


class Mask(NamedTuple):
    """The object in a box. pixels: bool [rows, columns], True for the object; the first pixel is (left, top) of the frame."""

    left: int
    top: int
    pixels: np.ndarray


class Detection(NamedTuple):
    """A box in pixels of the frame, clipped to it. x goes to the right, y goes down."""

    x0: float
    y0: float
    x1: float
    y1: float
    score: float
    label: int
    name: str  # "" where the blob has no names
    points: Optional[np.ndarray]  # key points, float32 [count, 3]: x and y in pixels of the frame, score
    mask: Optional[Mask]
