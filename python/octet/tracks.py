"""Boxes of each frame become tracks with ids, and tracks enter zones and cross lines: octet/track.h and octet/zones.h."""
import ctypes
import math
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from octet import _library as c

ONE, PIXEL, MOST_PIXELS = 65536, 256, 65536.0
CLASSES = ("apart", "together")
METHODS = ("bytetrack", "ocsort")
ANCHORS = ("bottom", "centre", "top")
KINDS = ("", "entered", "inside", "left", "in", "out")
LABELS = 1024


class Track(NamedTuple):
    """A track after a frame. Times are in seconds, the box is in pixels."""

    id: int
    x0: float
    y0: float
    x1: float
    y1: float
    score: float
    label: int
    seen: bool  # in this frame; False: lost, and the box is predicted
    box: Optional[int]  # index of its box in this frame
    begun: float  # time of its first box
    last_seen: float


class ZoneEvent(NamedTuple):
    """kind: "entered", "inside", "left" of a zone, "in" and "out" of a line."""

    kind: str
    zone: str
    track: int
    label: int
    time: float
    dwell: float
    ended: bool  # the track has ended


def _memory(size: int) -> ctypes.Array:
    return (ctypes.c_uint64 * ((size + 7) // 8))()


def _share(name: str, value: float) -> int:
    if not 0 <= value <= 1:
        raise ValueError(f"{name}={value}: expected a number from 0 to 1")
    return round(value * ONE)


def _microseconds(time: float) -> int:
    if not 0 <= time < 1e12:
        raise ValueError(f"time {time}: expected seconds, not below 0")
    return round(time * 1e6)


def _fixed(pixels: float) -> int:
    return round(min(max(pixels, -MOST_PIXELS), MOST_PIXELS) * PIXEL) if math.isfinite(pixels) else 0


class Tracker:
    """ByteTrack or OC-SORT with measured times, in integers: the same boxes and times give the same tracks on every machine.

        tracker = octet.Tracker()
        for time, picture in film:
            for track in tracker.frame(time, model.detect(picture, min_score=0.1)):
                print(track.id, track.x0, track.y0)
    """

    def __init__(self, capacity: int = 128, *, high: float = 0.6, low: float = 0.1, new: float = 0.7, match: float = 0.8,
                 second: float = 0.5, unconfirmed: float = 0.7, buffer: float = 1.0, classes: str = "apart", method: str = "bytetrack",
                 iou: float = 0.3, inertia: float = 0.2) -> None:
        """capacity: the most tracks, and boxes a frame. buffer: seconds. method: "bytetrack" or "ocsort". The other settings, and which
        method uses them: docs/tracks.md."""
        if method not in METHODS:
            raise ValueError(f"method={method!r}: expected one of {', '.join(METHODS)}")
        if classes not in CLASSES:
            raise ValueError(f"classes={classes!r}: expected one of {', '.join(CLASSES)}")
        self._library = c.library()
        config = c.TracksConfigStruct(high=_share("high", high), low=_share("low", low), new=_share("new", new),
                                      match=_share("match", match), second=_share("second", second),
                                      unconfirmed=_share("unconfirmed", unconfirmed), buffer_ms=round(buffer * 1000),
                                      classes=CLASSES.index(classes), method=METHODS.index(method), iou=_share("iou", iou),
                                      inertia=_share("inertia", inertia))
        size = self._library.octet_tracks_bytes(capacity)
        self._own, self._tracks = _memory(size), ctypes.c_void_p()
        c.check(self._library.octet_tracks_init(self._own, size, capacity, config, ctypes.byref(self._tracks)), "tracks")
        self._list, self._count = (c.TrackStruct * capacity)(), ctypes.c_uint32()
        self.capacity = capacity

    def frame(self, time: float, boxes: Iterable[Sequence[float]]) -> List[Track]:
        """time: of its capture, in seconds. boxes: x0, y0, x1, y1, score, label, as Model.detect gives them."""
        made = [(*map(_fixed, box[:4]), round(min(max(box[4], 0), 1) * ONE), int(box[5])) for box in boxes]
        array = (c.BoxStruct * len(made))(*made)
        c.check(self._library.octet_tracks_frame(self._tracks, _microseconds(time), array, len(made), self._list, self.capacity,
                                                 ctypes.byref(self._count)), "tracks")
        return [Track(t.id, t.x0 / PIXEL, t.y0 / PIXEL, t.x1 / PIXEL, t.y1 / PIXEL, t.score / ONE, t.label, t.state == 1,
                      None if t.box == c.NO_BOX else t.box, t.begun_us / 1e6, t.seen_us / 1e6)
                for t in self._list[:self._count.value]]

    def reset(self) -> None:
        """Ends all tracks. Ids go on."""
        self._library.octet_tracks_reset(self._tracks)


class Zones:
    """Polygons (three points or more) and lines (two points), by name, in shares of the picture from 0 to 1."""

    def __init__(self, zones: Dict[str, Sequence[Tuple[float, float]]], *, capacity: int = 128, anchor: str = "bottom",
                 frames: Tuple[int, int] = (2, 3), band: float = 0.05, update: float = 1.0) -> None:
        """capacity: that of the tracker. The other settings: docs/tracks.md."""
        if anchor not in ANCHORS:
            raise ValueError(f"anchor={anchor!r}: expected one of {', '.join(ANCHORS)}")
        self._library, self.names = c.library(), tuple(zones)
        made = []
        for name, points in zones.items():
            array = (c.PointStruct * len(points))(*[(_share(name, x), _share(name, y)) for x, y in points])
            made.append(c.ZoneStruct(point_count=len(points), points=array, anchor=ANCHORS.index(anchor), frames=frames[0],
                                     window=frames[1], band=_share("band", band), update_ms=round(update * 1000)))
        array = (c.ZoneStruct * len(made))(*made)
        config = c.ZonesConfigStruct(zone_count=len(made), zones=ctypes.cast(array, ctypes.c_void_p), label_count=LABELS,
                                     capacity=capacity)
        size = self._library.octet_zones_bytes(config)
        self._own, self._zones = _memory(size), ctypes.c_void_p()
        c.check(self._library.octet_zones_init(self._own, size, config, ctypes.byref(self._zones)), "zones")
        self._events: List[ZoneEvent] = []
        self._keep = c.EventFunction(self._take)

    def _take(self, _context: Optional[int], event: "ctypes._Pointer[c.ZoneEventStruct]") -> None:
        e = event.contents
        self._events.append(ZoneEvent(KINDS[e.kind], self.names[e.zone], e.track, e.label, e.time_us / 1e6, e.dwell_us / 1e6, e.ended != 0))

    def frame(self, time: float, size: Tuple[int, int], tracker: Tracker) -> List[ZoneEvent]:
        """Events of the tracks of the tracker's last frame. size: width and height of the picture."""
        self._events = []
        c.check(self._library.octet_zones_frame(self._zones, _microseconds(time), size[0], size[1], tracker._list, tracker._count.value,
                                                self._keep, None), "zones")
        return self._events

    def counts(self, name: str) -> Tuple[int, int, int]:
        """Tracks in, tracks out, and tracks inside now."""
        counts = c.ZoneCountsStruct()
        c.check(self._library.octet_zones_counts(self._zones, self.names.index(name), c.ALL_LABELS, ctypes.byref(counts)), name)
        return counts.in_, counts.out, counts.inside
