// How a source ends.
#ifndef OCTET_TESTS_PORTS_LINUX_CAPTURE_FAILURE_H_
#define OCTET_TESTS_PORTS_LINUX_CAPTURE_FAILURE_H_

#include <string>

#include "ports/linux/capture/source.h"
#include "ports/linux/output/error.h"

namespace octet::test {

// What it throws after its frames, or "no failure".
inline std::string Failure(port::Source& source) {
  port::StopRequest stop;
  port::FrameBuffer frame;
  try {
    while (source.Next(&frame, stop) == port::Source::Took::kFrame) {
    }
  } catch (const port::InputError& error) {
    return error.what();
  }
  return "no failure";
}

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_CAPTURE_FAILURE_H_
