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
  --twice            builds a second time and compares the hashes: from another path, with another umask, locale, time zone and home
                     folder, 400 days later (by faketime) and, if root runs it, as the user nobody
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
for tool in umoci lintian abidiff dpkg-buildpackage faketime; do
  command -v "$tool" >/dev/null || { echo "release.sh: no $tool; try: ./setup.sh --tests" >&2; exit 1; }
done
# The files of an unpacked source archive have the time of its commit.
: "${SOURCE_DATE_EPOCH:=$(if [ -e "$root/.git" ]; then git -C "$root" log -1 --format=%ct; else stat -c %Y "$root/CMakeLists.txt"; fi)}"
export SOURCE_DATE_EPOCH
mkdir -p "$output"
output=$(cd "$output" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/octet-release-XXXXXX")
trap 'rm -rf "$work"' EXIT

# copy TO: what git tracks, as it is now (all, in an unpacked source archive), and the libraries for boards that setup.sh fetched.
copy() {
  mkdir -p "$1"
  (cd "$root" && if [ -e .git ]; then git ls-files -z; else find . -path ./build -prune -o ! -type d -print0; fi | xargs -0 cp --parents -P -t "$1")
  for library in yaml-cpp sodium; do
    [ ! -d "$root/build/$library" ] || { mkdir -p "$1/build" && cp -RH "$root/build/$library" "$1/build/"; }
  done
}

copy "$work/octet"
# Both before the first build, which takes minutes: somebody may edit meanwhile.
[ "$twice" = no ] || copy "$work/elsewhere/with-a/longer-path/octet"
(umask 022; export LC_ALL=C.UTF-8 TZ=UTC; "$work/octet/packaging/build_artefacts.sh" "$work/octet" "$work/first" "$targets" "$jobs" "$maintainer")
if [ "$twice" = yes ]; then
  as=""
  if [ "$(id -u)" = 0 ]; then  # only root can be another user
    chmod 711 "$work"
    mkdir -p "$work/second" "$work/home"
    chown -R nobody:nogroup "$work/elsewhere" "$work/second" "$work/home"
    as="setpriv --reuid nobody --regid nogroup --clear-groups"
  fi
  sources=$work/elsewhere/with-a/longer-path/octet
  (umask 077; export LC_ALL=C TZ=Pacific/Auckland HOME="$work/home" TMPDIR="$work/home"; mkdir -p "$HOME"; cd "$sources"
   $as faketime -f +400d packaging/build_artefacts.sh "$sources" "$work/second" "$targets" "$jobs" "$maintainer")
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
  "$root/packaging/apt/make_repository.sh" --packages "$output" --key "$key" -o "$output/apt"
  "$root/packaging/sign.sh" "$key" --armor --detach-sign --output "$output/SHA256SUMS.asc" "$output/SHA256SUMS"
fi
ls -l "$output" | awk 'NR > 1 { print $5, $NF }'
