#!/bin/sh
# check_tidy.sh <root> <build folder>: clang-tidy on the parts that read blobs. Exit status 77 (skipped) without it.
set -eu
cd "$1"
if ! command -v clang-tidy >/dev/null; then
  echo "clang-tidy is not installed"
  exit 77
fi
# Files of one instruction set are left out: GCC's vector intrinsics are not Clang's.
files=""
for folder in runtime/core runtime/format runtime/engine runtime/slots; do
  [ ! -d "$folder" ] || files="$files $(find "$folder" -name '*.cc' ! -name '*x86_*' ! -name '*arm_*' | sort)"
done
[ -n "$(echo $files)" ] || { echo "no source files to check"; exit 77; }
# Warnings are GCC's affair, with GCC's flags.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 # as for Clang in test.sh
printf '%s\n' $files | xargs -P "$(nproc)" -n 2 clang-tidy -p "$2" --quiet --extra-arg=-Wno-everything
echo "$(echo $files | wc -w) files are clean"
