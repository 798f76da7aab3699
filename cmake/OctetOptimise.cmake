# How much the compiler optimises a file of the runtime in a release: optimise.cmake in the file's folder says it. Files that no
# such line names have -O3.

# octet_optimise(<-O option> [ALSO_MINSIZE] <file>...): in optimise.cmake. Files are of its folder; * is allowed. ALSO_MINSIZE: in
# a build of type MinSizeRel too.
function(octet_optimise option)
  cmake_parse_arguments(arg "ALSO_MINSIZE" "" "" ${ARGN})
  set(types Release,RelWithDebInfo)
  if(arg_ALSO_MINSIZE)
    string(APPEND types ,MinSizeRel)
  endif()
  set(folder ${CMAKE_CURRENT_LIST_DIR})
  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    file(GLOB files CONFIGURE_DEPENDS ${folder}/${name})
    if(NOT files)
      message(FATAL_ERROR "octet: ${folder}/optimise.cmake names ${name}, but no such file is there; take it out of the line")
    endif()
    foreach(file IN LISTS files)
      set_property(GLOBAL PROPERTY octet_optimise_${file} "$<$<CONFIG:${types}>:${option}>")
    endforeach()
  endforeach()
endfunction()

# octet_read_optimise(<folder>): every optimise.cmake in and below it.
function(octet_read_optimise folder)
  file(GLOB_RECURSE lists CONFIGURE_DEPENDS ${folder}/optimise.cmake)
  foreach(list IN LISTS lists)
    include(${list})
  endforeach()
endfunction()
