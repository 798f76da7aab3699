# Libraries of octet-serve, which is linked with shared libraries of its system: target octet_dep_serve where all of them were found.
# Without them, and for boards whose programs are static, octet-serve is not built.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_SYSROOT OR CMAKE_FIND_ROOT_PATH)
  find_path(OCTET_ZMQ_INCLUDE zmq.hpp)
  find_library(OCTET_ZMQ_LIBRARY NAMES libzmq.so zmq)
  find_path(OCTET_MICROHTTPD_INCLUDE microhttpd.h)
  find_library(OCTET_MICROHTTPD_LIBRARY NAMES libmicrohttpd.so microhttpd)
  if(OCTET_ZMQ_INCLUDE AND OCTET_ZMQ_LIBRARY AND OCTET_MICROHTTPD_INCLUDE AND OCTET_MICROHTTPD_LIBRARY AND
     NOT CMAKE_EXE_LINKER_FLAGS MATCHES "-static")
    add_library(octet_dep_serve INTERFACE IMPORTED GLOBAL)
    target_include_directories(octet_dep_serve SYSTEM INTERFACE ${OCTET_ZMQ_INCLUDE} ${OCTET_MICROHTTPD_INCLUDE})
    target_link_libraries(octet_dep_serve INTERFACE ${OCTET_ZMQ_LIBRARY} ${OCTET_MICROHTTPD_LIBRARY})
  elseif(CMAKE_SYSTEM_NAME STREQUAL Linux)
    message(STATUS "octet: no cppzmq or libmicrohttpd for ${CMAKE_SYSTEM_PROCESSOR}: octet-serve is not built (./setup.sh)")
  endif()
endif()
