#!/bin/sh
# demo/first_picture.sh BUILD OUT: frames of the built-in scene with boxes, by the blob that comes with the demo.
# Needs octet-camera alone: it is built long before the converter.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
rm -rf "$out"
/usr/bin/python3 demo/pictures.py "$out" --test 100 >/dev/null
"$build/bin/octet-camera" demo/scene_detector.octet --source scene --garments "$out" --seed 3 --frames 8 --fps 0 --every-frame \
  --dump "$out/frames" --dump-format png >/dev/null 2>&1
ls "$out"/frames/*.png | tail -n 1
