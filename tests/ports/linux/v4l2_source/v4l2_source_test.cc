// A camera as its driver may be: formats, sizes, buffers, times and faults, each alone.
#include <gtest/gtest.h>

#include <cerrno>
#include <numeric>

#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/source.h"
#include "ports/linux/file.h"
#include "tests/ports/linux/v4l2_source/fake_camera.h"

namespace octet::test {
namespace {

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
Opened Open(const CameraWish& wish = {}) {
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
bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string Bytes(size_t count, int first = 0) {
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

TEST_F(V4l2, EachFormatIsTaken) {
  const struct {
    uint32_t fourcc;
    octet_pixel_format pixels;
    size_t bytes;
    const char* word;
  } cases[] = {{V4L2_PIX_FMT_NV12, OCTET_PIXELS_NV12, 48, "nv12"},
               {V4L2_PIX_FMT_YUV420, OCTET_PIXELS_YUV420P, 48, "yuv420p"},
               {V4L2_PIX_FMT_YUYV, OCTET_PIXELS_YUYV, 64, "yuyv"},
               {V4L2_PIX_FMT_RGB24, OCTET_PIXELS_RGB24, 96, "rgb24"},
               {V4L2_PIX_FMT_GREY, OCTET_PIXELS_GREY8, 32, "grey8"}};
  for (const auto& c : cases) {
    camera_.formats = {{c.fourcc, {{8, 4}}}};
    const Opened opened = Open();
    ASSERT_NE(opened.source, nullptr) << opened.error;
    EXPECT_TRUE(Has(opened.said, std::string(c.word) + " 8x4\n")) << opened.said;
    EXPECT_TRUE(camera_.streams);
    camera_.ready = {{.bytes = Bytes(c.bytes)}};
    ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
    EXPECT_EQ(frame_.format, c.pixels);
    EXPECT_EQ(std::string(frame_.bytes.begin(), frame_.bytes.end()), Bytes(c.bytes)) << c.word;
    EXPECT_EQ(frame_.passed_over, 0u);
    // One byte is missing.
    camera_.ready = {{.bytes = Bytes(c.bytes), .bytes_used = static_cast<int>(c.bytes) - 1},
                     {.bytes = Bytes(c.bytes)}};
    camera_.least_buffers = 0;
    ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
    EXPECT_EQ(frame_.passed_over, 1u);
  }
  EXPECT_FALSE(camera_.streams);
  EXPECT_EQ(camera_.opened, 0);
  EXPECT_EQ(camera_.mapped, 0);
}

TEST_F(V4l2, PicturesAreDecoded) {
  const std::vector<uint8_t> rgb(8 * 4 * 3, 77);
  std::vector<uint8_t> jpeg;
  port::EncodeJpeg(rgb.data(), 8, 4, 90, &jpeg);
  for (const uint32_t fourcc : {V4L2_PIX_FMT_MJPEG, V4L2_PIX_FMT_JPEG}) {
    camera_.formats = {{fourcc, {{8, 4}}}};
    const Opened opened = Open({.format = "mjpeg"});
    ASSERT_NE(opened.source, nullptr) << opened.error;
    camera_.ready = {{.bytes = std::string(jpeg.begin(), jpeg.end())}};
    ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
    EXPECT_EQ(frame_.format, OCTET_PIXELS_RGB24);
    EXPECT_EQ(frame_.width, 8u);
  }
}

// The first format that has the wanted size; the first one at another size where none has.
TEST_F(V4l2, TheWantedSizeCountsMoreThanTheFormat) {
  const struct {
    uint32_t width, height;
    const char* said;
  } cases[] = {{8, 4, "nv12 8x4\n"},
               {16, 8, "grey8 16x8\n"},
               {16, 4, "nv12 8x4; the camera has no 16x4\n"},
               {8, 8, "nv12 8x4; the camera has no 8x8\n"},
               {0, 0, "nv12 8x4\n"}};
  camera_.formats = {{V4L2_PIX_FMT_NV12, {{8, 4}}}, {V4L2_PIX_FMT_GREY, {{16, 8}}}};
  for (const auto& c : cases) {
    const Opened opened = Open({.format = "", .width = c.width, .height = c.height});
    EXPECT_TRUE(Has(opened.said, c.said)) << opened.said;
  }
  camera_.own_size = {16, 8};
  EXPECT_TRUE(Has(Open().said, "grey8 16x8\n")) << "its own size is the wanted one";
}

TEST_F(V4l2, AFormatThatIsAskedForIsTheOnlyOne) {
  camera_.formats = {{V4L2_PIX_FMT_NV12, {{8, 4}}}, {V4L2_PIX_FMT_GREY, {{8, 4}}}};
  EXPECT_TRUE(Has(Open({.format = "grey8"}).said, "grey8 8x4\n"));
  EXPECT_TRUE(Has(Open({.format = "yuyv"}).error, "offers no yuyv"));
  camera_.formats = {{V4L2_PIX_FMT_BGR24, {{8, 4}}}};
  EXPECT_TRUE(Has(Open().error, "offers none of NV12"));
}

// A driver may give another format or size than it has just promised.
TEST_F(V4l2, WhatIsSetCounts) {
  camera_.formats = {{V4L2_PIX_FMT_NV12, {{8, 4}}}, {V4L2_PIX_FMT_GREY, {{8, 4}}}};
  camera_.sets_another = {{V4L2_PIX_FMT_NV12, V4L2_PIX_FMT_GREY}};
  EXPECT_TRUE(Has(Open().said, "grey8 8x4\n"));
  camera_.sets_another = {};
  camera_.sets_size = {{V4L2_PIX_FMT_NV12, {0, 4}}};
  EXPECT_TRUE(Has(Open().said, "grey8 8x4\n"));
  camera_.sets_size = {{V4L2_PIX_FMT_NV12, {4, 2}}};
  EXPECT_TRUE(Has(Open().said, "nv12 4x2\n"));
  camera_.sets_size = {};
  camera_.formats[V4L2_PIX_FMT_NV12] = {{0, 0}};
  EXPECT_TRUE(Has(Open().said, "grey8 8x4\n")) << "a size that no frame has";
  camera_.formats = {{V4L2_PIX_FMT_NV12, {{0, 0}}}};
  EXPECT_TRUE(Has(Open({.format = "", .width = 8, .height = 4}).error, "offers none of"));
}

TEST_F(V4l2, WhatItHasToBeAbleTo) {
  constexpr uint32_t kBoth = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING;
  const struct {
    uint32_t capabilities, device_caps;
    const char* error;
  } cases[] = {{kBoth, 0, ""},
               {V4L2_CAP_VIDEO_CAPTURE, kBoth, "cannot capture by streaming"},
               {V4L2_CAP_STREAMING, kBoth, "cannot capture by streaming"},
               {kBoth | V4L2_CAP_DEVICE_CAPS, 0, "cannot capture by streaming"},
               {V4L2_CAP_DEVICE_CAPS, kBoth, ""},
               {kBoth | V4L2_CAP_VIDEO_CAPTURE_MPLANE, 0, "several planes"},
               {kBoth, V4L2_CAP_VIDEO_CAPTURE_MPLANE, ""}};
  for (const auto& c : cases) {
    camera_.capabilities = c.capabilities;
    camera_.device_caps = c.device_caps;
    const Opened opened = Open();
    EXPECT_EQ(opened.error.empty(), *c.error == 0) << opened.error;
    EXPECT_TRUE(Has(opened.error, c.error)) << opened.error;
  }
}

TEST_F(V4l2, ErrorsNameTheWayOut) {
  const struct {
    int error;
    const char* way;
  } cases[] = {{EBUSY, "fuser -v /dev/null"},
               {EACCES, "the group video"},
               {ENODEV, "the camera was disconnected"},
               {ENOENT, "octet-camera --check --source /dev/null"}};
  for (const auto& c : cases) {
    camera_.open_error = c.error;
    EXPECT_TRUE(Has(Open().error, c.way)) << Open().error;
    EXPECT_EQ(Has(Open().error, "disconnected"), c.error == ENODEV);
  }
}

// Whatever fails at the start, nothing stays open or mapped.
TEST_F(V4l2, AFailedStartLeavesNothing) {
  const struct {
    unsigned long request;
    const char* said;
  } cases[] = {{VIDIOC_QUERYCAP, "is not a V4L2 camera"}, {VIDIOC_G_FMT, "has no format"},
               {VIDIOC_S_FMT, "cannot set its format"},   {VIDIOC_REQBUFS, "no buffers to map"},
               {VIDIOC_QUERYBUF, "describe a buffer"},    {VIDIOC_QBUF, "queue a buffer"},
               {VIDIOC_STREAMON, "start streaming"}};
  for (const auto& c : cases) {
    camera_.failures = {{c.request, EIO}};
    const Opened opened = Open();
    EXPECT_EQ(opened.source, nullptr);
    EXPECT_TRUE(Has(opened.error, c.said)) << opened.error;
    EXPECT_EQ(camera_.opened, 0) << c.said;
    EXPECT_EQ(camera_.mapped, 0) << c.said;
  }
  camera_.failures = {{VIDIOC_TRY_FMT, EINVAL}};
  EXPECT_TRUE(Has(Open().error, "offers none of"));
  camera_.failures = {};
  camera_.most_buffers = 0;
  EXPECT_TRUE(Has(Open().error, "gives no buffers"));
  camera_.most_buffers = 1;
  EXPECT_EQ(Open().error, "");
}

TEST_F(V4l2, ARateIsAskedForWhereOneIsWanted) {
  const struct {
    double wanted;
    uint32_t denominator;
  } cases[] = {{30, 30000}, {12.5, 12500}, {1e6, 1'000'000'000}, {2e6, 1'000'000'000}};
  for (const auto& c : cases) {
    camera_.rates.clear();
    Open({.format = "", .frames_per_second = c.wanted});
    ASSERT_EQ(camera_.rates.size(), 1u);
    EXPECT_EQ(camera_.rates[0].numerator, 1000u);
    EXPECT_EQ(camera_.rates[0].denominator, c.denominator);
  }
  camera_.rates.clear();
  Open({.format = "", .frames_per_second = 0});
  EXPECT_TRUE(camera_.rates.empty());
  camera_.failures = {{VIDIOC_S_PARM, EINVAL}};
  EXPECT_EQ(Open({.format = "", .frames_per_second = 30}).error, "") << "it keeps its own";
  camera_.failures = {};
  EXPECT_FALSE(Has(Open().said, "frames/s"));
  camera_.period = {1, 25};
  EXPECT_TRUE(Has(Open().said, ", 25 frames/s\n"));
  camera_.failures = {{VIDIOC_G_PARM, EINVAL}};
  EXPECT_FALSE(Has(Open().said, "frames/s"));
}

// Rows end where the driver says.
TEST_F(V4l2, RowsMayBeLonger) {
  camera_.formats = {{V4L2_PIX_FMT_NV12, {{8, 5}}}};
  camera_.own_size = {8, 5};
  camera_.line_bytes = 12;
  const Opened opened = Open();
  ASSERT_NE(opened.source, nullptr) << opened.error;
  // Five rows of light, three of colour; nothing is missing behind the very last row.
  const size_t needed = 7 * 12 + 8;
  camera_.ready = {{.bytes = Bytes(needed)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.passed_over, 0u);
  ASSERT_EQ(frame_.bytes.size(), 8u * 8u);
  for (size_t y = 0; y < 8; ++y) {
    for (size_t x = 0; x < 8; ++x) ASSERT_EQ(frame_.bytes[8 * y + x], 12 * y + x) << y << " " << x;
  }
  camera_.ready = {{.bytes = Bytes(needed - 1)}, {.bytes = Bytes(needed)}};
  // Both wait: the newer one is good, the older is passed over.
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.passed_over, 1u);
}
TEST_F(V4l2, PlanesHaveTheirShareOfALine) {
  camera_.formats = {{V4L2_PIX_FMT_YUV420, {{8, 2}}}};
  camera_.own_size = {8, 2};
  camera_.line_bytes = 16;
  const Opened opened = Open();
  ASSERT_NE(opened.source, nullptr) << opened.error;
  camera_.ready = {{.bytes = Bytes(2 * 16 + 2 * 8)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  ASSERT_EQ(frame_.bytes.size(), 24u);
  EXPECT_EQ(frame_.bytes[8], 16);
  EXPECT_EQ(frame_.bytes[16], 32);
  EXPECT_EQ(frame_.bytes[20], 40);
}
TEST_F(V4l2, ALineShorterThanARowIsDamage) {
  const std::vector<uint32_t> lines = {8, 7};
  for (const uint32_t line : lines) {
    camera_.line_bytes = line;
    const Opened opened = Open();
    camera_.ready = {{.bytes = Bytes(32)}};
    if (line == 7) camera_.stop = &stop_;  // with the last frame
    EXPECT_EQ(Next(opened.source.get()), line == 8 ? Took::kFrame : Took::kStopped);
    EXPECT_EQ(frame_.passed_over, line == 8 ? 0u : 1u);
  }
}

TEST_F(V4l2, TheNewestFrameCounts) {
  const Opened opened = Open();
  ASSERT_EQ(camera_.queued.size(), 4u);
  camera_.ready = {{.bytes = Bytes(32, 1)}, {.bytes = Bytes(32, 2)}, {.bytes = Bytes(32, 3)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 3);
  EXPECT_EQ(frame_.passed_over, 2u);
  EXPECT_EQ(camera_.queued.size(), 4u) << "each buffer is given back";
  std::vector<uint32_t> queued(camera_.queued.begin(), camera_.queued.end());
  std::sort(queued.begin(), queued.end());
  EXPECT_EQ(queued, (std::vector<uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(said_, "");
  camera_.ready = {{.bytes = Bytes(32, 4)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.passed_over, 0u) << "counted anew";
}

// More than there are buffers cannot wait; a driver that says so does not keep the loop.
TEST_F(V4l2, NoMoreThanAllBuffers) {
  const Opened opened = Open();
  for (int i = 1; i <= 6; ++i) camera_.ready.push_back({.bytes = Bytes(32, i)});
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 4);
  EXPECT_EQ(frame_.passed_over, 3u);
}

TEST_F(V4l2, DamagedFramesAreSkipped) {
  const Opened opened = Open();
  // A newer one that is damaged does not take the older one's place.
  camera_.ready = {{.bytes = Bytes(32, 1)}, {.bytes = Bytes(32, 2), .flags = V4L2_BUF_FLAG_ERROR}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 1);
  EXPECT_EQ(frame_.passed_over, 1u);
  EXPECT_TRUE(Has(said_, "damaged frame")) << said_;
  camera_.ready = {{.bytes = Bytes(32, 3), .flags = V4L2_BUF_FLAG_ERROR}, {.bytes = Bytes(32, 4)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 4);
  EXPECT_EQ(frame_.passed_over, 1u);
  EXPECT_EQ(said_, "") << "said once";
}
TEST_F(V4l2, ABufferThatIsNoneIsDamage) {
  const Opened opened = Open();
  camera_.ready = {{.bytes = Bytes(32, 1)}, {.bytes = Bytes(32, 2), .index = 4}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 1);
  camera_.ready = {{.bytes = Bytes(32, 5), .index = 3}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(frame_.bytes[0], 5) << "the last one is a buffer";
}

TEST_F(V4l2, AFramesTimeIsTheDriversWhereItCanBe) {
  constexpr uint32_t kGood = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_EOF;
  constexpr uint64_t kNow = FakeCamera::kNowNs;
  const struct {
    uint32_t flags;
    uint64_t stamp_ns;
    bool taken;
  } cases[] = {
      {kGood, kNow - 1'234'567'000, true},
      {kGood, kNow - 10 * kSecond + 1000, true},
      {kGood, kNow - 10 * kSecond, false},
      {kGood, kNow, true},
      {kGood, kNow + 1000, false},
      {V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_TSTAMP_SRC_SOE, kNow - kSecond, false},
      {V4L2_BUF_FLAG_TIMESTAMP_COPY, kNow - kSecond, false},
      {V4L2_BUF_FLAG_TIMESTAMP_UNKNOWN, kNow - kSecond, false}};
  for (const auto& c : cases) {
    const Opened opened = Open();
    camera_.ready = {{.bytes = Bytes(32), .flags = c.flags, .stamp_ns = c.stamp_ns}};
    ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
    EXPECT_EQ(frame_.captured_ns, c.taken ? c.stamp_ns : kNow);
  }
  const Opened opened = Open();
  for (const uint64_t stamp : {kNow - kSecond, kNow - 2 * kSecond}) {
    camera_.ready = {{.bytes = Bytes(32), .flags = kGood, .stamp_ns = stamp}};
    ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
    EXPECT_EQ(frame_.captured_ns, kNow - kSecond) << "time does not go back";
  }
}

TEST_F(V4l2, AStallIsSaidOnce) {
  const Opened opened = Open();
  camera_.timeouts = 3;
  camera_.ready = {{.bytes = Bytes(32)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(camera_.timeouts, 0);
  const size_t first = said_.find("no frame for 5 s");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(said_.find("no frame for 5 s", first + 1), std::string::npos);
  EXPECT_TRUE(Has(said_, "frames are back"));
  camera_.ready = {{.bytes = Bytes(32)}};
  ASSERT_EQ(Next(opened.source.get()), Took::kFrame);
  EXPECT_EQ(said_, "");
}

TEST_F(V4l2, AStopEndsTheWait) {
  const Opened opened = Open();
  camera_.ready = {{.bytes = Bytes(32)}};
  stop_.Raise();
  EXPECT_EQ(Next(opened.source.get()), Took::kStopped);
}

TEST_F(V4l2, FaultsOnTheWayEndTheStream) {
  {
    const Opened opened = Open();
    camera_.failures = {{VIDIOC_DQBUF, EIO}};
    EXPECT_TRUE(Has(NextError(opened.source.get()), "stopped giving frames"));
    camera_.failures = {{VIDIOC_DQBUF, ENODEV}};
    EXPECT_TRUE(Has(NextError(opened.source.get()), "was disconnected"));
    camera_.failures = {};
    camera_.ready = {{.bytes = Bytes(32)}};
    camera_.failures = {{VIDIOC_QBUF, EIO}};
    EXPECT_TRUE(Has(NextError(opened.source.get()), "cannot return a buffer"));
    camera_.ready = {{.bytes = Bytes(32)}, {.bytes = Bytes(32)}};
    EXPECT_TRUE(Has(NextError(opened.source.get()), "cannot return a buffer"));
  }
  EXPECT_EQ(camera_.opened, 0);
  EXPECT_EQ(camera_.mapped, 0);
}

}  // namespace
}  // namespace octet::test
