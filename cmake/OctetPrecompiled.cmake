# Precompiled headers of the standard library and GoogleTest: reading them was half of the time that a test takes to compile.
# Large headers of templates (nlohmann's, fmt's) stay out: GCC instantiates their inline functions in every file that has them,
# used or not, which costs more than reading them where they are wanted. Each file still includes what it uses: OCTET_PCH=OFF
# builds the same.
option(OCTET_PCH "Precompile the standard library's headers for the tests" ON)

set(octet_pch_headers <algorithm> <array> <cmath> <cstring> <filesystem> <fstream> <functional> <limits> <map> <memory>
    <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view> <utility> <vector>)

# octet_precompiled(<name> [LIBS <dependency>...] HEADERS <header>...): a target whose headers others, with the very same flags,
# start from. GCC refuses other flags (-Winvalid-pch).
function(octet_precompiled name)
  cmake_parse_arguments(arg "" "" "LIBS;HEADERS" ${ARGN})
  if(OCTET_PCH)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled/${name}.cc CONTENT "// Nothing: only its headers count.\n")
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled/${name}.cc)
    target_link_libraries(${name} PRIVATE octet_host_options ${arg_LIBS})
    target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

# octet_precompile(<target> <name>): the target's files start from the headers of <name>.
function(octet_precompile target name)
  if(OCTET_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
    # ccache preprocesses on its own and has to see which header was meant. Read from a precompiled header, std::string of GCC 12
    # warns of bounds where it does not otherwise.
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess;-Wno-array-bounds;-Wno-stringop-overflow>")
  endif()
endfunction()

# Several files in one go: a third of the time where most of it goes into headers, and all of a target's files again when one
# changes. For builds that are made once; where two files of a target give different things one name, .. SKIP_UNITY_BUILD_INCLUSION.
option(OCTET_UNITY "Compile converter, ports and tests several files at a time" OFF)

# octet_unite(<target>)
function(octet_unite target)
  if(OCTET_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 16)
    # The larger the unit, the more GCC 12 inlines of std::vector, and warns of writes to an empty one that cannot happen.
    target_compile_options(${target} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow>")
  endif()
endfunction()
