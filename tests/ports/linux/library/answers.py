"""Detections of the Python package and of the programs' JSON in one form, digits as printed."""
import numpy as np


def as_json(found) -> list:
    """Detections as octet-run and octet-camera print them."""
    result = []
    for d in found:
        entry = {"label": d.name, "class": d.label, "score": f"{d.score:.4f}",
                 "box": [f"{value:.1f}" for value in (d.x0, d.y0, d.x1, d.y1)],
                 "points": [[f"{x:.1f}", f"{y:.1f}", f"{score:.4f}"] for x, y, score in (() if d.points is None else d.points)]}
        result.append(entry)
        if d.mask is None:
            continue
        flat = d.mask.pixels.ravel()
        edges = np.flatnonzero(np.diff(flat)) + 1
        runs = np.diff([0, *([0] if flat.size and flat[0] else []), *edges, flat.size])
        entry["mask"] = {"at": [d.mask.left, d.mask.top, *d.mask.pixels.shape[::-1]], "runs": runs.tolist() if flat.size else []}
    return result


def as_printed(detections: list) -> list:
    """The same, out of the programs' JSON."""
    return [{**entry, "score": f"{entry['score']:.4f}", "box": [f"{value:.1f}" for value in entry["box"]],
             "points": [[f"{x:.1f}", f"{y:.1f}", f"{score:.4f}"] for x, y, score in entry.get("points", ())]} for entry in detections]
