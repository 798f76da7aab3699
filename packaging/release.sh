#!/bin/sh
# Builds what is given to others: packages, wheels, archives for boards, images for containers, with SHA256SUMS and an SBOM of each.
set -eu

usage() {
  cat <<'TEXT'
usage: packaging/release.sh [--output FOLDER] [--only amd64,arm64,armhf] [--jobs N] [--twice] [--maintainer "NAME <ADDRESS>"]
                             [--key FILE]

  --output FOLDER    where the files go (default: build/release); what is there is replaced
  --only LIST        of amd64 (on x86-64: Debian packages, wheel, images of converter and camera), arm64 (Debian packages without
                     the converter, wheel, archive of static programs, image of the camera) and armhf (the same, without an image)
  --jobs N           compilers at a time (default: as many as cores)
  --twice            builds a second time, from another path, with another umask, locale and time zone, and compares the hashes
  --maintainer TEXT  the maintainer in the Debian packages (default: that of debian/control)
  --key FILE         a secret key of OpenPGP without a passphrase. It signs SHA256SUMS (SHA256SUMS.asc) and an apt repository (apt/)

Builds from a copy of the tracked files, without ccache. Errors and warnings of lintian (packaging/lintian.txt says which are known),
and a library that does not fit its baseline (packaging/abi), end it. SOURCE_DATE_EPOCH is the time in all files (default: of the last commit).
Exit status: 0 done, 1 a build failed or the hashes differ, 2 bad use.
TEXT
}

root=$(cd "$(dirname "$0")/.." && pwd)
output=$root/build/release
only=amd64,arm64,armhf
jobs=$(nproc)
twice=no
maintainer=
key=
while [ $# -gt 0 ]; do
  case "$1" in
    --output | --only | --jobs | --maintainer | --key)
      [ $# -ge 2 ] || { echo "release.sh: $1 needs a value; see packaging/release.sh --help" >&2; exit 2; }
      ;;
  esac
  case "$1" in
    --output) output=$2; shift 2 ;;
    --only) only=$2; shift 2 ;;
    --jobs) jobs=$2; shift 2 ;;
    --twice) twice=yes; shift ;;
    --maintainer) maintainer=$2; shift 2 ;;
    --key) key=$2; shift 2 ;;
    --help | -h) usage; exit 0 ;;
    *) echo "release.sh: unknown argument '$1'; see packaging/release.sh --help" >&2; exit 2 ;;
  esac
done
targets=$(echo "$only" | tr , ' ')
for target in $targets; do
  case "$target" in
    amd64 | arm64 | armhf) ;;
    *) echo "release.sh: --only $target: give amd64, arm64 or armhf" >&2; exit 2 ;;
  esac
done
[ -z "$key" ] || [ -r "$key" ] || { echo "release.sh: --key $key cannot be read; check the path and its permissions" >&2; exit 2; }
for tool in umoci lintian abidiff dpkg-buildpackage; do
  command -v "$tool" >/dev/null || { echo "release.sh: no $tool; try: ./setup.sh --tests" >&2; exit 1; }
done
: "${SOURCE_DATE_EPOCH:=$(git -C "$root" log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/octet-release-XXXXXX")
trap 'rm -rf "$work"' EXIT

# copy TO: what git tracks, as it is now, and the libraries for boards that setup.sh fetched.
copy() {
  mkdir -p "$1"
  git -C "$root" ls-files -z | (cd "$root" && xargs -0 cp --parents -P -t "$1")
  for library in yaml-cpp sodium; do
    [ ! -d "$root/build/$library" ] || { mkdir -p "$1/build" && cp -RH "$root/build/$library" "$1/build/"; }
  done
}

# What lintian may find in packages stands in packaging/lintian.txt, with the reason.
check_packages() {
  known=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' packaging/lintian.txt | paste -s -d , -)
  lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags "$known" "$@" >&2
}

