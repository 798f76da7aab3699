#!/bin/sh
# Installs the programs beside this file. Nothing is started, and no configuration is touched.
set -eu
prefix=/usr/local
root=
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) prefix=${2:?install.sh: --prefix needs a folder}; shift 2 ;;
    --root) root=${2:?install.sh: --root needs a folder}; shift 2 ;;
    --help | -h)
      echo "usage: ./install.sh [--prefix FOLDER] [--root FOLDER]"
      echo "Copies programs to FOLDER/bin (default /usr/local) and files for systemd to FOLDER/share/octet. --root: below this folder, for images."
      exit 0
      ;;
    *) echo "install.sh: unknown argument '$1'; see ./install.sh --help" >&2; exit 2 ;;
  esac
done
cd "$(dirname "$0")"
# An image is made on another machine; what is installed here has to run here.
if [ -z "$root" ] && ! bin/octet-run --isa list >/dev/null 2>&1; then
  echo "install.sh: these programs do not run on $(uname -m); take the archive for this processor (ARMv7 needs NEON and VFPv4)" >&2
  exit 2
fi
mkdir -p "$root$prefix/bin" "$root$prefix/share/octet"
for program in bin/*; do
  # Beside its place and renamed: a program that runs is replaced whole.
  cp "$program" "$root$prefix/bin/.new-$(basename "$program")"
  chmod 755 "$root$prefix/bin/.new-$(basename "$program")"
  mv -f "$root$prefix/bin/.new-$(basename "$program")" "$root$prefix/bin/$(basename "$program")"
done
cp -R systemd "$root$prefix/share/octet/"
echo "installed below $root$prefix; octet-run --self-test shows whether this board computes what it should"
