#!/usr/bin/env python3
"""docs/json.md: each command prints the keys that its table names."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import stand_ins

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs/json.md"
DETECT = ["--resize", "letterbox", "--task", "detect", "--decode", "yolov8", "--labels", SOURCE / "labels/coco.txt"]
BOARD = ["--board", SOURCE / "boards/raspberry-pi-5.yaml"]
COMMANDS = {
    "octet convert": ["model.onnx", "-o", "all.octet", "--calibrate", "pictures", *DETECT, *BOARD, "--golden", "2", "--drift",
                      "--mixed-budget-percent", "30", "--temporal", "mean"],
    "octet --help-json": [],
    "octet verify": ["model.onnx", "model.octet", "--data", "pictures"],
    "octet verify --rebuild": ["model.octet", "model.onnx", "--calibrate", "pictures", *DETECT, "--golden", "2"],
    "octet inspect": ["all.octet"],
    "octet inspect model.onnx": [],
    "octet analyze": ["model.onnx", "pictures"],
    "octet assign": ["model.onnx", "--calibrate", "pictures", "--resize", "letterbox", "--budget-percent", "10", *BOARD, "-o", "x.yaml"],
    "octet boards": [],
    "octet doctor": [],
    "octet-run": ["model.octet", "--input", "pictures", "--profile"],
    "octet-run --self-test": ["--plan", "int8", "--threads", "1"],
    "octet-camera": ["model.octet", "--source", "pictures", "--guard", "--device", "shop-7", "--motion", "on", "--zones", "all=0,0 1,0 1,1 0,1"],
    "octet-camera --check": ["model.octet", "--source", "pictures"],
    "octet-slot": ["store", "list"],
}


def documented() -> dict:
    """Keys by the heading that they stand under."""
    keys, command = {}, None
    for line in PAGE.read_text().splitlines():
        if line.startswith("## "):
            command = line[3:]
            keys[command] = []
        elif command == "octet-camera":
            keys[command] += re.findall(r"`(\w+)`", line)
        elif command and line.startswith("| `"):
            keys[command] += re.findall(r"`([\w.]+)`", line.split("|")[1])
    return keys


def has(value, key: str) -> bool:
    first, _, rest = key.partition(".")
    if isinstance(value, list):
        return any(has(one, key) for one in value)
    return isinstance(value, dict) and first in value and (not rest or has(value[first], rest))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    programs = parser.parse_args().build.resolve() / "bin"
    keys, problems, found = documented(), [], 0
    if set(keys) != set(COMMANDS):
        problems.append(f"docs/json.md has {sorted(keys)}, this test {sorted(COMMANDS)}")
    with tempfile.TemporaryDirectory(prefix="octet-json-") as folder:
        work = pathlib.Path(folder)
        stand_ins.make(work, programs / "octet", SOURCE)
        (work / "store").mkdir()
        subprocess.run([programs / "octet", "flash", work / "model.octet", work / "store"], check=True, capture_output=True)
        for command, arguments in COMMANDS.items():
            program, *words = command.split()
            done = subprocess.run([programs / program, *words, *arguments, "--json"], cwd=work, capture_output=True, text=True)
            if done.returncode != 0:
                problems.append(f"{command}: status {done.returncode}: {done.stderr}")
                continue
            lines = done.stdout.splitlines()
            told = [json.loads(line) for line in lines] if command == "octet-camera" else json.loads(done.stdout)
            missing = [key for key in keys.get(command, []) if not has(told, key) and not has(told, f"summary.{key}")]
            problems += [f"{command}: docs/json.md names `{key}`, which it does not print" for key in missing]
            found += len(keys.get(command, [])) - len(missing)
    print("\n".join(problems) or f"{found} keys are there")
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
