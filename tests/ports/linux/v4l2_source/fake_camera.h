// A V4L2 driver in the test's own process: /dev/null is the camera while one of these lives.
#ifndef OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_FAKE_CAMERA_H_
#define OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_FAKE_CAMERA_H_

#include <linux/videodev2.h>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ports/linux/capture/stop.h"

namespace octet::test {

class FakeCamera {
 public:
  static constexpr const char* kPath = "/dev/null";
  static constexpr uint32_t kBufferBytes = 1 << 16;
  static constexpr uint64_t kNowNs = 5'000'000'000'000;

  FakeCamera();
  ~FakeCamera();
  FakeCamera(const FakeCamera&) = delete;
  FakeCamera& operator=(const FakeCamera&) = delete;

  // ---- What the driver is. Sizes of a format: what is not among them becomes the first.
  using Size = std::pair<uint32_t, uint32_t>;
  std::map<uint32_t, std::vector<Size>> formats = {{V4L2_PIX_FMT_GREY, {{8, 4}}}};
  Size own_size = {8, 4};
  uint32_t line_bytes = 0;  // 0: it does not say
  uint32_t capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING, device_caps = 0;
  uint32_t most_buffers = 8;
  uint32_t least_buffers = 0;
  v4l2_fract period = {0, 0};
  bool is_busy = false;
  int open_error = 0;
  std::map<unsigned long, int> failures;      // request -> errno
  std::map<uint32_t, uint32_t> sets_another;  // S_FMT of a format gives another one
  std::map<uint32_t, Size> sets_size;         // S_FMT of a format gives another size

  // ---- What it does next.
  int timeouts = 0;  // of poll, before it says that a frame is there
  struct Frame {
    std::string bytes;
    uint32_t flags = 0;
    uint64_t stamp_ns = 0;
    int index = -1;       // -1: of the buffer that was queued first
    int bytes_used = -1;  // -1: all
  };
  std::deque<Frame> ready;
  port::StopRequest* stop = nullptr;  // raised when no frame is left
  uint64_t now_ns = kNowNs;

  // ---- What it was asked.
  uint32_t requested = 0;
  std::deque<uint32_t> queued;
  bool streams = false;
  std::vector<v4l2_fract> rates;
  int opened = 0, mapped = 0;

  int Control(unsigned long request, void* argument);
  int descriptor() const { return file_; }

 private:
  int Try(v4l2_format* format, bool sets);
  int file_ = -1;
};

}  // namespace octet::test

#endif  // OCTET_TESTS_PORTS_LINUX_V4L2_SOURCE_FAKE_CAMERA_H_
