SUMMARY = "Int8 inference for ARM boards: programs, runtime and shared library"
DESCRIPTION = "octet-run and octet-camera execute blobs that octet made of ONNX models on a desk, with the same bytes \
on every instruction set. liboctet is the C interface of the same runtime."
LICENSE = "Apache-2.0"
LIC_FILES_CHKSUM = "file://LICENSE;md5=3b83ef96387f14655fc854ddc3c6bd57"

# Where your copy of the repository is, in local.conf: OCTET_GIT = "git://host/path/octet.git;protocol=ssh".
OCTET_GIT ?= "git:///OCTET_GIT-is-not-set;protocol=file"
OCTET_BRANCH ?= "main"
SRC_URI = "${OCTET_GIT};branch=${OCTET_BRANCH}"
SRCREV ?= "${AUTOREV}"
PV = "0.1.0+git${SRCPV}"
S = "${WORKDIR}/git"

# Headers alone: command lines, JSON, pictures; libsodium for signatures of models and yaml-cpp for settings files (meta-oe).
DEPENDS = "cli11 nlohmann-json stb libsodium yaml-cpp"

inherit cmake pkgconfig

# The converter stays on the desk; warnings of other compilers are not errors.
EXTRA_OECMAKE = "-DOCTET_CONVERTER=OFF -DOCTET_TESTS=OFF -DOCTET_BENCH=OFF -DOCTET_WERROR=OFF"

# liboctet.so, for glibc on x86 and ARM; it brings its own libstdc++ (libstdc++.a of the toolchain).
PACKAGECONFIG ?= "shared"
PACKAGECONFIG:libc-musl = ""
PACKAGECONFIG[shared] = "-DOCTET_SHARED=ON,-DOCTET_SHARED=OFF"

PACKAGES =+ "liboctet ${PN}-data"
FILES:liboctet = "${libdir}/liboctet.so.*"
FILES:${PN}-data = "${datadir}/octet"
FILES:${PN} = "${bindir}"
FILES:${PN}-dev = "${includedir} ${libdir}/liboctet.so ${libdir}/cmake ${libdir}/pkgconfig"
FILES:${PN}-staticdev = "${libdir}/*.a"
FILES:${PN}-doc = "${docdir} ${mandir}"

RDEPENDS:${PN} = "${PN}-data"
# find_package(octet) names the archive.
RDEPENDS:${PN}-dev = "${PN}-staticdev"
RRECOMMENDS:${PN}-dev = "liboctet"
