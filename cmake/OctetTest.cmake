# Which kind of test run this build serves; the presets set it.
#   native    everything            sanitize  ASan + UBSan, all but what a test opts out of
#   tsan      tests that use threads          cross     runtime and port tests, run under QEMU
set(kind native)
if(CMAKE_CROSSCOMPILING)
  set(kind cross)
endif()
set(OCTET_TEST_KIND ${kind} CACHE STRING "native, sanitize, tsan or cross")
set_property(CACHE OCTET_TEST_KIND PROPERTY STRINGS native sanitize tsan cross)

# ThreadSanitizer of GCC 12 stops at start where the kernel randomises more than 28 bits of addresses, as newer ones do.
set(OCTET_TEST_LAUNCHER "")
if(OCTET_TEST_KIND STREQUAL tsan)
  execute_process(COMMAND setarch -R true RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status STREQUAL 0)
    set(OCTET_TEST_LAUNCHER setarch -R)
  endif()
endif()

# test.sh turns it on if it builds the preset sanitize too. Then the native build keeps the tests whose result can depend on
# optimisation, and those of many random graphs, of which sanitizers run the first.
option(OCTET_LEAVE_TO_SANITIZE "Leave out the tests that a build with sanitizers runs as well" OFF)
set(octet_optimised_tests "/tests/(runtime/(kernels|quant|image)|converter/(executor|lower|oracle))(/|$)")

# Parsers, stores, programs and checks of layers. Of the two ARM builds armv7 runs them: it has sizes of 32 bits and unsigned
# characters, and aarch64 has nothing that armv7 and x86-64 lack. Its kernels have tests of their own, and whole models run on it.
set(octet_tests_of_armv7 "/tests/(runtime/(format|slots|guard|whitelist|operators)|ports/linux/[a-z_]+)$")
# riscv64 has no kernels but the references. Other builds test these on their own; here whole layers and models run.
set(octet_tests_not_of_riscv64 "/tests/runtime/(kernels|image)$")

# octet_compile_for_less(<target>): code of tests whose own loops are short; what it tests is in libraries, which keep their flags.
function(octet_compile_for_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1> $<$<CONFIG:Sanitize>:-fno-sanitize=undefined>)
endfunction()

# octet_compile_without_sanitizers(<target>): tests whose own loops are long, with code of libraries that keep their sanitizers.
# Guard bytes around each buffer tell what a kernel does. Instrumented code had to be optimised to be fast enough, and took four
# times as long to compile.
function(octet_compile_without_sanitizers target)
  target_compile_options(${target} PRIVATE -O0 -fno-sanitize=all)
endfunction()

octet_precompiled(octet_pch_tests LIBS gtest HEADERS ${octet_pch_headers} <gtest/gtest.h>)
if(OCTET_PCH)
  octet_compile_for_less(octet_pch_tests)
endif()
if(OCTET_PCH AND CMAKE_BUILD_TYPE STREQUAL Sanitize)
  octet_precompiled(octet_pch_long_tests LIBS gtest HEADERS ${octet_pch_headers} <gtest/gtest.h>)
  octet_compile_without_sanitizers(octet_pch_long_tests)
endif()

