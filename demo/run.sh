#!/bin/sh
# Converts the demo's classifier and scores it on all 10,000 Fashion-MNIST test pictures, as a stream of frames.
set -eu
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: demo/run.sh [--build FOLDER] [--help]

Needs the programs built (./demo.sh does that). Writes everything into build/demo.
TEXT
}

build=build/native
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$2; shift ;;
    --help | -h) usage; exit 0 ;;
    *) echo "demo/run.sh: unknown argument '$1'; see demo/run.sh --help" >&2; exit 2 ;;
  esac
  shift
done
out=build/demo
rm -rf "$out"
/usr/bin/python3 demo/pictures.py "$out"

echo "== converting (512 training pictures calibrate the int8 plan)"
"$build/bin/octet" convert demo/fashion_mnist.onnx -o "$out/fashion_mnist.octet" --calibrate "$out/calib.npy" \
  --mean 0.2860 --std 0.3530 --task classify --labels demo/labels.txt

echo "== comparing with FP32 on 10,000 pictures"
"$build/bin/octet" verify demo/fashion_mnist.onnx "$out/fashion_mnist.octet" --data "$out/test.npy" \
  --labels "$out/labels.npy" --mean 0.2860 --std 0.3530 --json >"$out/verify.json"

echo "== running 10,000 frames on every instruction set of this machine, one thread"
for plan in int8 fp16; do
  for isa in $("$build/bin/octet-run" --isa list); do
    "$build/bin/octet-run" "$out/fashion_mnist.octet" --input "$out/test.npy" --output "$out/$plan-$isa.npy" \
      --plan "$plan" --isa "$isa" --json >"$out/$plan-$isa.json"
  done
done
/usr/bin/python3 demo/table.py "$out"
echo "the blob is $out/fashion_mnist.octet; look inside with $build/bin/octet inspect"
