# NVIDIA Jetson: the aarch64 compiler against the board's own root file system, linked dynamically.
# docs/cross-compiling.md says how to make the copy.
#   cmake --toolchain toolchains/jetson.cmake -DOCTET_SYSROOT=<copy of the board's root> ...
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/compiler.cmake)
octet_compiler(aarch64-linux-gnu "")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OCTET_SYSROOT)
if(NOT IS_DIRECTORY "${OCTET_SYSROOT}/usr/lib")
  message(FATAL_ERROR "octet: OCTET_SYSROOT='${OCTET_SYSROOT}' is no root file system; copy / of the board and name it")
endif()
set(CMAKE_SYSROOT ${OCTET_SYSROOT})
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static-libstdc++ -static-libgcc")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
