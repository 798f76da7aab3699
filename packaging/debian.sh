#!/bin/sh
# Debian packages of a build folder, by debian/rules in a copy of what they need.
set -eu

usage() {
  cat <<'TEXT'
usage: packaging/debian.sh --build FOLDER [--architecture NAME] [--maintainer "NAME <ADDRESS>"] [-o FOLDER]

  --build FOLDER       a build folder of CMake, with everything built. Configure it with -DCMAKE_INSTALL_PREFIX=/usr for Debian's library folders
  --architecture NAME  amd64, arm64 or armhf (default: of this machine). Packages for another processor have no converter
  --maintainer TEXT    the maintainer in the packages (default: that of debian/control)
  -o FOLDER            where the packages go (default: FOLDER/packages of the build)

Exit status: 0 done, 1 the packages could not be made, 2 bad use.
TEXT
}

root=$(cd "$(dirname "$0")/.." && pwd)
build= output= maintainer= architecture=$(dpkg --print-architecture)
while [ $# -gt 0 ]; do
  case "$1" in
    --build | --architecture | --maintainer | -o)
      [ $# -ge 2 ] || { echo "debian.sh: $1 needs a value; see packaging/debian.sh --help" >&2; exit 2; }
      ;;
  esac
  case "$1" in
    --build) build=$2; shift 2 ;;
    --architecture) architecture=$2; shift 2 ;;
    --maintainer) maintainer=$2; shift 2 ;;
    -o) output=$2; shift 2 ;;
    --help | -h) usage; exit 0 ;;
    *) echo "debian.sh: unknown argument '$1'; see packaging/debian.sh --help" >&2; exit 2 ;;
  esac
done
if [ ! -e "$build/build.ninja" ]; then
  echo "debian.sh: --build '$build' is not a build folder of CMake and Ninja; build one first: cmake --preset native" >&2
  exit 2
fi
if ! command -v dh >/dev/null || ! command -v dh_python3 >/dev/null; then
  echo "debian.sh: debhelper and dh-python are not installed; try: ./setup.sh --tests" >&2
  exit 1
fi
build=$(cd "$build" && pwd)
mkdir -p "${output:=$build/packages}"
output=$(cd "$output" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/octet-debian-XXXXXX")
trap 'rm -rf "$work"' EXIT
umask 022  # folders in packages are open, whoever builds
mkdir "$work/octet"
# Files get the modes that they have in a clone of umask 022.
(cd "$root" && tar -c --mode='u+w,go+rX,go-w' --exclude=__pycache__ debian packaging python docs SECURITY.md \
  runtime/format/FORMAT.md runtime/quant/QUANTIZATION.md) | tar -x -C "$work/octet"
cd "$work/octet"
if [ -n "$maintainer" ]; then
  sed -i "s/^Maintainer: .*/Maintainer: $maintainer/" debian/control
  sed -i "s/^ -- .*>  / -- $maintainer  /" debian/changelog
fi
# The time of all files in the packages; without one, that of debian/changelog.
if [ "$architecture" = "$(dpkg --print-architecture)" ]; then
  set -- -b
else
  set -- -B -a "$architecture" -Ppkg.octet.device
fi
if ! OCTET_BUILD=$build dpkg-buildpackage "$@" -d -us -uc --no-check-builddeps >"$work/log" 2>&1; then
  { grep -n "error:\|warning:" "$work/log" | head -n 20; tail -n 20 "$work/log"; } >&2
  echo "debian.sh: dpkg-buildpackage failed; its errors and last lines are above" >&2
  exit 1
fi
cp "$work"/*.deb "$output/"
ls "$work"/*.deb | sed "s#.*/#$output/#"
