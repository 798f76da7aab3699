#!/bin/sh
# demo/two_cameras.sh BUILD OUT: two cameras of one octet-camera, two seeds of the built-in scene, in one picture.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
rm -rf "$out"
mkdir -p "$out"
cat >"$out/cameras.yaml" <<END
json: true
frames: 16
every-frame: true
fps: 0
dump-format: png
cameras:
  - {name: left, source: scene, seed: 3, dump: "$out/left", tracks: "on"}
  - {name: right, source: scene, seed: 8, dump: "$out/right", lines: ["middle=0.5,0 0.5,1"]}
END
"$build/bin/octet-camera" --config "$out/cameras.yaml" >"$out/lines.jsonl" 2>"$out/said.txt" || { cat "$out/said.txt" >&2; exit 1; }
/usr/bin/python3 demo/beside.py "$(ls "$out"/left/*.png | tail -n 1)" "$(ls "$out"/right/*.png | tail -n 1)" "$out/two_cameras.png"
echo "$out/two_cameras.png"
