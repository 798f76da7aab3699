#!/bin/sh
# Converts the demo's classifier and scores it on the 10,000 Fashion-MNIST test pictures, as a stream of frames; then the
# detector, with the camera loop running on the built-in scene, and a minute of it under the guard, with models flashed meanwhile.
set -eu
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: demo/run.sh [--build FOLDER] [--pictures N] [--frames N] [--fps N] [--guard-frames N] [--effort WORD]
                   [--times FILE] [--help]

Needs the programs built (./demo.sh does that). Writes everything into build/demo.
  --pictures N      test pictures for the classifier (10000)
  --frames N        frames of the scene for each plan (300)
  --fps N           pace of the scene (30); 0: as fast as it renders, the newest frame wins
  --times FILE      write the seconds that conversions and runs took
  --effort WORD     of the conversions (default): fast, default or best
  --guard-frames N  frames of the film for the guard, at 30 a second (1800); it is too short for all events below 1800
TEXT
}

build=build/native
test_pictures=10000
frames=300
fps=30
guard_frames=1800
effort=default
times=/dev/null
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=$2; shift ;;
    --pictures) test_pictures=$2; shift ;;
    --frames) frames=$2; shift ;;
    --fps) fps=$2; shift ;;
    --guard-frames) guard_frames=$2; shift ;;
    --effort) effort=$2; shift ;;
    --times) times=$2; shift ;;
    --help | -h) usage; exit 0 ;;
    *) echo "demo/run.sh: unknown argument '$1'; see demo/run.sh --help" >&2; exit 2 ;;
  esac
  shift
done
out=build/demo
rm -rf "$out"
begun=$(date +%s)
converting=0
# convert ARGUMENT...: octet convert, its time counted.
convert() {
  started=$(date +%s)
  "$build/bin/octet" convert "$@" || return 1
  converting=$((converting + $(date +%s) - started))
}
/usr/bin/python3 demo/pictures.py "$out" --test "$test_pictures"

echo "== converting (512 training pictures calibrate the int8 plan)"
convert demo/fashion_mnist.onnx -o "$out/fashion_mnist.octet" --calibrate "$out/calib.npy" \
  --mean 0.2860 --std 0.3530 --task classify --labels demo/labels.txt --effort "$effort"

echo "== comparing with FP32 on $test_pictures pictures"
"$build/bin/octet" verify demo/fashion_mnist.onnx "$out/fashion_mnist.octet" --data "$out/test.npy" \
  --labels "$out/labels.npy" --mean 0.2860 --std 0.3530 --json >"$out/verify.json"

echo "== running $test_pictures frames on every instruction set of this machine, one thread"
for plan in int8 fp16; do
  for isa in $("$build/bin/octet-run" --isa list); do
    # Takes longer than all the others together (7 ms a frame): it is there to check them by.
    [ "$plan-$isa" != fp16-reference ] || continue
    "$build/bin/octet-run" "$out/fashion_mnist.octet" --input "$out/test.npy" --output "$out/$plan-$isa.npy" \
      --plan "$plan" --isa "$isa" --json >"$out/$plan-$isa.json"
  done
done
/usr/bin/python3 demo/table.py "$out"

echo "== detector: converting (256 frames of the built-in scene calibrate it)"
"$build/bin/octet-scene" --pictures "$out/calib.npy" --labels "$out/calib_labels.npy" --frames 256 --seed 10000000 \
  --output "$out/scene_calib.npy"
# To score, every box counts. To show, those that the detector is fairly sure of: demo/scene/detector.octet was made of the same
# pictures with demo/scene_decode.yaml.
sed 's/^score_threshold: .*/score_threshold: 0.001/' demo/scene_decode.yaml >"$out/scene_score.yaml"
convert demo/scene_detector.onnx -o "$out/scene_score.octet" --calibrate "$out/scene_calib.npy" --mean 0,0,0 --std 1,1,1 \
  --task detect --decode "$out/scene_score.yaml" --labels demo/labels.txt --effort "$effort"
cp demo/scene/detector.octet "$out/scene_decode.octet"

echo "== camera loop on the scene, $frames frames for each plan at a pace of $fps"
mkdir "$out/camera"
for plan in int8 fp16; do
  "$build/bin/octet-camera" "$out/scene_score.octet" --source scene --garments "$out" --score --frames "$frames" \
    --fps "$fps" --plan "$plan" --json >"$out/camera/$plan.jsonl"
done
/usr/bin/python3 demo/scene_table.py "$out/camera" demo/scene_scores.json
"$build/bin/octet-camera" "$out/scene_decode.octet" --source scene --garments "$out" --seed 3 --frames 60 --fps 0 \
  --every-frame --dump "$out/frames" --dump-format png --json >"$out/camera/dump.jsonl"
/usr/bin/python3 demo/animate.py "$out/frames" "$out/scene.png" --step 2

echo "== two cameras, one engine, in one picture"
demo/two_cameras.sh "$build" "$out/two"

echo "== the guard: a detector calibrated in the dark; a minute in which the light comes on, the board gets hot, and models are flashed"
# Three releases: the first and the next alike, and one that no light was seen for. As they are, all of them pass every check.
# They are calibrated on the wrong pictures on purpose: the least effort will do.
release() { # NAME PICTURES SECURITY_COUNTER [MORE...]
  name=$1 pictures=$2 counter=$3
  shift 3
  convert demo/scene_detector.onnx -o "$out/$name.octet" --calibrate "$out/$pictures" --mean 0,0,0 --std 1,1,1 \
    --task detect --decode demo/scene_decode.yaml --labels demo/labels.txt --board x86-host --golden 2 \
    --security-counter "$counter" --effort fast "$@" >"$out/$name.txt" 2>&1 || { cat "$out/$name.txt" >&2; exit 1; }
}
/usr/bin/python3 demo/darken.py "$out/scene_calib.npy" "$out/dark_calib.npy"
/usr/bin/python3 demo/darken.py "$out/scene_calib.npy" "$out/night_calib.npy" 0.02
release scene_dark dark_calib.npy 1
release scene_dark_2 dark_calib.npy 2
release scene_night night_calib.npy 2 --samples 16
/usr/bin/python3 demo/guard.py "$out/scene_dark.octet" "$out/scene_dark_2.octet" "$out/scene_night.octet" --build "$build" --out "$out" \
  --frames "$guard_frames"

echo "$converting $(($(date +%s) - begun - converting))" >"$times"
echo "the blobs are $out/fashion_mnist.octet and $out/scene_decode.octet; look inside with $build/bin/octet inspect"
echo "frames with boxes are in $out/frames, as a film in $out/scene.png; live in a browser on http://127.0.0.1:8080:"
echo "  $build/bin/octet-camera $out/scene_decode.octet --source scene --http 8080"
