#!/bin/sh
# Builds Octet and shows it at work on real pictures.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'TEXT'
usage: ./demo.sh [--no-setup] [--help] [-- ARGUMENT...]

Installs what is missing (setup.sh --demo), builds the converter and the runtime (preset native), then converts a small
classifier and scores it on the Fashion-MNIST test pictures, then a detector and runs the camera loop on the built-in
scene with it (demo/run.sh, which gets the arguments after --). Less than 10 minutes on two cores.
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

[ "$setup" = no ] || ./setup.sh --demo
echo "== building (preset native)"
cmake --preset native -DOCTET_TESTS=OFF -DOCTET_BENCH=OFF >/dev/null
cmake --build --preset native -j "$(nproc)" --target octet octet-run octet-camera octet-scene octet-slot
exec demo/run.sh "$@"
