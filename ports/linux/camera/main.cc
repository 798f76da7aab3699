// octet-camera: runs a blob on a stream of frames.
#include <signal.h>

#include <cstdio>

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/loop.h"
#include "ports/linux/camera/program/settings.h"
#include "ports/linux/output/program.h"

int main(int argc, char** argv) {
  // A feature may take them (SIGUSR1 holds a plan); without it, or before it does, they end
  // nothing.
  signal(SIGUSR1, SIG_IGN);
  signal(SIGUSR2, SIG_IGN);
  return octet::port::RunProgram("octet-camera", [&] {
    octet::port::CameraSettings settings;
    if (!settings.Read(argc, argv)) return 0;
    if (octet::port::IsCheck(settings.options())) return octet::port::RunCheck(settings.cameras());
    if (octet::port::IsBundle(settings.options())) return octet::port::WriteSupportBundle(settings);
    if (settings.options().own_detector) {
      std::fprintf(stderr, "octet-camera: no MODEL given: the scene's own detector runs: %s\n",
                   settings.options().blob.c_str());
    }
    if (!settings.file().empty()) octet::port::ObeyReloadSignal();
    return octet::port::RunCamera(settings);
  });
}
