#!/bin/sh
# check_format.sh <root>: every source file is as clang-format leaves it. Exit status 77 (skipped) without clang-format.
set -eu
cd "$1"
if ! command -v clang-format >/dev/null; then
  echo "clang-format is not installed"
  exit 77
fi
folders=""
for folder in runtime ports converter tests bench examples; do
  [ ! -d "$folder" ] || folders="$folders $folder"
done
# .inc files are lists of macro lines, aligned by hand.
files=$(find $folders \( -name '*.cc' -o -name '*.c' -o -name '*.h' \) | sort)
[ -n "$files" ] || { echo "no source files under $1"; exit 1; }
if clang-format --dry-run --Werror $files 2>/dev/null; then
  echo "$(echo "$files" | wc -l) files are formatted"
  exit 0
fi
echo "run clang-format -i on:"
for file in $files; do
  clang-format --dry-run --Werror "$file" 2>/dev/null || echo "  $file"
done
exit 1
