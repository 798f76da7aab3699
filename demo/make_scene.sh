#!/bin/sh
# demo/make_scene.sh BUILD OUT: what octet-camera --source scene needs when nothing else is given: the first 100 test pictures of
# Fashion-MNIST (test.npy, labels.npy) and detector.octet. demo/scene has these files; a test makes them again and compares.
set -eu
cd "$(dirname "$0")/.."
build=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
/usr/bin/python3 demo/pictures.py "$work" --test 100
cp "$work/test.npy" "$work/labels.npy" "$out"
"$build/bin/octet-scene" --pictures "$work/calib.npy" --labels "$work/calib_labels.npy" --frames 256 --seed 10000000 --output "$work/frames.npy"
"$build/bin/octet" convert demo/scene_detector.onnx -o "$out/detector.octet" --calibrate "$work/frames.npy" --mean 0,0,0 --std 1,1,1 \
  --task detect --decode demo/scene_decode.yaml --labels demo/labels.txt
