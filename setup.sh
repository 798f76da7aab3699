#!/bin/sh
# Installs the Debian packages that Octet needs; those already there are left alone.
set -eu

usage() {
  cat <<'TEXT'
usage: ./setup.sh [--demo | --tests] [--list] [--help]

Installs what is missing of the Debian 12 packages needed to build and test Octet (as root, or through sudo).
  --demo    only what ./demo.sh needs: compiler, converter libraries, the Fashion-MNIST pictures
  --tests   only what ./test.sh needs: the above without pictures, GoogleTest, cross compilers, QEMU, linters
  --list    print the packages and install nothing
TEXT
}

build="g++ cmake ninja-build python3 libprotobuf-dev libonnx-dev libopenblas-dev libturbojpeg0-dev libstb-dev
  nlohmann-json3-dev libcli11-dev libfmt-dev libyaml-cpp-dev"
demo="dataset-fashion-mnist python3-numpy"
tests="git googletest g++-aarch64-linux-gnu g++-arm-linux-gnueabihf qemu-user binutils dpkg-dev pkg-config python3-numpy
  python3-onnx python3-venv python3-pip python3-setuptools python3-wheel libonnx-testdata clang-format clang-tidy clang-14
  libclang-rt-14-dev g++-riscv64-linux-gnu gcc-arm-none-eabi libnewlib-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
  prometheus"

wanted="$build $demo $tests"
list=no
for argument in "$@"; do
  case "$argument" in
    --demo) wanted="$build $demo" ;;
    --tests) wanted="$build $tests" ;;
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
  echo "setup.sh: this is no Debian; install the counterparts of: $(echo $wanted)" >&2
  exit 2
fi

missing=""
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
if [ -z "$missing" ]; then
  echo "setup: nothing to install"
  exit 0
fi

as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "setup.sh: neither root nor sudo; install as root:$missing" >&2
    exit 2
  fi
  as_root=sudo
fi
echo "setup: installing$missing"
case " $missing " in
  *" prometheus "*)
    # The tests start it themselves; its package would also run it as a service. A mask that is there before the package
    # keeps systemd from that, now and at boot (systemctl unmask prometheus lets it); without systemd the init script asks
    # policy-rc.d, which says no while this runs.
    mask=/etc/systemd/system/prometheus.service policy=/usr/sbin/policy-rc.d
    [ -e $mask ] || [ -L $mask ] || $as_root sh -c "mkdir -p ${mask%/*} && ln -s /dev/null $mask"
    if [ ! -e $policy ]; then
      trap '$as_root rm -f $policy' EXIT
      $as_root sh -c "printf '#!/bin/sh\nexit 101\n' >$policy && chmod +x $policy"
    fi
    ;;
esac
$as_root apt-get update -q
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing
