"""Pictures in memory of other owners, described for octet_set_input_frame. No pixel is copied here."""
import ctypes
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from octet._library import FrameStruct

RGB24, GREY8, NV12, YUV420P, YUYV = range(5)  # enum octet_pixel_format
NAMES = ("RGB24", "GREY8", "NV12", "YUV420P", "YUYV")
SIZE_MAX = 65535


def _half(size: int) -> int:
    return (size + 1) // 2


def _bytes_of(buffer: Any, what: str) -> np.ndarray:
    """The buffer as an array over the same memory; arrays pass as they are."""
    if isinstance(buffer, np.ndarray):
        if buffer.dtype != np.uint8:
            raise TypeError(f"{what}: elements of {buffer.dtype}; pictures are uint8")
        return buffer
    try:
        return np.frombuffer(buffer, np.uint8)
    except (TypeError, ValueError, BufferError) as error:
        raise TypeError(f"{what}: {error}; give an array of uint8 or a buffer") from None


def _plane(array: np.ndarray, what: str) -> Tuple[int, int]:
    """(address, bytes from row to row) of uint8 [rows, ...] whose rows are each in one piece."""
    if array.dtype != np.uint8:
        raise TypeError(f"{what}: elements of {array.dtype}; pictures are uint8")
    piece = 1
    for size, stride in zip(array.shape[:0:-1], array.strides[:0:-1]):
        if stride != piece and size > 1:
            raise ValueError(f"{what}: the bytes of a row are not contiguous (shape {array.shape}, strides "
                             f"{array.strides}); numpy.ascontiguousarray makes a copy in which they do")
        piece *= size
    if array.shape[0] > 1 and array.strides[0] < piece:
        raise ValueError(f"{what}: rows overlap or run backwards (shape {array.shape}, strides {array.strides}); "
                         "numpy.ascontiguousarray makes a copy in which they do not")
    return array.ctypes.data, max(array.strides[0], piece)


