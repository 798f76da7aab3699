#!/bin/sh
# Installs the Debian packages that Octet needs; those already there are left alone.
set -eu

usage() {
  cat <<'TEXT'
usage: ./setup.sh [--demo | --tests] [--list] [--help]

Installs what is missing of the Debian 12 packages that Octet needs (as root, or through sudo). Without an option: what the
manual's commands need. These are compilers for this machine and for ARM Linux boards, converter libraries, NumPy, Pillow.
  --demo    only what ./demo.sh needs: compiler, converter libraries, the Fashion-MNIST pictures
  --tests   what ./test.sh needs: all of the above, compilers for Cortex-M and RISC-V, QEMU, linters, and the programs that tests
            work with: Chromium, ffmpeg, GStreamer, Prometheus, Mender, RAUC, SWUpdate, ONNX Runtime (npm's onnxruntime-node, into
            build/ort)
  --list    print the packages and install nothing
TEXT
}

build="g++ cmake ninja-build python3 libprotobuf-dev libonnx-dev libturbojpeg0-dev libstb-dev
  nlohmann-json3-dev libcli11-dev libfmt-dev libyaml-cpp-dev libsodium-dev libzmq3-dev cppzmq-dev libmicrohttpd-dev"
demo="dataset-fashion-mnist python3-numpy"
users="git googletest g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-user binutils python3-pil python3-venv python3-pip
  python3-setuptools python3-wheel"
tests="file dpkg-dev debhelper dh-python lintian apt-utils gnupg abigail-tools umoci skopeo pkg-config faketime
  python3-onnx python3-zmq libonnx-testdata clang-format clang-tidy clang-14
  libclang-rt-14-dev g++-riscv64-linux-gnu gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  mkdocs mkdocs-material doxygen prometheus openssh-client e2fsprogs systemd chromium ffmpeg gstreamer1.0-tools gstreamer1.0-plugins-base
  gstreamer1.0-plugins-good gir1.2-gst-rtsp-server-1.0 python3-gi mender-client mender-artifact rauc squashfs-tools dbus-daemon swupdate cpio openssl"
# Node.js may come from elsewhere, in a package that Debian's npm conflicts with: only the programs count.
command -v node >/dev/null || tests="$tests nodejs"
command -v npm >/dev/null || tests="$tests npm"

wanted="$build $demo $users"
list=no
boards=yes
peers=no
for argument in "$@"; do
  case "$argument" in
    --demo) wanted="$build $demo"; boards=no ;;
    --tests) wanted="$build $demo $users $tests"; peers=yes ;;
    --list) list=yes ;;
    --help | -h) usage; exit 0 ;;
    *) echo "setup.sh: unknown argument '$argument'; see ./setup.sh --help" >&2; exit 2 ;;
  esac
done
if [ "$list" = yes ]; then
  printf '%s\n' $wanted
  exit 0
fi
if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not Debian; install this system's packages for: $(echo $wanted)" >&2
  exit 2
fi

# Libraries for the boards, static, out of Debian's packages for their processors, into build/<name>/<architecture>: by an apt of
# its own, so that this system's list of architectures stays as it is. What cannot be fetched is left out with a line; its program
# is built without what needs it then. fetch_for_boards NAME ARCHIVE PACKAGE WITHOUT
fetch_for_boards() {
  cache=$(cd "$(dirname "$0")" && pwd)/build/$1
  for architecture in arm64 armhf; do  # Debian 12 has no riscv64
    [ -z "$(find "$cache/$architecture" -name "$2" 2>/dev/null)" ] || continue
    root=$cache/apt-$architecture
    mkdir -p "$root/etc" "$root/state/lists/partial" "$root/cache/archives/partial" "$cache/$architecture"
    : >"$root/status"
    echo "setup: fetching $1 for $architecture"
    apt_of_its_own() {
      apt-get -q -o Dir::State="$root/state" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" \
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -o APT::Sandbox::User= \
        -o Acquire::Languages=none "$@"
    }
    # One list of several may fail while a mirror is renewed; the download tells.
    if ! { apt_of_its_own update || true; (cd "$root" && apt_of_its_own download "$3:$architecture") &&
           dpkg -x "$root/$3"_*.deb "$cache/$architecture"; } >"$root/log" 2>&1; then
      echo "setup: $1 for $architecture could not be fetched (build/$1/apt-$architecture/log); $4 there"
      rm -rf "${cache:?}/$architecture"
      continue
    fi
    rm -rf "$root"
  done
}

# ONNX Runtime, which tests compare with, into build/ort. Its install script would download more; nothing of that is needed.
fetch_ort() {
  ort=$(cd "$(dirname "$0")" && pwd)/build/ort
  [ ! -e "$ort/node_modules/onnxruntime-node/package.json" ] || return 0
  echo "setup: fetching ONNX Runtime into build/ort"
  mkdir -p "$ort"
  if ! npm install --ignore-scripts --no-audit --no-fund --prefix "$ort" onnxruntime-node@1.30.0 >"$ort/log" 2>&1; then
    echo "setup: ONNX Runtime could not be fetched (build/ort/log); tests that compare with it are skipped"
  fi
}

# What is not a package of this system.
fetch() {
  [ "$boards" = no ] || fetch_for_boards sodium libsodium.a libsodium-dev "octet-slot is built without signatures"
  [ "$boards" = no ] || fetch_for_boards yaml-cpp libyaml-cpp.a libyaml-cpp-dev "octet-camera is built without --config"
  [ "$peers" = no ] || fetch_ort
}

missing=""
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "setup: nothing to install"
  fetch
  exit 0
fi

as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: no root rights and no sudo; install as root:$missing" >&2
    exit 2
  fi
  as_root=sudo
fi
echo "setup: installing$missing"
# The tests start these themselves; their packages would also run them as services. A mask that is there before the package keeps
# systemd from that, now and at boot (systemctl unmask lets it); without systemd the init script asks policy-rc.d, which says no
# while this runs.
units=""
for package in $missing; do
  case "$package" in
    prometheus | mender-client) units="$units $package.service" ;;
    swupdate) units="$units swupdate.service swupdate.socket swupdate-progress.service" ;;
  esac
done
for unit in $units; do
  mask=/etc/systemd/system/$unit
  [ -e "$mask" ] || [ -L "$mask" ] || $as_root sh -c "mkdir -p ${mask%/*} && ln -s /dev/null $mask"
done
policy=/usr/sbin/policy-rc.d
if [ -n "$units" ] && [ ! -e $policy ]; then
  trap '$as_root rm -f $policy' EXIT
  $as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy"
fi
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
fetch
