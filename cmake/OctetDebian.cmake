# cpack -G DEB: two packages of the components of cmake --install, octet (programs, and the shared library from the sdk) and
# octet-dev (the rest of the sdk). Names of architectures are Debian's.
set(arch_x86 amd64)
set(arch_aarch64 arm64)
set(arch_armv7 armhf)
set(OCTET_MAINTAINER "Octet <octet@localhost.localdomain>" CACHE STRING "Maintainer in Debian packages: Name <address>")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${OCTET_MAINTAINER})
if(DEFINED arch_${OCTET_ARCH})
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${arch_${OCTET_ARCH}})
elseif(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# cpack's own way calls ldconfig in scripts; a trigger does now.
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "liboctet 0 octet (>= ${PROJECT_VERSION})\n")
if(OCTET_SHARED)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers ${CMAKE_BINARY_DIR}/debian/shlibs)
endif()

set(CPACK_DEBIAN_PROGRAMS_PACKAGE_NAME octet)
set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SECTION science)
set(CPACK_COMPONENT_PROGRAMS_DESCRIPTION
"octet turns an ONNX model into one file, the blob; octet-run and octet-camera
execute it, with the same bytes on every instruction set. liboctet.so.0 is the
C interface that other programs and the Python package use.")
set(CPACK_DEBIAN_SDK_PACKAGE_NAME octet-dev)
set(CPACK_DEBIAN_SDK_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_SDK_DESCRIPTION
"What a program needs to run blobs made by octet: octet/octet.h, the archive
liboctet_runtime.a without a heap or an operating system, the link to
liboctet.so, find_package(octet) and pkg-config.")
# What programs are linked with; those of a cross build are static, and its library needs glibc alone.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS "libc6 (>= 2.27), libgcc-s1")
else()
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PROGRAMS_PACKAGE_DEPENDS libopenblas0)  # the converter opens it by name
endif()
set(CPACK_DEBIAN_SDK_PACKAGE_DEPENDS "octet (= ${PROJECT_VERSION})")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/OctetDebianFiles.cmake)
# The archives' folder of their own name has no place in a package.
file(WRITE ${CMAKE_BINARY_DIR}/OctetCPackOptions.cmake
  "if(CPACK_GENERATOR STREQUAL DEB)\n  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY OFF)\nendif()\n")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/OctetCPackOptions.cmake)
set(CPACK_OCTET_LIBDIR ${CMAKE_INSTALL_LIBDIR})
