"""The assignment with the greatest sum of gains, in float: for scores and for the twin. Pairs of gain 0 are not matched."""
import numpy as np


def _hungarian(gains):
    """Of a small dense matrix with rows <= columns. Costs are -gain, and a gain of 0 costs 0: it is no partner."""
    rows, columns = gains.shape
    cost = -gains
    u, v = np.zeros(rows + 1), np.zeros(columns + 1)
    row_of = np.zeros(columns + 1, int)  # 0: none; columns are counted from 1
    for row in range(1, rows + 1):
        row_of[0] = row
        at, least, used, way = 0, np.full(columns + 1, np.inf), np.zeros(columns + 1, bool), np.zeros(columns + 1, int)
        while True:
            used[at] = True
            owner = row_of[at]
            reduced = cost[owner - 1] - u[owner] - v[1:]
            better = ~used[1:] & (reduced < least[1:])
            least[1:][better], way[1:][better] = reduced[better], at
            near = int(np.argmin(np.where(used[1:], np.inf, least[1:]))) + 1
            delta = least[near]
            u[row_of[used]] += delta
            v[used] -= delta
            least[1:][~used[1:]] -= delta
            at = near
            if row_of[at] == 0:
                break
        while at:
            row_of[at] = row_of[way[at]]
            at = way[at]
    return [(row_of[c] - 1, c - 1) for c in range(1, columns + 1) if row_of[c]]


def _components(allowed):
    """Rows and columns that hang together."""
    left = set(np.flatnonzero(allowed.any(1)))
    while left:
        rows, columns, new = set(), set(), {left.pop()}
        while new:
            rows |= new
            columns |= set(np.flatnonzero(allowed[sorted(new)].any(0)))
            new = set(np.flatnonzero(allowed[:, sorted(columns)].any(1))) - rows
        left -= rows
        yield sorted(rows), sorted(columns)


def match(gains):
    """[(row, column)] of gains above 0."""
    gains = np.asarray(gains, float)
    pairs = []
    if not gains.size:
        return pairs
    for rows, columns in _components(gains > 0):
        part = gains[np.ix_(rows, columns)].clip(0)
        if part.shape[0] <= part.shape[1]:
            found = _hungarian(part)
        else:
            found = [(r, c) for c, r in _hungarian(part.T)]
        pairs += [(rows[r], columns[c]) for r, c in found if part[r, c] > 0]
    return pairs


def iou(a, b):
    """Of boxes [n, 4] and [m, 4] as x, y, w, h."""
    a, b = np.asarray(a, float).reshape(-1, 1, 4), np.asarray(b, float).reshape(1, -1, 4)
    w = np.minimum(a[..., 0] + a[..., 2], b[..., 0] + b[..., 2]) - np.maximum(a[..., 0], b[..., 0])
    h = np.minimum(a[..., 1] + a[..., 3], b[..., 1] + b[..., 3]) - np.maximum(a[..., 1], b[..., 1])
    both = w.clip(0) * h.clip(0)
    return both / (a[..., 2] * a[..., 3] + b[..., 2] * b[..., 3] - both)
