#!/bin/sh
# Writes the manual as a site into build/docs/site, by Debian's mkdocs and, where they are installed, mkdocs-material and Doxygen
# (the reference of the C API, docs/Doxyfile). Warnings of both are errors.
set -eu
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
usage: docs/build.sh [--help]

Writes the manual into build/docs/site. Look at it with: python3 -m http.server --bind 127.0.0.1 --directory build/docs/site 8000
TEXT
}

while [ $# -gt 0 ]; do
  case "$1" in
    --help | -h) usage; exit 0 ;;
    *) echo "docs/build.sh: unknown argument '$1'; see docs/build.sh --help" >&2; exit 2 ;;
  esac
  shift
done
if ! [ -x /usr/bin/mkdocs ]; then
  echo "docs/build.sh: mkdocs is not installed; try: sudo apt-get install mkdocs mkdocs-material" >&2
  exit 2
fi
/usr/bin/python3 docs/lay_out.py
if [ -x /usr/bin/doxygen ]; then
  if ! /usr/bin/doxygen docs/Doxyfile; then
    echo "docs/build.sh: docs/Doxyfile has warnings or errors, see above" >&2
    exit 1
  fi
else
  echo "docs/build.sh: doxygen is not installed, so the site has the headers as text alone; try: sudo apt-get install doxygen" >&2
fi
/usr/bin/mkdocs build --quiet --strict --clean --config-file build/docs/mkdocs.yml
echo "the manual is in build/docs/site; look at it with: python3 -m http.server --bind 127.0.0.1 --directory build/docs/site 8000"
