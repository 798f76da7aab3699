// octet-camera: a blob on a stream of frames, for days.
#include <cstdio>

#include "ports/linux/camera/program/loop.h"

int main(int argc, char** argv) {
  try {
    octet::port::CameraOptions options;
    if (!octet::port::ReadCameraOptions(argc, argv, &options)) return 0;
    return octet::port::RunCamera(options);
  } catch (const octet::port::InputError& error) {
    std::fprintf(stderr, "octet-camera: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "octet-camera: internal error: %s; please report it\n", error.what());
    return 3;
  }
}
