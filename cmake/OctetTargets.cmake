# octet_library(NAME <target> [LIBS <dependency>...] [RECURSE])
# One static library from all *.cc of the calling folder. A folder without sources gives an INTERFACE library, so that
# a target exists, and can be linked, before its first file does.
function(octet_library)
  cmake_parse_arguments(arg "RECURSE" "NAME" "LIBS" ${ARGN})
  octet_glob(sources ${arg_RECURSE})
  if(sources)
    add_library(${arg_NAME} STATIC ${sources})
    target_link_libraries(${arg_NAME} PUBLIC $<BUILD_INTERFACE:octet_host_options> ${arg_LIBS})
    octet_unite(${arg_NAME})
  else()
    add_library(${arg_NAME} INTERFACE)
    target_link_libraries(${arg_NAME} INTERFACE octet_host_options ${arg_LIBS})
  endif()
endfunction()

# octet_program(NAME <target> [LIBS <dependency>...] [RECURSE]): a program in bin/ from all *.cc of the calling folder.
function(octet_program)
  cmake_parse_arguments(arg "RECURSE" "NAME" "LIBS" ${ARGN})
  octet_glob(sources ${arg_RECURSE})
  if(NOT sources)
    return()
  endif()
  add_executable(${arg_NAME} ${sources})
  target_link_libraries(${arg_NAME} PRIVATE octet_host_options ${arg_LIBS})
  octet_unite(${arg_NAME})
  octet_install_program(${arg_NAME})
endfunction()

# octet_install_program(<target>): the program and its man pages, docs/man/<target>/*.1 (docs/options.py).
function(octet_install_program name)
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/man/${name}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs
          FILES_MATCHING PATTERN "*.1")
endfunction()

# octet_glob(<result> <recurse>): the *.cc of the calling folder, sorted; the build re-globs when files come or go.
function(octet_glob result recurse)
  set(mode GLOB)
  if(recurse)
    set(mode GLOB_RECURSE)
  endif()
  file(${mode} sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  list(SORT sources)
  set(${result} ${sources} PARENT_SCOPE)
endfunction()

# octet_add_subfolders(): every direct subfolder that has a CMakeLists.txt.
function(octet_add_subfolders)
  file(GLOB lists CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  list(SORT lists)
  foreach(list IN LISTS lists)
    get_filename_component(folder ${list} DIRECTORY)
    add_subdirectory(${folder})
  endforeach()
endfunction()
