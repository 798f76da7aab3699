# libsodium, for signatures of models: target octet_dep_sodium where it was found. Native builds take Debian's libsodium-dev;
# a cross build takes the static library that `./setup.sh --tests` unpacks into build/sodium/<architecture>, out of Debian's
# package for that architecture. Without it octet-slot is built all the same, says so, and refuses --key.
if(CMAKE_CROSSCOMPILING)
  set(octet_debian_aarch64 arm64)
  set(octet_debian_armv7 armhf)
  set(octet_sodium_root ${PROJECT_SOURCE_DIR}/build/sodium/${octet_debian_${CMAKE_SYSTEM_PROCESSOR}}/usr)
  file(GLOB octet_sodium_library ${octet_sodium_root}/lib/*/libsodium.a)
  set(octet_sodium_include ${octet_sodium_root}/include)
endif()
# A root of the board's own system is asked first (Yocto, toolchains/jetson.cmake); without one a cross build would find the
# desk's library.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_SYSROOT OR CMAKE_FIND_ROOT_PATH)
  find_path(OCTET_SODIUM_INCLUDE sodium.h)
  find_library(OCTET_SODIUM_LIBRARY sodium)
  if(OCTET_SODIUM_INCLUDE AND OCTET_SODIUM_LIBRARY)
    set(octet_sodium_library ${OCTET_SODIUM_LIBRARY})
    set(octet_sodium_include ${OCTET_SODIUM_INCLUDE})
  endif()
endif()
if(octet_sodium_library AND EXISTS ${octet_sodium_include}/sodium.h)
  add_library(octet_dep_sodium INTERFACE IMPORTED GLOBAL)
  target_include_directories(octet_dep_sodium SYSTEM INTERFACE ${octet_sodium_include})
  target_link_libraries(octet_dep_sodium INTERFACE ${octet_sodium_library})
  target_compile_definitions(octet_dep_sodium INTERFACE OCTET_HAS_SODIUM=1)
elseif(CMAKE_SYSTEM_NAME STREQUAL Linux)
  message(STATUS "octet: no libsodium for ${CMAKE_SYSTEM_PROCESSOR}: octet-slot is built without signatures (./setup.sh --tests)")
endif()
