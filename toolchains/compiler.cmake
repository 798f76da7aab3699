# octet_compiler(PREFIX OPTION): PREFIX-gcc and PREFIX-g++, installed by setup.sh with OPTION. A missing compiler stops here, with the
# command that installs it: CMake itself would keep a half-made cache, with which the next configuration fails as well.
function(octet_compiler prefix option)
  find_program(OCTET_COMPILER ${prefix}-g++ NO_CMAKE_FIND_ROOT_PATH)
  if(NOT OCTET_COMPILER)
    string(STRIP "./setup.sh ${option}" command)
    message(FATAL_ERROR "the compiler ${prefix}-g++ is not installed; try: ${command}")
  endif()
  set(CMAKE_C_COMPILER ${prefix}-gcc PARENT_SCOPE)
  set(CMAKE_CXX_COMPILER ${prefix}-g++ PARENT_SCOPE)
endfunction()
