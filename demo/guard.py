#!/usr/bin/env python3
"""A minute of the camera under its guard: the light changes beyond what calibration saw, a new model is flashed, the
board gets hot, and two models that are no good come (flash.py). A table beside both fixed plans, what happened when, and
one picture: score, temperature, plan and slot over time.

The detector here was calibrated on dark pictures (half the light), as by somebody who had only those: in full light its
int8 values are cut and answers get lost, FP16 has no such ends.
"""
import argparse
import json
import pathlib
import subprocess
import threading
import time

from flash import Store

DIM, BRIGHT = "0.5", "1.6"  # exposure; the scene as it is: 1
SETTINGS = "dwell_s=4,dwell_max_s=16,shadow_every=15,heat_dwell_s=2,enter_c=60,leave_c=55"
COOL_MC, HOT_MC = 45000, 70000


def film(frames: int) -> "tuple[str, tuple[int, int], tuple[float, float]]":
    """--disturb, the bright frames, and when the board is hot (shares of the film)."""
    bright = (frames // 4, frames // 2 - 1)
    parts = [f"exposure:{DIM}@0-{bright[0] - 1}", f"exposure:{BRIGHT}@{bright[0]}-{bright[1]}", f"exposure:{DIM}@{bright[1] + 1}-"]
    return ",".join(parts), bright, (0.7, 0.85)


def run(options, name: str, arguments: "list[str]", fps: float, store: "Store | None" = None) -> "list[dict]":
    frames = options.frames
    damage, _, hot = film(frames)
    thermal = options.out / "thermal" / "thermal_zone0"
    thermal.mkdir(parents=True, exist_ok=True)
    (thermal / "type").write_text("cpu-thermal\n")
    (thermal / "temp").write_text(f"{COOL_MC}\n")
    command = [str(options.build / "bin/octet-camera"), *(["--slots", str(store.folder)] if store else [str(options.blob)]), "--source", "scene", "--garments", str(options.out),
               "--frames", str(frames), "--fps", str(fps), "--score", "--json", "--disturb", damage,
               "--thermal-root", str(options.out / "thermal"), *arguments]
    if fps == 0:
        command.append("--every-frame")
    done, begun = threading.Event(), time.monotonic()

    def share() -> float:
        """Of the film, that has passed."""
        return (time.monotonic() - begun) * fps / frames

    def heat() -> None:
        step = 0
        while not done.wait(0.2):
            step += 1
            # A live sensor never stands quite still.
            level = HOT_MC if hot[0] <= share() < hot[1] else COOL_MC
            (thermal / "temp.new").write_text(f"{level + step % 7 * 100}\n")
            (thermal / "temp.new").rename(thermal / "temp")

    def flash() -> None:
        while not done.wait(0.2):
            store.step(share())

    with open(options.out / f"guard_{name}.jsonl", "w") as output:
        camera = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE if store else None, text=True)
        threads = [threading.Thread(target=work) for work in ([heat] if fps else []) + ([flash] if store else [])]
        for thread in threads:
            thread.start()
        if store:
            store.listen(camera.stderr)
        status = camera.wait()
    done.set()
    for thread in threads:
        thread.join()
    if status != 0:
        raise SystemExit(f"octet-camera ended with status {status}")
    return [json.loads(line) for line in (options.out / f"guard_{name}.jsonl").read_text().splitlines()]


