# yaml-cpp, for settings files of octet-camera: target octet_dep_yaml where it was found, always the static library, so that the
# program needs no other on the board. Native builds take Debian's libyaml-cpp-dev; a cross build takes what `./setup.sh --tests`
# unpacks into build/yaml-cpp/<architecture>, out of Debian's package for that architecture. Without it octet-camera is built all
# the same, says so, and refuses --config.
if(CMAKE_CROSSCOMPILING)
  set(octet_debian_aarch64 arm64)
  set(octet_debian_armv7 armhf)
  set(octet_yaml_root ${PROJECT_SOURCE_DIR}/build/yaml-cpp/${octet_debian_${CMAKE_SYSTEM_PROCESSOR}}/usr)
  file(GLOB octet_yaml_library ${octet_yaml_root}/lib/*/libyaml-cpp.a)
  set(octet_yaml_include ${octet_yaml_root}/include)
endif()
# As for libsodium: a root of the board's own system is asked first. There a shared library will do, since the system has it.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_SYSROOT OR CMAKE_FIND_ROOT_PATH)
  find_path(OCTET_YAML_INCLUDE yaml-cpp/yaml.h)
  find_library(OCTET_YAML_LIBRARY NAMES libyaml-cpp.a yaml-cpp)
  if(OCTET_YAML_INCLUDE AND OCTET_YAML_LIBRARY)
    set(octet_yaml_library ${OCTET_YAML_LIBRARY})
    set(octet_yaml_include ${OCTET_YAML_INCLUDE})
  endif()
endif()
if(octet_yaml_library AND EXISTS ${octet_yaml_include}/yaml-cpp/yaml.h)
  add_library(octet_dep_yaml INTERFACE IMPORTED GLOBAL)
  target_include_directories(octet_dep_yaml SYSTEM INTERFACE ${octet_yaml_include})
  target_link_libraries(octet_dep_yaml INTERFACE ${octet_yaml_library})
  target_compile_definitions(octet_dep_yaml INTERFACE OCTET_HAS_YAML=1)
elseif(CMAKE_SYSTEM_NAME STREQUAL Linux)
  message(STATUS "octet: no yaml-cpp for ${CMAKE_SYSTEM_PROCESSOR}: octet-camera is built without --config (./setup.sh --tests)")
endif()
