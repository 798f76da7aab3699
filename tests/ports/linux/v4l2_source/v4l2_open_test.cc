// A camera as its driver may be, before the first frame: formats, sizes, rates, and a start that
// fails.
#include <cerrno>

#include "ports/linux/capture/jpeg.h"
#include "tests/ports/linux/v4l2_source/v4l2_fixture.h"

namespace octet::test {
namespace {

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

}  // namespace
}  // namespace octet::test
