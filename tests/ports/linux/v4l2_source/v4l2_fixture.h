// A source over the fake camera, and what is said while it works.
#ifndef OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_V4L2_FIXTURE_H_
#define OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_V4L2_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "ports/linux/capture/source.h"
#include "ports/linux/output/error.h"
#include "tests/ports/linux/v4l2_source/fake_camera.h"

namespace octet::test {

using port::CameraWish;
using port::FrameBuffer;
using port::Source;
using Took = port::Source::Took;

constexpr uint64_t kSecond = 1'000'000'000;

// What people are told goes with the answer.
struct Opened {
  std::unique_ptr<Source> source;
  std::string said, error;
};
inline Opened Open(const CameraWish& wish = {}) {
  Opened opened;
  testing::internal::CaptureStderr();
  try {
    opened.source = port::OpenV4l2(FakeCamera::kPath, wish);
  } catch (const port::InputError& error) {
    opened.error = error.what();
  }
  opened.said = testing::internal::GetCapturedStderr();
  return opened;
}
inline bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string Bytes(size_t count, int first = 0) {
  std::string bytes(count, 0);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(static_cast<size_t>(first) + i);
  return bytes;
}

class V4l2 : public testing::Test {
 protected:
  // What is said meanwhile is in said_.
  Took Next(Source* source) {
    testing::internal::CaptureStderr();
    const Took took = source->Next(&frame_, stop_);
    said_ = testing::internal::GetCapturedStderr();
    return took;
  }
  std::string NextError(Source* source) {
    try {
      source->Next(&frame_, stop_);
    } catch (const port::InputError& error) {
      return error.what();
    }
    return "";
  }

  FakeCamera camera_;
  port::StopRequest stop_;
  FrameBuffer frame_;
  std::string said_;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_V4L2_FIXTURE_H_
