#!/usr/bin/env python3
"""octet-run --boxes --tracks: its tracks beside a float twin. tracks_test.py --build BUILD [--films FOLDER] [--seeds N]

Scores are those of TrackEval (scores.py). FOLDER: NAME.truth.txt, NAME.boxes.txt, NAME.json of each film, in place of the films
that films.py makes. Each method must be within 1 point of its twin in MOTA, IDF1 and HOTA; prints a line a film, and the means, of
ByteTrack also without the second association.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import films
import matching
import ocsort_twin
import scores
import twin

POINTS = ("MOTA", "IDF1", "HOTA")
WITHOUT_SECOND = ("low=0.6",)


def run_tracks(program, boxes, times, tracks, settings=()):
    command = [program, "--boxes", boxes, "--times", times, "--tracks", tracks]
    subprocess.run(command + (["--tracker", ",".join(settings)] if settings else []), check=True)


class Metrics(unittest.TestCase):
    """The definitions, on films whose scores follow by hand."""

    def scores(self, truth, tracks):
        frames, truth_count, track_count = scores.prepare(truth, tracks)
        mota, switches = scores.clear(frames)
        return mota, scores.identity(frames, truth_count, track_count), scores.hota(frames, truth_count, track_count), switches

    @staticmethod
    def film(ids, visible=1.0, x=100):
        return {f: [[f, i, x, 100, 50, 100, 1, 0, visible]] for f, i in enumerate(ids, 1) if i}

    def test_perfect_tracks(self):
        self.assertEqual(self.scores(self.film([1] * 10), self.film([7] * 10)), (1, 1, 1, 0))

    def test_an_id_that_changes_in_the_middle(self):
        mota, idf1, hota, switches = self.scores(self.film([1] * 10), self.film([7] * 5 + [8] * 5))
        self.assertEqual((mota, idf1, switches), (0.9, 0.5, 1))
        self.assertAlmostEqual(hota, 0.5 ** 0.5)

    def test_half_of_the_boxes_are_missed(self):
        mota, idf1, hota, switches = self.scores(self.film([1] * 10), self.film([7] * 5))
        self.assertEqual((mota, switches), (0.5, 0))
        self.assertAlmostEqual(idf1, 2 / 3)
        self.assertAlmostEqual(hota, 0.5)

    def test_boxes_on_truth_that_is_hidden_do_not_count(self):
        truth = {1: [[1, 1, 100, 100, 50, 100, 1, 0, 1.0], [1, 2, 500, 100, 50, 100, 1, 0, 0.2]]}
        tracks = {1: [[1, 4, 100, 100, 50, 100, 1, 0, -1], [1, 5, 500, 100, 50, 100, 1, 0, -1]]}
        self.assertEqual(self.scores(truth, tracks), (1, 1, 1, 0))

    def test_assignments_have_the_greatest_sum(self):
        r = np.random.default_rng(1)
        for _ in range(200):
            gains = r.random((r.integers(1, 5), r.integers(1, 5))) * (r.random() < 0.9) * (r.random((1, 1)) + 0.1)
            gains[r.random(gains.shape) < 0.4] = 0

            def best(row, used):
                if row == len(gains):
                    return 0
                others = [gains[row, c] + best(row + 1, used | {c}) for c in range(gains.shape[1]) if c not in used and gains[row, c]]
                return max([best(row + 1, used), *others])

            self.assertAlmostEqual(sum(gains[p] for p in matching.match(gains)), best(0, frozenset()))


class Films(unittest.TestCase):
    program, folder, seeds = None, None, 4

    def films(self, work):
        if self.folder:
            return sorted(str(path)[:-len(".truth.txt")] for path in self.folder.glob("*.truth.txt"))
        bases = []
        for seed in range(self.seeds):
            truth, boxes, times = films.film(seed)
            bases.append(f"{work}/film{seed}")
            films.write(truth, bases[-1] + ".truth.txt")
            films.write(boxes, bases[-1] + ".boxes.txt")
            pathlib.Path(bases[-1] + ".json").write_text(json.dumps({"times": times}))
        return bases

    def score_all(self, runs):
        """{run: {score: mean of all films}}. runs: {name: settings of octet-run, or what makes a twin}. Prints a line a film."""
        total = {name: collections.Counter() for name in runs}
        with tempfile.TemporaryDirectory() as work:
            bases = self.films(work)
            self.assertTrue(bases, "no films")
            for base in bases:
                found = {}
                for name, run in runs.items():
                    tracks = f"{work}/{name}.txt"
                    if callable(run):
                        times = json.loads(pathlib.Path(base + ".json").read_text())["times"]
                        twin.track_film(run(), scores.read(base + ".boxes.txt"), times, tracks)
                    else:
                        run_tracks(self.program, base + ".boxes.txt", base + ".json", tracks, run)
                    found[name] = scores.score(base + ".truth.txt", tracks)
                    total[name].update({score: value / len(bases) for score, value in found[name].items()})
                print(pathlib.Path(base).name, " ".join(
                    score + " " + "/".join(f"{found[name][score]:.2f}" for name in runs) for score in found["octet"]))
                for score in POINTS:
                    self.assertLess(abs(found["octet"][score] - found["twin"][score]), 1, f"{base}: {score}")
        for name, values in total.items():
            print(f"mean of {name}: " + ", ".join(f"{score} {value:.2f}" for score, value in values.items()))
        return total

    def test_bytetrack_scores_as_its_float_twin(self):
        total = self.score_all({"octet": (), "twin": twin.Twin, "without": WITHOUT_SECOND})
        self.assertGreater(total["octet"]["IDF1"], total["without"]["IDF1"])

    def test_ocsort_scores_as_its_float_twin(self):
        self.score_all({"octet": ("method=ocsort",), "twin": ocsort_twin.Twin})


class Command(unittest.TestCase):
    """Lines that are read and refused."""

    program = None

    def run_boxes(self, text, *more, times=None):
        with tempfile.TemporaryDirectory() as work:
            boxes, tracks = pathlib.Path(work, "boxes.txt"), pathlib.Path(work, "tracks.txt")
            boxes.write_text(text)
            command = [self.program, "--boxes", boxes, "--tracks", tracks, *more]
            if times is not None:
                pathlib.Path(work, "times.json").write_text(times)
                command += ["--times", pathlib.Path(work, "times.json")]
            done = subprocess.run(command, capture_output=True, text=True)
            return done.returncode, done.stderr, tracks.read_text() if tracks.exists() else None

    LINES = "".join(f"{f},-1,{100 + f},50,40,100,0.9,3,-1\n" for f in range(1, 6))

    def test_lines_have_ids(self):
        status, _, tracks = self.run_boxes(self.LINES)
        rows = [line.split(",") for line in tracks.splitlines()]
        self.assertEqual(status, 0)
        self.assertEqual([row[:2] + row[7:] for row in rows], [[str(f), "1", "3", "-1"] for f in range(1, 6)])
        self.assertAlmostEqual(float(rows[-1][2]), 105, delta=1)

    def test_times_decide_what_is_lost(self):
        lines = "1,-1,100,50,40,100,0.9\n2,-1,900,50,40,100,0.9\n3,-1,100,50,40,100,0.9\n"
        ids = {}
        for step in (0.4, 1.5):
            _, _, tracks = self.run_boxes(lines, times=json.dumps({"times": [0, step, 2 * step]}))
            ids[step] = [line.split(",")[:2] for line in tracks.splitlines()]
        self.assertEqual(ids, {0.4: [["1", "1"], ["3", "1"]], 1.5: [["1", "1"]]})

    def test_what_is_refused(self):
        for text, more, times, facts in (
                ("1,-1,5,5,5\n", (), None, (":1:", "frame,id,x,y,w,h,score")),
                (self.LINES + "0,-1,1,1,1,1,1\n", (), None, (":6:",)),
                ("1,-1,nan,1,1,1,1\n", (), None, (":1:",)),
                (self.LINES, (), '{"times": [0, 1]}', ("2 times", "5 frames")),
                (self.LINES, (), '{"times": [0, 2, 1]}', ("times[2]",)),
                (self.LINES, (), "[]", ("times",)),
                (self.LINES, ("--tracker", "low=0.7"), None, ("low", "high")),
                (self.LINES, ("--tracker", "buffer=11"), None, ("buffer", "10")),
                (self.LINES, ("--tracker", "speed=1"), None, ("speed=1",)),
                (self.LINES, ("--tracker", "method=sort"), None, ("method=sort", "bytetrack", "ocsort")),
                (self.LINES, ("--tracker", "iou=0.5"), None, ("iou=0.5", "method=ocsort")),
                (self.LINES, ("--tracker", "new=0.8,method=ocsort"), None, ("new=0.8", "method=bytetrack")),
                (self.LINES, ("--threads", "2"), None, ("--threads", "--boxes"))):
            status, error, tracks = self.run_boxes(text, *more, times=times)
            self.assertEqual((status, tracks), (2, None), error)
            self.assertEqual(error.count("\n"), 1, error)
            for fact in facts:
                self.assertIn(fact, error)

    def test_a_folder_that_is_not_there(self):
        done = subprocess.run([self.program, "--boxes", "/nowhere/boxes.txt", "--tracks", "/nowhere/t.txt"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/nowhere/boxes.txt", done.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--films", type=pathlib.Path)
    parser.add_argument("--seeds", type=int, default=Films.seeds)
    arguments, others = parser.parse_known_args()
    Films.program = Command.program = str(arguments.build / "bin" / "octet-run")
    Films.folder, Films.seeds = arguments.films, arguments.seeds
    unittest.main(argv=[sys.argv[0], *others])


if __name__ == "__main__":
    main()
