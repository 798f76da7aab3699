# Which architecture is built, and the compiler flags of files written for one instruction set.

# generic: the reference kernels alone, in portable C++, for any compiler; -DOCTET_ARCH=generic chooses it anywhere.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(arch x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(arch aarch64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^arm")
  set(arch armv7)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^cortex-m(4|7|33|35p|55|85)$")
  set(arch cortex_m)  # with the DSP extension
else()
  set(arch generic)
endif()
set(OCTET_ARCH ${arch} CACHE STRING "Kernels of which architecture: x86, aarch64, armv7, cortex_m or generic (the reference alone)")
if(OCTET_ARCH STREQUAL generic)
  set(OCTET_ARCH_DEFINITION "")
elseif(OCTET_ARCH STREQUAL arch)
  string(TOUPPER OCTET_ARCH_${arch}=1 OCTET_ARCH_DEFINITION)
else()
  message(FATAL_ERROR "octet: OCTET_ARCH=${OCTET_ARCH}, but the processor is '${CMAKE_SYSTEM_PROCESSOR}'; "
                      "take ${arch} or generic")
endif()

# octet_isa(<word> <architecture> [ONLY <regex>] <flag>...): a file whose name ends in the word (conv/x86_avx2.cc,
# core/sha256_x86_shani.cc) is compiled only for such architectures, and alone gets these flags. ONLY: processors of the
# architecture that have the instructions.
set(OCTET_ISA_WORDS "")
function(octet_isa word architecture)
  cmake_parse_arguments(arg "" "ONLY" "" ${ARGN})
  list(APPEND OCTET_ISA_WORDS ${word})
  list(REMOVE_DUPLICATES OCTET_ISA_WORDS)
  set(OCTET_ISA_WORDS ${OCTET_ISA_WORDS} PARENT_SCOPE)
  if(NOT arg_ONLY OR CMAKE_SYSTEM_PROCESSOR MATCHES "${arg_ONLY}")
    set(OCTET_ISA_${architecture}_${word} ${arg_UNPARSED_ARGUMENTS} PARENT_SCOPE)
  endif()
endfunction()

# Where a loop begins in a cache line is worth up to 6 %: not left to what was linked before it.
set(_octet_avx2 -mavx2 -mfma -mf16c -mbmi2 -falign-functions=64 -falign-loops=64)
set(_octet_avx512 ${_octet_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni)
octet_isa(x86_sse2 x86 -msse2)
octet_isa(x86_avx2 x86 ${_octet_avx2})
octet_isa(x86_avxvnni x86 ${_octet_avx2} -mavxvnni)
octet_isa(x86_avx512vnni x86 ${_octet_avx512})
octet_isa(x86_avx512vbmi x86 ${_octet_avx512} -mavx512vbmi)
octet_isa(x86_amx x86 ${_octet_avx512} -mavx512vbmi -mamx-tile -mamx-int8)
octet_isa(x86_shani x86 -msha -msse4.1)
# -march= repeats the baseline of the architecture so that an entry is never empty.
# -mtune= orders for cores that execute in order; llvm-mca shows no loss on the others.
octet_isa(arm_neon aarch64 -march=armv8-a -mtune=cortex-a53)
octet_isa(arm_dotprod aarch64 -march=armv8.2-a+dotprod+fp16 -mtune=cortex-a55)
octet_isa(arm_i8mm aarch64 -march=armv8.2-a+dotprod+i8mm)
octet_isa(arm_sha2 aarch64 -march=armv8-a+crypto)
octet_isa(arm_neon armv7 -mfpu=neon-vfpv4 -mfp16-format=ieee)
# Unrolled by hand; in the instructions of Cortex-M, which ARMv7-A executes as well.
octet_isa(arm_cm4 cortex_m -O2)
octet_isa(arm_cm4 armv7 -O2 -mthumb)
octet_isa(arm_helium cortex_m ONLY "^cortex-m(55|85)$" -O2)  # -mcpu= names the vectors

# Levels of this build's Cortex-M, the best last.
set(OCTET_CORTEX_M_LEVELS reference)
foreach(word IN LISTS OCTET_ISA_WORDS)
  if(OCTET_ARCH STREQUAL cortex_m AND DEFINED OCTET_ISA_cortex_m_${word})
    string(REGEX REPLACE "^arm_" "" level ${word})
    list(APPEND OCTET_CORTEX_M_LEVELS ${level})
  endif()
endforeach()

# octet_isa_of(<result> <file>): the ISA word a file's name ends in, or an empty string.
function(octet_isa_of result file)
  get_filename_component(name ${file} NAME_WE)
  set(word "")
  if(name MATCHES "(^|_)((x86|arm)_[a-z0-9]+)$")
    set(word ${CMAKE_MATCH_2})
    if(NOT word IN_LIST OCTET_ISA_WORDS)
      message(FATAL_ERROR "octet: ${file}: '${word}' is no known instruction set; cmake/OctetArch.cmake lists them")
    endif()
  endif()
  set(${result} "${word}" PARENT_SCOPE)
endfunction()