# build SOURCES TO: every artefact of the targets.
build() (
  cd "$1"
  mkdir -p "$2"
  # Paths of this build stand in no file; -Map names the static libraries of each program for the SBOM.
  export CFLAGS="-ffile-prefix-map=$1=." CXXFLAGS="-ffile-prefix-map=$1=." LDFLAGS="-Wl,-Map=%.map"
  for target in $targets; do
    case "$target" in
      amd64) preset=native triplet=x86_64-linux-gnu ;;
      arm64) preset=aarch64 triplet=aarch64-linux-gnu ;;
      armhf) preset=armv7 triplet=arm-linux-gnueabihf ;;
    esac
    folder=$1/build/$preset
    cmake --preset "$preset" -DOCTET_TESTS=OFF -DOCTET_BENCH=OFF -DOCTET_CCACHE= -DCMAKE_INSTALL_PREFIX=/usr \
      -DCMAKE_INSTALL_LIBDIR="lib/$triplet" >/dev/null  # CMake's own default is that of a native build alone
    cmake --build "$folder" -j "$jobs" >"$folder/build.log" 2>&1 || { tail -n 40 "$folder/build.log" >&2; exit 1; }
    made=$(packaging/debian.sh --build "$folder" --architecture "$target" -o "$folder/packages" ${maintainer:+--maintainer "$maintainer"})
    check_packages $made
    packaging/abi/check_abi.py --library "$folder/lib/liboctet.so.1" >&2
    device=$(echo "$made" | grep /octet-device_)
    converter=$(echo "$made" | grep /octet_ || true)
    [ "$target" = armhf ] || made="$made $(packaging/oci/make_image.py --name octet-camera -o "$folder/made" "$device")"
    [ -z "$converter" ] || made="$made $(packaging/oci/make_image.py --name octet-converter -o "$folder/made" "$converter" "$device")"
    made="$made $(packaging/wheel/make_wheel.py --library "$folder/lib/liboctet.so.1" -o "$folder/made")"
    [ "$target" = amd64 ] || made="$made $(packaging/board/make_tarball.py --build "$folder" -o "$folder/made")"
    for artefact in $made; do
      cp "$artefact" "$2/"
      packaging/sbom/make_sbom.py --maps "$folder" "$2/$(basename "$artefact")" >/dev/null
    done
  done
  cd "$2"
  chmod 644 ./*
  LC_ALL=C sh -c 'sha256sum *.deb *.whl *.json $(ls *.tar.gz *.oci.tar 2>/dev/null)' | LC_ALL=C sort -k 2 >SHA256SUMS
)

copy "$work/octet"
# Both before the first build, which takes minutes: somebody may edit meanwhile.
[ "$twice" = no ] || copy "$work/elsewhere/with-a/longer-path/octet"
(umask 022; export LC_ALL=C.UTF-8 TZ=UTC; build "$work/octet" "$work/first")
if [ "$twice" = yes ]; then
  (umask 077; export LC_ALL=C TZ=Pacific/Auckland HOME="$work"; build "$work/elsewhere/with-a/longer-path/octet" "$work/second")
  if ! diff "$work/first/SHA256SUMS" "$work/second/SHA256SUMS" >&2; then
    rm -rf "$output/differs" && mv "$work/second" "$output/differs"
    rm -rf "$output/first" && mv "$work/first" "$output/first"
    echo "release.sh: two builds differ; compare $output/first and $output/differs, as with diffoscope" >&2
    exit 1
  fi
  echo "two builds, $(wc -l <"$work/first/SHA256SUMS") files: the same hashes"
fi
find "$output" -mindepth 1 -maxdepth 1 -type f \( -name '*.deb' -o -name '*.whl' -o -name '*.tar.gz' -o -name '*.oci.tar' -o -name '*.spdx.json' \) -delete
cp "$work/first/"* "$output/"
if [ -n "$key" ]; then
  packaging=$root/packaging
  "$packaging/apt/make_repository.sh" --packages "$output" --key "$key" -o "$output/apt"
  "$packaging/sign.sh" "$key" --armor --detach-sign --output "$output/SHA256SUMS.asc" "$output/SHA256SUMS"
fi
ls -l "$output" | awk 'NR > 1 { print $5, $NF }'
