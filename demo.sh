#!/bin/sh
# Builds Octet and shows it at work on real pictures.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'TEXT'
usage: ./demo.sh [--no-setup] [--help] [-- ARGUMENT...]

Installs what is missing (setup.sh --demo). Builds octet-camera first and draws a picture with boxes, by the blob that comes
with the demo. Then builds the converter (preset native), converts a small classifier and scores it on the Fashion-MNIST test
pictures, and converts a detector and runs the camera loop on the built-in scene with it (demo/run.sh, which gets the arguments
after --). The last line has the times of all parts.
TEXT
}

setup=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --no-setup) setup=no ;;
    --help | -h) usage; exit 0 ;;
    --) shift; break ;;
    *) echo "demo.sh: unknown argument '$1'; see ./demo.sh --help" >&2; exit 2 ;;
  esac
  shift
done

now() { date +%s; }
begun=$(now)
[ "$setup" = no ] || ./setup.sh --demo
installed=$(now)
echo "== building octet-camera (preset native)"
cmake --preset native -DOCTET_TESTS=OFF -DOCTET_BENCH=OFF >/dev/null
cmake --build --preset native -j "$(nproc)" --target octet-camera
echo "== a first picture with boxes, by demo/scene/detector.octet"
picture=$(demo/first_picture.sh build/native build/first)
first=$(now)
echo "$picture, $((first - begun)) s after the start"
echo "== building the converter and the other programs"
cmake --build --preset native -j "$(nproc)" --target octet octet-run octet-scene octet-slot
built=$(now)
demo/run.sh --times build/demo-times "$@"
read -r converted ran <build/demo-times
echo "times: setup $((installed - begun)) s, first picture at $((first - begun)) s, build $((built - installed)) s," \
  "conversions $converted s, runs $ran s; all $(($(now) - begun)) s"
