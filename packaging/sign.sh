#!/bin/sh
# sign.sh KEYFILE ARGUMENT...: gpg with the secret key of that file alone, in a key ring of its own.
set -eu
[ $# -ge 2 ] || { echo "usage: packaging/sign.sh KEYFILE ARGUMENT...    gpg with the secret key of that file, for example --detach-sign FILE" >&2; exit 2; }
key=$(realpath "$1")
shift
GNUPGHOME=$(mktemp -d)
export GNUPGHOME
trap 'gpgconf --kill all >/dev/null 2>&1 || true; rm -rf "$GNUPGHOME"' EXIT
if ! gpg --batch --quiet --import "$key" 2>"$GNUPGHOME/log"; then
  echo "sign.sh: $key has no secret OpenPGP key; make one with gpg --quick-gen-key, and export it with gpg --export-secret-keys" >&2
  exit 2
fi
gpg --batch --yes --quiet --pinentry-mode loopback --passphrase '' "$@"