# octet_test(NAME <name> [LIBS <library>...] [SOURCES <file>...] [KINDS <kind>...] [CPUS <qemu cpu>...]
#            [PROGRAMS <program target>...] [SHARDS <n>] [TIMEOUT <seconds>] [COST <seconds>] [RECURSE])
# One GoogleTest executable test_<name> and its CTest entry. Without SOURCES: all *.cc of the calling folder; a folder
# without sources makes nothing. KINDS: the runs it belongs to; by default native and sanitize, and cross as well unless
# the folder lies in tests/converter. CPUS: under aarch64 emulation, one entry for each of these CPU models in place of
# the toolchain's default; `max=*i8mm*`: of that model these cases alone. PROGRAMS: what it starts from
# OCTET_BIN_DIR. SHARDS: split the cases over n entries that can run side by side. COST: an
# entry with a higher one begins earlier, so that no processor is idle at the end.
function(octet_test)
  cmake_parse_arguments(arg "RECURSE" "NAME;SHARDS;TIMEOUT;COST" "LIBS;SOURCES;KINDS;CPUS;PROGRAMS" ${ARGN})
  if(NOT arg_KINDS)
    set(arg_KINDS native sanitize)
    if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/converter(/|$)")
      list(APPEND arg_KINDS cross)
    endif()
  endif()
  if(NOT OCTET_TEST_KIND IN_LIST arg_KINDS)
    return()
  endif()
  if(OCTET_LEAVE_TO_SANITIZE AND OCTET_TEST_KIND STREQUAL native AND sanitize IN_LIST arg_KINDS AND
     NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "${octet_optimised_tests}")
    return()
  endif()
  if(OCTET_ARCH STREQUAL aarch64 AND CMAKE_CURRENT_SOURCE_DIR MATCHES "${octet_tests_of_armv7}")
    return()
  endif()
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL riscv64 AND CMAKE_CURRENT_SOURCE_DIR MATCHES "${octet_tests_not_of_riscv64}")
    return()
  endif()
  set(sources ${arg_SOURCES})
  if(NOT sources)
    octet_glob(sources ${arg_RECURSE})
  endif()
  if(NOT sources)
    return()
  endif()

  set(target test_${arg_NAME})
  add_executable(${target} ${sources})
  target_link_libraries(${target} PRIVATE octet_host_options octet_test_support gtest gtest_main ${arg_LIBS})
  target_compile_definitions(${target} PRIVATE
    OCTET_SOURCE_DIR="${PROJECT_SOURCE_DIR}" OCTET_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # Files of these folders name their helpers alike.
  if(NOT CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/(fuzz|converter/(operators|recover|lower|simulate)|runtime/(format|kernels|operators|drift))(/|$)")
    octet_unite(${target})
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL Sanitize AND CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/(runtime/(kernels|quant|image)|fuzz)(/|$)")
    octet_compile_without_sanitizers(${target})
    octet_precompile(${target} octet_pch_long_tests)
  else()
    octet_compile_for_less(${target})
    octet_precompile(${target} octet_pch_tests)
  endif()
  add_dependencies(octet_tests ${target})
  if(CMAKE_CURRENT_SOURCE_DIR MATCHES "/tests/runtime/(core|decode|engine|image|kernels|operators|quant)$")
    add_dependencies(octet_runtime_tests ${target})
  endif()
  foreach(program IN LISTS arg_PROGRAMS)
    if(TARGET ${program})
      add_dependencies(${target} ${program})
    endif()
  endforeach()

  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  if(NOT (arg_CPUS AND OCTET_ARCH STREQUAL aarch64 AND CMAKE_CROSSCOMPILING_EMULATOR))
    set(arg_CPUS default)
  endif()
  math(EXPR last_shard "${arg_SHARDS} - 1")
  foreach(entry_cpu IN LISTS arg_CPUS)
    string(REGEX MATCH "^[^=]*" cpu "${entry_cpu}")
    string(REPLACE "${cpu}" "" filter "${entry_cpu}")
    if(filter)
      string(PREPEND filter ";GTEST_FILTER")
    endif()
    set(emulator ${CMAKE_CROSSCOMPILING_EMULATOR})
    set(entry ${arg_NAME})
    if(NOT cpu STREQUAL default)
      list(GET CMAKE_CROSSCOMPILING_EMULATOR 0 emulator)
      list(APPEND emulator -cpu ${cpu})
      string(APPEND entry ".${cpu}")
    endif()
    foreach(shard RANGE ${last_shard})
      set(shard_entry ${entry})
      if(arg_SHARDS GREATER 1)
        string(APPEND shard_entry ".${shard}")
      endif()
      # The report holds every case; the summary of test.sh counts cases from it, not executables.
      add_test(NAME ${shard_entry} COMMAND ${OCTET_TEST_LAUNCHER} ${emulator} $<TARGET_FILE:${target}>
               --gtest_output=xml:${CMAKE_BINARY_DIR}/tests/reports/${shard_entry}.xml)
      set_tests_properties(${shard_entry} PROPERTIES TIMEOUT ${arg_TIMEOUT} COST ${arg_COST}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${arg_SHARDS};GTEST_SHARD_INDEX=${shard}${filter}")
    endforeach()
  endforeach()
endfunction()

# octet_script_test(NAME <name> COMMAND <command> <argument>... [KINDS <kind>...] [TIMEOUT <seconds>])
# A CTest entry that is no GoogleTest program; by default in the native run only. Exit status 77 means skipped.
function(octet_script_test)
  cmake_parse_arguments(arg "" "NAME;TIMEOUT" "COMMAND;KINDS" ${ARGN})
  if(NOT arg_KINDS)
    set(arg_KINDS native)
  endif()
  if(NOT OCTET_TEST_KIND IN_LIST arg_KINDS)
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_COMMAND})
  set_tests_properties(${arg_NAME} PROPERTIES TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()
