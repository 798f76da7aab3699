# Settings that hold for every target of the project.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
# -g1 keeps line tables for profiles and backtraces at a tenth of the size of full debug information.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

# "Same bits everywhere": GCC contracts a*b+c to one rounding on aarch64 by default.
add_compile_options(-ffp-contract=off)
add_link_options(LINKER:--as-needed)
# GCC collects garbage of its own while it compiles: 6 % of the time of large files, for 20 % less memory.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options($<$<AND:$<CONFIG:Sanitize,Tsan>,$<COMPILE_LANGUAGE:CXX>>:--param=ggc-min-heapsize=1500000>)
endif()

find_program(OCTET_CCACHE ccache)
if(OCTET_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this leave ccache keeps nothing that was compiled with a precompiled header. What one clone compiled serves others:
  # paths in the source tree are hashed as relative ones. Only debug information then names another clone.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
      CCACHE_NOHASHDIR=1 ${OCTET_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

# Usage requirements of all hosted code (converter, ports, programs, tests, benches).
add_library(octet_host_options INTERFACE)
target_compile_features(octet_host_options INTERFACE cxx_std_20)
target_compile_options(octet_host_options INTERFACE -Wall -Wextra $<$<BOOL:${OCTET_WERROR}>:-Werror>)
# Under sanitizers optimising was a third of the build: only what has long loops (property OCTET_LONG_LOOPS) keeps it.
set(sanitized $<AND:$<CONFIG:Sanitize,Tsan>,$<NOT:$<BOOL:$<TARGET_PROPERTY:OCTET_LONG_LOOPS>>>>)
target_compile_options(octet_host_options INTERFACE $<${sanitized}:-O0>)
target_include_directories(octet_host_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(octet_host_options INTERFACE OCTET_VERSION_TEXT="${PROJECT_VERSION}"
  $<$<CONFIG:Sanitize,Tsan>:OCTET_SANITIZED>)  # GCC and Clang say so in different ways
# 32-bit systems: files above 2 GiB everywhere; years behind 2037 in static programs, which bring a C library that knows them. What
# is installed as a library must link with any glibc since 2.27, so it keeps the old time_t (property OCTET_ANY_GLIBC).
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
  target_compile_definitions(octet_host_options INTERFACE _FILE_OFFSET_BITS=64)
  if(CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
    set(static_program $<NOT:$<BOOL:$<TARGET_PROPERTY:OCTET_ANY_GLIBC>>>)
    target_compile_definitions(octet_host_options INTERFACE $<${static_program}:_TIME_BITS=64> $<${static_program}:OCTET_STATIC_PROGRAM>)
  endif()
endif()
