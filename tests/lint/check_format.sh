#!/bin/sh
# check_format.sh <root>: every source file is as clang-format leaves it. Exit status 77 (skipped) without clang-format.
set -eu
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "clang-format is not installed"
  exit 77
fi
for folder in runtime ports converter tests bench examples; do
  [ ! -d "$folder" ] || folder_list="${folder_list:-} $folder"
done
# .inc files are lists of macro lines, aligned by hand.
files=$(find $folder_list -name '*.cc' -o -name '*.c' -o -name '*.h' | sort)
[ -n "$files" ] || { echo "no source files under $1"; exit 1; }
clang-format --dry-run --Werror $files
echo "$(echo "$files" | wc -l) files are formatted"
