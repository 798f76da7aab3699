#!/bin/sh
# A folder that apt can install from: packages, lists, and Release signed by a key that is given.
set -eu

usage() {
  cat <<'TEXT'
usage: packaging/apt/make_repository.sh --packages FOLDER --key FILE [-o FOLDER]

  --packages FOLDER  *.deb of any processors
  --key FILE         a secret key of OpenPGP without a passphrase; its public half is written to octet.asc
  -o FOLDER          the repository (default: apt); what is there is replaced

On a machine that installs from it:
  sudo cp octet.asc /etc/apt/keyrings/
  echo 'deb [signed-by=/etc/apt/keyrings/octet.asc] URL stable main' | sudo tee /etc/apt/sources.list.d/octet.list
Exit status: 0 done, 1 it could not be made, 2 bad use.
TEXT
}

here=$(cd "$(dirname "$0")" && pwd)
packages= key= output=apt
while [ $# -gt 0 ]; do
  case "$1" in
    --packages | --key | -o) [ $# -ge 2 ] || { echo "make_repository.sh: $1 needs a value; see --help" >&2; exit 2; } ;;
  esac
  case "$1" in
    --packages) packages=$2; shift 2 ;;
    --key) key=$2; shift 2 ;;
    -o) output=$2; shift 2 ;;
    --help | -h) usage; exit 0 ;;
    *) echo "make_repository.sh: unknown argument '$1'; see --help" >&2; exit 2 ;;
  esac
done
[ -r "$key" ] || { echo "make_repository.sh: --key '$key' cannot be read; give a file with a secret OpenPGP key" >&2; exit 2; }
ls "$packages"/*.deb >/dev/null 2>&1 || { echo "make_repository.sh: --packages '$packages' has no *.deb; packaging/release.sh makes them" >&2; exit 2; }
command -v apt-ftparchive >/dev/null || { echo "make_repository.sh: apt-ftparchive is not installed; try: sudo apt-get install apt-utils" >&2; exit 1; }

key=$(realpath "$key")
rm -rf "$output"
mkdir -p "$output/pool/main"
cp "$packages"/*.deb "$output/pool/main/"
cd "$output"
architectures=$(for package in pool/main/*.deb; do dpkg-deb -f "$package" Architecture; done | grep -v '^all$' | sort -u)
for architecture in $architectures; do
  lists=dists/stable/main/binary-$architecture
  mkdir -p "$lists"
  apt-ftparchive --arch "$architecture" packages pool >"$lists/Packages"
  gzip -9n -c "$lists/Packages" >"$lists/Packages.gz"
done
# The date of the release, so that two runs differ in the signature alone.
apt-ftparchive -o APT::FTPArchive::Release::Origin=Octet -o APT::FTPArchive::Release::Suite=stable \
  -o APT::FTPArchive::Release::Codename=stable -o APT::FTPArchive::Release::Components=main \
  -o APT::FTPArchive::Release::Architectures="$(echo $architectures)" release dists/stable |
  sed "s/^Date: .*/Date: $(LC_ALL=C date -u -d "@${SOURCE_DATE_EPOCH:-$(date +%s)}" '+%a, %d %b %Y %H:%M:%S +0000')/" >Release.new
mv Release.new dists/stable/Release
"$here/../sign.sh" "$key" --clearsign --output dists/stable/InRelease dists/stable/Release
"$here/../sign.sh" "$key" --armor --detach-sign --output dists/stable/Release.gpg dists/stable/Release
"$here/../sign.sh" "$key" --armor --export >octet.asc
