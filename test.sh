#!/bin/sh
# Builds and tests everything; the last line counts the cases of all runs.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'TEXT'
usage: ./test.sh [--preset NAME[,NAME...]] [--jobs N] [--no-setup] [--help]

Installs what is missing (setup.sh --tests), then configures, builds and tests each preset: native, sanitize (ASan and
UBSan), tsan, and under QEMU aarch64, armv7, riscv64, cortex-m4, cortex-m7 and cortex-m55 (the last four are left out with a
line where their compiler is not installed). Last, whole models run on the programs of all presets and have to give the
same bits, the packages for boards are unpacked and run, and an emulated board is booted, updated and robbed of its
power. The last line is `N passed, N failed` (`, N skipped`).
Exit status: 0 all passed, 1 something failed, 2 bad use.
  --preset   only these presets
  --jobs     parallel jobs (default: one a processor)
  --no-setup install nothing
TEXT
}

presets="native sanitize tsan aarch64 armv7 riscv64 cortex-m4 cortex-m7 cortex-m55"
jobs=$(nproc)
setup=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --preset) presets=$(echo "${2:?--preset needs a name}" | tr ',' ' '); shift ;;
    --jobs) jobs=${2:?--jobs needs a number}; shift ;;
    --no-setup) setup=no ;;
    --help | -h) usage; exit 0 ;;
    *) echo "test.sh: unknown argument '$1'; see ./test.sh --help" >&2; exit 2 ;;
  esac
  shift
done

# What a preset cannot do without, where --no-setup may have left it out.
tools_of() {
  case "$1" in
    riscv64) echo riscv64-linux-gnu-g++ qemu-riscv64 ;;
    cortex-m*) echo arm-none-eabi-g++ qemu-system-arm ;;
  esac
}

[ "$setup" = no ] || ./setup.sh --tests
reports=""
for preset in $presets; do
  missing=""
  for tool in $(tools_of "$preset"); do
    command -v "$tool" >/dev/null || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    echo "== $preset: skipped, not installed:$missing (./setup.sh --tests)"
    continue
  fi
  started=$(date +%s)
  out=build/$preset
  rm -rf "$out/tests/reports" "$out/tests/junit.xml"
  echo "== $preset: configure and build"
  mkdir -p "$out"
  # A new folder is built several files at a time, in half of the time.
  unity=""
  [ -e "$out/CMakeCache.txt" ] || unity=-DOCTET_UNITY=ON
  if cmake --preset "$preset" $unity >"$out/configure.log" 2>&1; then
    if cmake --build --preset "$preset" -j "$jobs"; then
      built=$(date +%s)
      echo "== $preset: built in $((built - started)) s; running its tests"
      ctest --preset "$preset" -j "$jobs" --output-junit tests/junit.xml || true
      echo "== $preset: tested in $(($(date +%s) - built)) s"
    fi
  else
    cat "$out/configure.log" >&2
  fi
  reports="$reports $out/tests"
done
case " $presets " in
  *" native "*)
    # Its own folder keeps this report apart from that of the native run.
    echo "== native: models and packages of the other presets"
    last=build/native/last
    rm -rf "$last"
    mkdir -p "$last/tests/reports"
    ctest --test-dir build/native -L '^last$' -FA model_blobs --output-on-failure \
      --output-junit "$PWD/$last/tests/junit.xml" || true
    mv build/native/tests/reports/models_other_builds.xml "$last/tests/reports/" 2>/dev/null || true
    reports="$reports $last/tests"
    ;;
esac
# A preset that did not build has no report and counts as one failure.
exec python3 tests/summary.py $reports
