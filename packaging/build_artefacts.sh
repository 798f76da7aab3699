#!/bin/sh
# build_artefacts.sh SOURCES TO TARGETS JOBS [MAINTAINER]: every artefact of the targets (amd64 arm64 armhf), from a copy of the sources.
# A part of release.sh, in a file of its own: the second build of --twice runs it as another user, under another clock.
set -eu
sources=$1 to=$2 targets=$3 jobs=$4 maintainer=${5:-}

# What lintian may find in packages stands in packaging/lintian.txt, with the reason.
check_packages() {
  known=$(sed -n 's/^\([a-z][^ ]*\) .*/\1/p' packaging/lintian.txt | paste -s -d , -)
  lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags "$known" "$@" >&2
}

cd "$sources"
mkdir -p "$to"
# The sources themselves, before anything is built in them: release.sh in them makes all of this again.
version=$(grep -oE 'OCTET_VERSION_(MAJOR|MINOR|PATCH) [0-9]+' runtime/include/octet/octet.h | cut -d ' ' -f 2 | head -3 | paste -s -d .)
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" --exclude=./build \
  --transform="s,^\.,octet-$version,S" -c . | gzip -9n >"$to/octet-$version-source.tar.gz"
packaging/sbom/make_sbom.py "$to/octet-$version-source.tar.gz" >/dev/null
# Paths of this build stand in no file; -Map names the static libraries of each program for the SBOM.
export CFLAGS="-ffile-prefix-map=$sources=." CXXFLAGS="-ffile-prefix-map=$sources=." LDFLAGS="-Wl,-Map=%.map"
for target in $targets; do
  case "$target" in
    amd64) preset=native triplet=x86_64-linux-gnu ;;
    arm64) preset=aarch64 triplet=aarch64-linux-gnu ;;
    armhf) preset=armv7 triplet=arm-linux-gnueabihf ;;
  esac
  folder=$sources/build/$preset
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
    cp "$artefact" "$to/"
    packaging/sbom/make_sbom.py --maps "$folder" ${maintainer:+--supplier "$maintainer"} "$to/$(basename "$artefact")" >/dev/null
  done
done
cd "$to"
chmod 644 ./*
LC_ALL=C sh -c 'sha256sum *.deb *.whl *.json $(ls *.tar.gz *.oci.tar 2>/dev/null)' | LC_ALL=C sort -k 2 >SHA256SUMS
