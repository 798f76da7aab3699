#!/bin/sh
# Builds and tests everything; the last line counts the cases of all runs.
set -eu
cd "$(dirname "$0")"

usage() {
  cat <<'TEXT'
usage: ./test.sh [--preset NAME[,NAME...]] [--quick] [--jobs N] [--no-setup] [--help]

Installs what is missing (setup.sh --tests). Then configures, builds and tests each preset: native, sanitize (ASan and
UBSan, by Clang), tsan, and under QEMU aarch64, armv7, riscv64, cortex-m4, cortex-m7 and cortex-m55. Last, whole models
run on the programs of all presets and must give the same bits, the packages for boards are unpacked and run, and an
emulated board boots, is updated and loses its power.
If both native and sanitize are built, a test that belongs to both runs under sanitizers only. native keeps the tests
of kernels, image, quant and the executor, and all tests of whole programs.
The result is the same whatever was built here before. A preset that does not build is named at once and again at the end,
with its first error. A skipped test counts as a failure, except for what this machine cannot have (a CPU level,
../shared, a device); the summary names each skip and its reason. The last line is `N passed, N failed` (`, N skipped`).
Exit status: 0 all passed, 1 something failed, 2 bad use.
  --preset   only these presets
  --quick    for each day: native alone, without the tests that take longest; they are named before it starts
  --jobs     parallel jobs (default: one a processor)
  --no-setup install nothing
TEXT
}

presets="native sanitize tsan aarch64 armv7 riscv64 cortex-m4 cortex-m7 cortex-m55"
jobs=$(nproc)
setup=yes
quick=""
dearest="layering_alone lint_tidy models_accuracy models_convert models_same_bits models_damaged docs_commands"
while [ $# -gt 0 ]; do
  case "$1" in
    --preset) presets=$(echo "${2:?--preset needs a name}" | tr ',' ' '); shift ;;
    --quick) quick=yes; presets=native ;;
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
    sanitize) echo clang-14 clang++-14 ;;
    riscv64) echo riscv64-linux-gnu-g++ qemu-riscv64 ;;
    cortex-m*) echo arm-none-eabi-g++ qemu-system-arm ;;
  esac
}

[ "$setup" = no ] || ./setup.sh --tests
# Tests look at the programs of these presets alone: what lies in other folders of build/ may be old.
export OCTET_TEST_PRESETS="$presets"

# The settings of a build folder: what differs between two of these can change what is built.
settings_of() {
  sed -n '/:\(INTERNAL\|STATIC\)=/d; /^[A-Za-z]/p' "$1/CMakeCache.txt" | sort | cksum
}

# ON for native where sanitize is built too: a test of both runs once, where it finds more.
left_to_sanitize() {
  case "$1 $presets " in
    "native "*" sanitize "* | "native sanitize "*) echo ON ;;
    *) echo OFF ;;
  esac
}

# configure PRESET FOLDER: a folder whose settings are not those that this script left there (after ./demo.sh, after a
# change of flags) is configured as if it were new. Objects that fit stay.
configure() {
  fresh=--fresh
  if [ -e "$2/CMakeCache.txt" ] && [ "$(settings_of "$2")" = "$(cat "$2/test-settings" 2>/dev/null)" ]; then
    fresh=""
  fi
  rm -f "$2/test-settings"
  cmake --preset "$1" $fresh "-DOCTET_LEAVE_TO_SANITIZE=$(left_to_sanitize "$1")" >"$2/build.log" 2>&1 || return 1
  settings_of "$2" >"$2/test-settings"
}

# build PRESET FOLDER: the output is shown and kept.
# Large pages save Clang a fifth of its time on virtual machines where a page fault is dear; others ignore the variable.
build() {
  rm -f "$2/built"
  { GLIBC_TUNABLES=glibc.malloc.hugetlb=1 cmake --build --preset "$1" -j "$jobs" 2>&1 && : >"$2/built"; } | tee "$2/build.log"
  [ -e "$2/built" ]
}

reports=""
for preset in $presets; do
  out=build/$preset
  reports="$reports $out/tests"
  rm -rf "$out/tests/reports" "$out/tests/junit.xml" "$out/tests/not-run"
  mkdir -p "$out/tests"
  missing=""
  for tool in $(tools_of "$preset"); do
    command -v "$tool" >/dev/null || missing="$missing $tool"
  done
  if [ -n "$missing" ]; then
    echo "not installed:$missing (./setup.sh --tests installs it)" >"$out/tests/not-run"
    echo "== $preset: FAILED, $(cat "$out/tests/not-run")"
    continue
  fi
  started=$(date +%s)
  echo "== $preset: configure and build"
  if configure "$preset" "$out" && build "$preset" "$out"; then
    built=$(date +%s)
    echo "== $preset: built in $((built - started)) s; running its tests"
    if [ -n "$quick" ]; then
      echo "== $preset: --quick leaves out $dearest"
      ctest --preset "$preset" -j "$jobs" --output-junit tests/junit.xml -E "^($(echo "$dearest" | tr ' ' '|'))\$" || true
    else
      ctest --preset "$preset" -j "$jobs" --output-junit tests/junit.xml || true
    fi
    echo "== $preset: tested in $(($(date +%s) - built)) s"
  else
    first=$(grep -m 1 -iE '(^|[^-_[:alnum:]])(fatal )?error[: ]' "$out/build.log" || tail -n 1 "$out/build.log")
    echo "does not build: $first ($out/build.log)" >"$out/tests/not-run"
    echo "== $preset: FAILED, $(cat "$out/tests/not-run")"
  fi
done
case " $presets " in
  *" native "*)
    # Its own folder keeps this report apart from that of the native run.
    last=build/native/last
    rm -rf "$last"
    if [ -z "$quick" ] && [ ! -e build/native/tests/not-run ]; then
      echo "== native: models and packages of the other presets"
      mkdir -p "$last/tests/reports"
      ctest --test-dir build/native -L '^last$' -FA model_blobs -j "$jobs" --output-on-failure \
        --output-junit "$PWD/$last/tests/junit.xml" || true
      mv build/native/tests/reports/models_other_builds.*.xml "$last/tests/reports/" 2>/dev/null || true
      reports="$reports $last/tests"
    fi
    ;;
esac
exec python3 tests/summary.py $reports
