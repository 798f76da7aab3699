#!/bin/sh
# run.sh EMULATOR ARGUMENT...: exit status 77 (skipped) without the emulator.
if ! command -v "$1" >/dev/null; then
  echo "$1 is not installed; ./setup.sh --tests installs it"
  exit 77
fi
exec "$@"
