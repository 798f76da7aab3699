// A camera as its driver may be, frame by frame: rows, buffers, times and faults, each alone.
#include <cerrno>

#include "ports/linux/file.h"
#include "tests/ports/linux/v4l2_source/v4l2_fixture.h"

namespace octet::test {
namespace {

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
