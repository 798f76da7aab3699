#!/bin/sh
# demo/first_picture.sh BUILD OUT: frames of the built-in scene with boxes, ids and a line that counts, by the blob and the garments of demo/scene.
# Needs octet-camera alone: it is built long before the converter.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
rm -rf "$out"
"$build/bin/octet-camera" --source scene --seed 3 --frames 8 --fps 0 --every-frame --lines "middle=0.5,0 0.5,1" --dump "$out/frames" --dump-format png \
  >/dev/null 2>&1
ls "$out"/frames/*.png | tail -n 1