def write_picture(lines: "list[dict]", bright: "tuple[int, int]", path: pathlib.Path) -> None:
    """SVG: four bands over time, each with its name and unit above it."""
    frames = [line for line in lines if "plan" in line]
    width, left, top, band, gap = 900, 90, 60, 110, 40
    begun, end = frames[0]["time"], frames[-1]["time"]

    def x(line) -> float:
        return left + (line["time"] - begun) / max(end - begun, 1e-9) * (width - left - 20)

    def band_top(index: int) -> float:
        return top + index * (band + gap)

    def path_of(values, index: int, low: float, high: float) -> str:
        points = [(at, band_top(index) + band * (1 - (min(max(value, low), high) - low) / (high - low))) for at, value in values]
        return "M" + " L".join(f"{px:.1f},{py:.1f}" for px, py in points)

    def steps(values):
        """Points of a staircase: each value holds until the next."""
        result = []
        for at, value in values:
            if result and result[-1][1] != value:
                result.append((at, result[-1][1]))
            if not result or result[-1][1] != value:
                result.append((at, value))
        result.append((values[-1][0], values[-1][1]))
        return result

    def runs(values):
        """Between the frames that have none."""
        result = [[]]
        for at, value in values:
            if value is not None:
                result[-1].append((at, value))
            elif result[-1]:
                result.append([])
        return [steps(part) for part in result if part]

    scores = runs([(x(f), f["score"]) for f in frames])
    heat = runs([(x(f), f["temperature_c"]) for f in frames])
    plans = runs([(x(f), 1.0 if f["plan"] == "fp16" else 0.0) for f in frames])
    slots = runs([(x(f), 1.0 if f["slot"] == "b" else 0.0) for f in frames])
    height = band_top(4) + 20
    lit = [x(f) for f in frames if bright[0] <= f["frame"] <= bright[1]]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>',
             f'<rect x="{lit[0]:.1f}" y="28" width="{lit[-1] - lit[0]:.1f}" height="{band_top(3) + band - 28}" fill="#fff3c4"/>',
             f'<text x="{lit[0]:.1f}" y="22" fill="#7a5c00">brighter than anything in calibration</text>']
    for index, (name, values, low, high, marks, colour) in enumerate((
            ("Agreement of int8 with fp16, 0 to 1", scores, -0.05, 1.05, ((0, "0"), (0.9, "trip 0.9")), "#1b6e3c"),
            ("Temperature of the board, degrees C", heat, 40, 80, ((40, "40"), (55, "cool 55"), (60, "hot 60"), (80, "80")), "#b3261e"),
            ("Plan", plans, -0.15, 1.15, ((0, "int8"), (1, "fp16")), "#1f4fa3"),
            ("Slot of the store", slots, -0.15, 1.15, ((0, "A"), (1, "B")), "#6a3d9a"))):
        parts.append(f'<rect x="{left}" y="{band_top(index)}" width="{width - left - 20}" height="{band}" fill="none" stroke="#bbb"/>')
        parts.append(f'<text x="{left}" y="{band_top(index) - 8}" font-weight="bold">{name}</text>')
        for value, label in marks:
            y = band_top(index) + band * (1 - (value - low) / (high - low))
            parts.append(f'<path d="M{left},{y:.1f} H{width - 20}" stroke="#ccc" stroke-dasharray="4 3"/>')
            parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end" font-size="11" fill="#555">{label}</text>')
        for run_of in values:
            parts.append(f'<path d="{path_of(run_of, index, low, high)}" fill="none" stroke="{colour}" stroke-width="2"/>')
    bottom = band_top(3) + band
    for share in (0, 0.25, 0.5, 0.75, 1):
        at = left + share * (width - left - 20)
        parts.append(f'<path d="M{at:.1f},{bottom} V{bottom + 5}" stroke="#888"/>')
        parts.append(f'<text x="{at:.1f}" y="{bottom + 19}" text-anchor="middle" font-size="11" fill="#555">{share * (end - begun):.3g}</text>')
    parts.append(f'<text x="{(left + width - 20) / 2}" y="{bottom + 36}" text-anchor="middle" fill="#555">Time, s</text></svg>')
    path.write_text("\n".join(parts) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blob", type=pathlib.Path, help="detector calibrated in the dark")
    parser.add_argument("new", type=pathlib.Path, help="its next release")
    parser.add_argument("useless", type=pathlib.Path, help="one that passes every check and finds nothing")
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/native"))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/demo"))
    parser.add_argument("--frames", type=int, default=1800)
    parser.add_argument("--fps", type=float, default=30, help="pace of the guarded run")
    options = parser.parse_args()
    _, bright, _ = film(options.frames)
    rows = {plan: run(options, plan, ["--plan", plan], 0)[-1]["summary"] for plan in ("int8", "fp16")}
    store = Store(options.build, options.out, options.blob, options.new, options.useless)
    # Clocks of the lines, of what was flashed, and of the film.
    to_wall = time.time() - time.monotonic()
    lines = run(options, "guard", ["--guard-set", SETTINGS], options.fps, store)
    rows["guard"] = lines[-1]["summary"]
    frames = [line for line in lines if "plan" in line]
    row = "{:<8} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9}"
    print(row.format("plan", "frames", "mAP@0.5", "ms", "dropped", "changes", "shadow"))
    for name, s in rows.items():
        print(row.format(name, s["frames"], f"{s['map50']:.2f}", f"{s['median_ms']:.2f}", s["dropped"], s.get("plan_switches", "-"),
                         f"{100 * s['shadow_share']:.1f} %" if "shadow_share" in s else "-"))
    happened = [(at + to_wall, text) for at, text in store.said]
    for before, after in zip(frames, frames[1:]):
        if before["plan"] != after["plan"] and before["slot"] == after["slot"]:
            why = after["reason"] if after["reason"] != "home" else "back"
            score = "" if before["score"] is None else f"score {before['score']}, "
            happened.append((after["time"], f"guard: {before['plan']} -> {after['plan']} ({why}); {score}{after['temperature_c']} C"))
    for at, text in sorted(happened):
        print(f"{max(at - frames[0]['time'], 0):6.1f} s  {text}")
    write_picture(lines, bright, options.out / "guard.svg")
    print(f"frames {bright[0]} to {bright[1]} are brighter than calibration was; the picture of it is {options.out / 'guard.svg'}")


if __name__ == "__main__":
    main()