class Frame:
    """A picture in place: format, size, and the addresses and strides of its planes.

    Frame.rgb, grey, nv12, yuv420p, yuyv and planes make it. It keeps a reference to its array. A camera loop that gets the
    same buffers again can keep one Frame for each buffer, because the pixels are read when a model runs it.
    """

    __slots__ = ("format", "width", "height", "struct", "pointer", "_owners")

    def __init__(self, pixel_format: int, width: int, height: int, planes: Sequence[Tuple[int, int]],
                 owners: Sequence[Any]):
        """planes: (address, stride in bytes) of each. The class methods check planes and strides, this does not."""
        if not (1 <= width <= SIZE_MAX and 1 <= height <= SIZE_MAX):
            raise ValueError(f"a frame of {width}x{height}; sides are 1 to {SIZE_MAX} pixels")
        self.format, self.width, self.height = pixel_format, width, height
        struct = FrameStruct(format=pixel_format, width=width, height=height)
        for i, (address, stride) in enumerate(planes):
            struct.planes[i], struct.strides[i] = address, stride
        self.struct, self.pointer = struct, ctypes.pointer(struct)
        self._owners = owners

    @property
    def addresses(self) -> Tuple[int, ...]:
        """The addresses of the planes. The first is that of the array itself, because nothing is copied."""
        return tuple(address for address in self.struct.planes if address)

    @classmethod
    def rgb(cls, array: np.ndarray) -> "Frame":
        """uint8 [height, width, 3], red first. Rows may be apart (a crop: frame[10:200, 40:300]), pixels of a row may not."""
        if not isinstance(array, np.ndarray) or array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(f"Frame.rgb: {describe(array)}; expected uint8 [height, width, 3]")
        return cls(RGB24, array.shape[1], array.shape[0], [_plane(array, "Frame.rgb")], [array])

    @classmethod
    def grey(cls, array: np.ndarray) -> "Frame":
        """uint8 [height, width] or [height, width, 1]."""
        if not isinstance(array, np.ndarray) or not (array.ndim == 2 or array.ndim == 3 and array.shape[2] == 1):
            raise ValueError(f"Frame.grey: {describe(array)}; expected uint8 [height, width]")
        return cls(GREY8, array.shape[1], array.shape[0], [_plane(array, "Frame.grey")], [array])

    @classmethod
    def yuyv(cls, array: np.ndarray, width: Optional[int] = None) -> "Frame":
        """uint8 [height, width, 2], or [height, bytes of a row]. width: in pixels, needed if rows have padding."""
        if not isinstance(array, np.ndarray) or not (array.ndim == 2 or array.ndim == 3 and array.shape[2] == 2):
            raise ValueError(f"Frame.yuyv: {describe(array)}; expected uint8 [height, width, 2]")
        row = array.shape[1] * (2 if array.ndim == 3 else 1)
        width = row // 2 if width is None else width
        if 4 * _half(width) > row:
            raise ValueError(f"Frame.yuyv: rows of {row} bytes are too short for {width} pixels, which need "
                             f"{4 * _half(width)}")
        return cls(YUYV, width, array.shape[0], [_plane(array, "Frame.yuyv")], [array])

    @classmethod
    def nv12(cls, buffer: Any, width: Optional[int] = None, height: Optional[int] = None,
             stride: Optional[int] = None) -> "Frame":
        """Y, then UV interleaved at half height, in one piece of memory.

        buffer: uint8 [height * 3 / 2, stride]. width and height follow from it if they are not given. It may also have one
        dimension (bytes, a memoryview, a mapped file). Then give width and height, and stride in bytes if rows are padded.
        """
        return cls._yuv420(NV12, buffer, width, height, stride)

    @classmethod
    def yuv420p(cls, buffer: Any, width: Optional[int] = None, height: Optional[int] = None,
                stride: Optional[int] = None) -> "Frame":
        """Y, U, V (I420; picamera2's "YUV420"). Chroma rows are half as long as those of Y. buffer: as for nv12."""
        return cls._yuv420(YUV420P, buffer, width, height, stride)

    @classmethod
    def _yuv420(cls, pixel_format: int, buffer: Any, width: Optional[int], height: Optional[int],
                stride: Optional[int]) -> "Frame":
        what = f"Frame.{NAMES[pixel_format].lower()}"
        array = _bytes_of(buffer, what)
        if array.ndim == 2:
            if stride is not None:
                raise ValueError(f"{what}: an array [rows, bytes of a row] already has a stride")
            base, stride = _plane(array, what)
            height = array.shape[0] * 2 // 3 if height is None else height
            width = array.shape[1] if width is None else width
            # Two rows of U lie in one of the array, so only whole ones are evenly spaced.
            if pixel_format == YUV420P and stride != array.shape[1]:
                raise ValueError(f"{what}: rows of {array.shape[1]} bytes with a stride of {stride}; planes of such a buffer "
                                 "go to Frame.planes one by one")
            size, row = (array.shape[0] - 1) * stride + array.shape[1], array.shape[1]
        elif array.ndim == 1:
            if width is None or height is None:
                raise ValueError(f"{what}: {describe(buffer)} has no size; give width and height")
            base, size = array.ctypes.data, array.size
            if size > 1 and array.strides[0] != 1:
                raise ValueError(f"{what}: the bytes are not contiguous (strides {array.strides})")
            stride = width if stride is None else stride
            row = stride
        else:
            raise ValueError(f"{what}: {describe(buffer)}; expected uint8 [height * 3 / 2, stride]")
        if row < width:
            raise ValueError(f"{what}: rows of {row} bytes are too short for {width} pixels")
        luma, chroma_rows = stride * height, _half(height)
        if pixel_format == NV12:
            # An odd row of Y is followed by a longer one of UV in tight buffers; arrays have one length of row.
            pairs = stride if array.ndim == 2 else 2 * _half(stride)
            planes, last_row = [(base, stride), (base + luma, pairs)], 2 * _half(width)
            if array.ndim == 2 and last_row > row:
                raise ValueError(f"{what}: rows of {row} bytes are too short for {_half(width)} pairs of UV")
            needed = luma + pairs * (chroma_rows - 1) + last_row
        else:
            half = _half(stride)
            planes = [(base, stride), (base + luma, half), (base + luma + half * chroma_rows, half)]
            needed = luma + half * chroma_rows + half * (chroma_rows - 1) + _half(width)
        if needed > size:
            raise ValueError(f"{what}: {size} bytes, and {width}x{height} with a stride of {stride} need {needed}")
        return cls(pixel_format, width, height, planes, [array])

    @classmethod
    def planes(cls, *planes: np.ndarray) -> "Frame":
        """Separate planes of uint8. NV12: Y [height, width] and UV [ceil(height / 2), ceil(width / 2), 2]. YUV420P: Y, and U and V
        [ceil(height / 2), ceil(width / 2)]."""
        if len(planes) not in (2, 3) or any(not isinstance(plane, np.ndarray) for plane in planes) or planes[0].ndim != 2:
            raise ValueError("Frame.planes: expected arrays Y and UV, or Y, U and V; Y [height, width]")
        height, width = planes[0].shape
        small = (_half(height), _half(width), 2) if len(planes) == 2 else (_half(height), _half(width))
        for name, plane in zip(("UV",) if len(planes) == 2 else ("U", "V"), planes[1:]):
            if plane.shape != small:
                raise ValueError(f"Frame.planes: {name} is {describe(plane)}; beside Y {list(planes[0].shape)} it must be "
                                 f"uint8 {list(small)}")
        where = [_plane(plane, "Frame.planes") for plane in planes]
        return cls(NV12 if len(planes) == 2 else YUV420P, width, height, where, list(planes))

    @classmethod
    def of(cls, array: np.ndarray) -> "Frame":
        """RGB or grey, by the shape."""
        if array.ndim == 3 and array.shape[2] == 3:
            return cls.rgb(array)
        if array.ndim == 2 or array.ndim == 3 and array.shape[2] == 1:
            return cls.grey(array)
        batch = array.ndim == 4 and array.shape[3] in (1, 3)
        raise ValueError(f"{describe(array)} is not a picture; expected uint8 [height, width, 3] (RGB) or [height, width] (grey); "
                         + ("this is a batch, so pass one picture of it, array[0]" if batch else "octet.Frame describes others"))

    def __repr__(self) -> str:
        return f"Frame({NAMES[self.format]}, {self.width}x{self.height})"


def describe(value: Any) -> str:
    """For messages: dtype and shape of an array, the type of anything else."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {list(value.shape)}"
    return f"a {type(value).__name__}"
