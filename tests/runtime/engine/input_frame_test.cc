// octet_set_input_frame: every level and thread count gives the same scores, pictures and frames of
// the same bytes too, and what is no frame is refused.
#include <gtest/gtest.h>

#include <vector>

#include "octet/octet.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr uint32_t kWidth = 15, kHeight = 9;  // 8 x 5 chroma

std::vector<uint8_t> Bytes(size_t count, uint32_t state) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) {
    byte = static_cast<uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  }
  return bytes;
}

struct TestFrame {
  std::vector<uint8_t> planes[3];
  octet_frame frame{};

  explicit TestFrame(octet_pixel_format format) {
    frame.format = format;
    frame.width = kWidth;
    frame.height = kHeight;
    const auto add = [this](uint32_t plane, size_t stride, uint32_t rows) {
      planes[plane] = Bytes(stride * rows, plane + 1);
      frame.planes[plane] = planes[plane].data();
      frame.strides[plane] = stride;
    };
    if (format == OCTET_PIXELS_RGB24) add(0, 3 * kWidth + 2, kHeight);
    if (format == OCTET_PIXELS_GREY8) add(0, kWidth, kHeight);
    if (format == OCTET_PIXELS_YUYV) add(0, 32, kHeight);
    if (format == OCTET_PIXELS_NV12) add(0, 16, kHeight), add(1, 16, 5);
    if (format == OCTET_PIXELS_YUV420P) add(0, 15, kHeight), add(1, 9, 5), add(2, 8, 5);
  }
};

std::vector<float> Scores(octet_session* session) {
  octet_run(session);
  octet_tensor_info info;
  octet_output_info(session, 0, &info);
  std::vector<float> scores(info.element_count);
  octet_get_output(session, 0, scores.data(), scores.size());
  return scores;
}

TEST(SetInputFrame, TheSameOnEveryLevelAndThreadCount) {
  const Blob blob = MakeMixedBlob();
  for (int format = OCTET_PIXELS_RGB24; format <= OCTET_PIXELS_YUYV; ++format) {
    const TestFrame source(static_cast<octet_pixel_format>(format));
    TestSession reference(blob, {});
    ASSERT_EQ(octet_set_input_frame(reference.get(), 0, &source.frame).code, OCTET_OK);
    const std::vector<float> wanted = Scores(reference.get());
    for (const octet_isa isa : RunnableLevels()) {
      for (const uint32_t threads : {1u, 3u}) {
        TestSession session(blob, {.isa = isa, .threads = threads});
        ASSERT_EQ(octet_set_input_frame(session.get(), 0, &source.frame).code, OCTET_OK);
        EXPECT_EQ(Scores(session.get()), wanted)
            << "format " << format << " " << octet_isa_name(isa) << " " << threads << " threads";
        session.ExpectGuardsIntact();
      }
    }
  }
}

TEST(SetInputFrame, APictureIsAFrame) {
  const Blob blob = MakeMixedBlob();
  for (const octet_pixel_format format : {OCTET_PIXELS_RGB24, OCTET_PIXELS_GREY8}) {
    const TestFrame source(format);
    TestSession one(blob, {}), other(blob, {});
    ASSERT_EQ(octet_set_input_frame(one.get(), 0, &source.frame).code, OCTET_OK);
    ASSERT_EQ(octet_set_input_image(other.get(), 0, source.frame.planes[0], kHeight, kWidth,
                                    format == OCTET_PIXELS_RGB24 ? 3 : 1, source.frame.strides[0])
                  .code,
              OCTET_OK);
    EXPECT_EQ(Scores(one.get()), Scores(other.get()));
  }
}

TEST(SetInputFrame, RefusesWhatIsNoFrame) {
  const Blob blob = MakeMixedBlob();
  TestSession session(blob, {});
  const auto code = [&](auto change, uint32_t input = 0) {
    TestFrame source(OCTET_PIXELS_NV12);
    change(source.frame);
    return octet_set_input_frame(session.get(), input, &source.frame).code;
  };
  EXPECT_EQ(code([](octet_frame&) {}), OCTET_OK);
  EXPECT_EQ(code([](octet_frame&) {}, 7), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code([](octet_frame& f) { f.planes[1] = nullptr; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code([](octet_frame& f) { f.width = 0; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code([](octet_frame& f) { f.height = 65536; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code([](octet_frame& f) { f.strides[0] = 14; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code([](octet_frame& f) { f.strides[1] = 15; }), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_set_input_frame(session.get(), 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  const uint8_t pixels[12] = {};
  EXPECT_EQ(octet_set_input_image(session.get(), 0, pixels, 2, 2, 2, 6).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_set_input_image(session.get(), 0, pixels, 2, 2, 3, 5).code,
            OCTET_INVALID_ARGUMENT);
}

// An input that takes no pictures (the convolution's blob takes floats).
TEST(SetInputFrame, OnlyPictureInputs) {
  const Blob blob = MakeConvBlob({});
  TestSession session(blob, {});
  const TestFrame source(OCTET_PIXELS_GREY8);
  EXPECT_EQ(octet_set_input_frame(session.get(), 0, &source.frame).code, OCTET_SHAPE_MISMATCH);
}

// Pictures on both sides of an input of floats, each with a normalisation of its own: the outputs
// are the inputs' tensors, so that every value shows which table it came through.
TEST(SetInputFrame, EveryPictureInputHasItsOwnTable) {
  BlobBuilder b;
  for (uint32_t i = 0; i < 3; ++i) {
    const uint32_t x = b.AddInput("x", {1, 2, 3, i == 2 ? 1u : 3u}, blob::ElementType::kInt8, 1, 0);
    b.AddOutput("y", x);
    blob::InputRecord& input = b.input(i);
    input.is_image = i == 1 ? 0 : 1;
    input.scale = i == 0 ? 0.5f : 1;
    input.mean[0] = i == 0 ? 10 : -7;
    input.mean[1] = i == 0 ? 20 : 0;
    input.mean[2] = 30;
  }
  const Blob blob = b.Build();
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    const std::vector<uint8_t> colours(18, 100), greys(6, 100);
    // In an order of their own: what one writes is not what another reads.
    session.SetInput(1, std::vector<float>(18, 5));
    ASSERT_EQ(octet_set_input_image(session.get(), 2, greys.data(), 2, 3, 1, 3).code, OCTET_OK);
    ASSERT_EQ(octet_set_input_image(session.get(), 0, colours.data(), 2, 3, 3, 9).code, OCTET_OK);
    octet_run(session.get());
    std::vector<float> wanted;
    for (uint32_t i = 0; i < 6; ++i) wanted.insert(wanted.end(), {40, 30, 20});
    EXPECT_EQ(session.Output(0), wanted);
    EXPECT_EQ(session.Output(1), std::vector<float>(18, 5));
    EXPECT_EQ(session.Output(2), std::vector<float>(6, 107));
    session.ExpectGuardsIntact();
  }
}

}  // namespace
}  // namespace octet::test
