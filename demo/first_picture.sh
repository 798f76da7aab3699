#!/bin/sh
# demo/first_picture.sh BUILD OUT: frames of the built-in scene with boxes, by the blob and the garments of demo/scene.
# Needs octet-camera alone: it is built long before the converter.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
rm -rf "$out"
"$build/bin/octet-camera" --source scene --seed 3 --frames 8 --fps 0 --every-frame --dump "$out/frames" --dump-format png \
  >/dev/null 2>&1
ls "$out"/frames/*.png | tail -n 1
