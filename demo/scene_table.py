#!/usr/bin/env python3
"""The table of the demo's detector: one row a plan, from what octet-camera --score --json reported."""
import argparse
import json
import pathlib


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="holds int8.jsonl and fp16.jsonl")
    parser.add_argument("scores", type=pathlib.Path, help="scene_scores.json: what FP32 scores on the same film")
    options = parser.parse_args()
    film = json.loads(options.scores.read_text())["video"]
    row = "{:<6} {:>8} {:>9} {:>9} {:>7} {:>11} {:>11} {:>8} {:>8}"
    print(row.format("plan", "frames", "mAP@0.5", "ms", "fps", "age median", "age max", "dropped", "memory"))
    print(row.format("fp32", film["frames"], f"{film['fp32_map50_percent']:.2f} ", *"------"))
    for plan in ("int8", "fp16"):
        s = json.loads((options.folder / f"{plan}.jsonl").read_text().splitlines()[-1])["summary"]
        print(row.format(plan, s["frames"], f"{s['map50']:.2f}" + ("*" if s["dropped"] or s["frames"] != film["frames"] else " "), f"{s['median_ms']:.2f}", f"{s['fps']:.1f}",
                         f"{s['median_age_ms']:.2f} ms", f"{s['max_age_ms']:.2f} ms", s["dropped"],
                         f"{s['rss_bytes'] / 1e6:.1f} MB"))
    print(f"fp32: measured once, on the first {film['frames']} frames of the film. *: other frames than those; --frames {film['frames']} "
          "at a pace that drops none has the same.\nms: preprocessing, network and decoding, median.")


if __name__ == "__main__":
    main()
