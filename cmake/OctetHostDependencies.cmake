# Libraries of the converter, all from Debian (setup.sh installs them).
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(Threads REQUIRED)
find_package(Protobuf REQUIRED)

function(octet_find_library target header library package)
  find_path(${target}_INCLUDE ${header})
  find_library(${target}_LIBRARY ${library})
  if(NOT ${target}_INCLUDE OR NOT ${target}_LIBRARY)
    message(FATAL_ERROR "octet: ${header} or lib${library} not found; ./setup.sh installs Debian's ${package}")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
endfunction()

# Only the protobuf classes of ONNX are used, none of its checkers or shape inference.
octet_find_library(octet_dep_onnx onnx/onnx_pb.h onnx_proto libonnx-dev)
target_compile_definitions(octet_dep_onnx INTERFACE ONNX_ML=1 ONNX_NAMESPACE=onnx)
target_link_libraries(octet_dep_onnx INTERFACE protobuf::libprotobuf)
octet_find_library(octet_dep_jpeg turbojpeg.h turbojpeg libturbojpeg0-dev)
octet_find_library(octet_dep_stb stb/stb_image.h stb libstb-dev)

if(NOT TARGET octet_dep_sodium)
  message(FATAL_ERROR "octet: sodium.h or libsodium not found; ./setup.sh installs Debian's libsodium-dev")
endif()

# What any folder of the converter may use without saying so.
add_library(octet_host_libraries INTERFACE)
target_link_libraries(octet_host_libraries INTERFACE
  fmt::fmt nlohmann_json::nlohmann_json yaml-cpp Threads::Threads)
