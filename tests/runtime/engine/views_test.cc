// Tensors in place, layer by layer, hooks, and blobs without a session.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "octet/octet.hpp"
#include "runtime/core/half.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

std::vector<uint8_t> Picture() {
  std::vector<uint8_t> picture(48);
  for (size_t i = 0; i < picture.size(); ++i) picture[i] = static_cast<uint8_t>(i * 37);
  return picture;
}

void SetPicture(octet_session* session) {
  const std::vector<uint8_t> picture = Picture();
  ASSERT_EQ(octet_set_input_image(session, 0, picture.data(), 4, 4, 3, 12).code, OCTET_OK);
}

// The value of element i of a view, by what octet.h says of it.
float ValueAt(const octet_tensor_view& view, size_t i) {
  float value = 0;
  if (view.element == OCTET_ELEMENT_INT8) {
    const auto byte = static_cast<const uint8_t*>(view.data)[i];
    value =
        view.scale * static_cast<float>(static_cast<int8_t>(byte ^ view.sign) - view.zero_point);
  } else if (view.element == OCTET_ELEMENT_FP16) {
    value = view.scale * HalfToFloat(static_cast<const uint16_t*>(view.data)[i]);
  } else {
    value = static_cast<float>(static_cast<const int32_t*>(view.data)[i]);
  }
  if (view.function == 3) return 1 / (1 + std::exp(-value));
  if (view.function == 7) return std::tanh(value);
  return view.function == 8 ? std::exp(value) : value;
}

// Outputs put together by hand from their parts are those that octet_get_output gives.
TEST(Views, PartsMakeTheOutput) {
  const Blob blob = MakeMixedBlob();
  for (const octet_isa isa : RunnableLevels()) {
    SessionOptions options;
    options.isa = isa;
    const TestSession session(blob, options);
    for (uint32_t plan = 0; plan < octet_plan_count(session.get()); ++plan) {
      ASSERT_EQ(octet_set_plan(session.get(), plan).code, OCTET_OK);
      SetPicture(session.get());
      ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
      for (uint32_t o = 0; o < octet_output_count(session.get()); ++o) {
        const std::vector<float> wanted = session.Output(o);
        size_t filled = 0;
        for (uint32_t p = 0; p < octet_output_part_count(session.get(), o); ++p) {
          octet_tensor_view view;
          ASSERT_EQ(octet_output_view(session.get(), o, p, &view).code, OCTET_OK);
          const uint32_t* d = view.dims;
          for (uint32_t i = 0; i < d[0] * d[1] * d[2] * d[3]; ++i, ++filled) {
            const size_t at = view.base + i / (d[1] * d[2] * d[3]) * view.strides[0] +
                              i / (d[2] * d[3]) % d[1] * view.strides[1] +
                              i / d[3] % d[2] * view.strides[2] + i % d[3] * view.strides[3];
            ASSERT_NEAR(ValueAt(view, i), wanted[at], 1e-6);
          }
        }
        EXPECT_EQ(filled, wanted.size());
      }
      octet_tensor_view view;
      EXPECT_EQ(octet_output_view(session.get(), 0, 99, &view).code, OCTET_INVALID_ARGUMENT);
      EXPECT_EQ(octet_input_view(session.get(), 99, &view).code, OCTET_INVALID_ARGUMENT);
    }
  }
}

// An input filled where it lies is one that was set.
TEST(Views, AnInputFilledInPlace) {
  const Blob blob = MakeMixedBlob();
  for (const octet_isa isa : RunnableLevels()) {
    SessionOptions options;
    options.isa = isa;
    const TestSession session(blob, options);
    SetPicture(session.get());
    octet_tensor_view view;
    ASSERT_EQ(octet_input_view(session.get(), 0, &view).code, OCTET_OK);
    ASSERT_EQ(view.bytes, 48u);
    std::vector<uint8_t> bytes(view.bytes);
    std::memcpy(bytes.data(), view.data, view.bytes);
    octet_run(session.get());
    const std::vector<float> wanted = session.Output(0);
    std::memcpy(view.data, bytes.data(), view.bytes);
    octet_run(session.get());
    EXPECT_EQ(session.Output(0), wanted);
  }
}

TEST(Views, LayerByLayerIsARun) {
  const Blob blob = MakeMixedBlob();
  const TestSession session(blob, {});
  SetPicture(session.get());
  octet_run(session.get());
  const std::vector<float> wanted = session.Output(0);
  SetPicture(session.get());
  const uint32_t count = octet_layer_count(session.get());
  for (uint32_t k = 0; k < count; ++k) {
    ASSERT_EQ(octet_run_layer(session.get(), k).code, OCTET_OK);
  }
  EXPECT_EQ(session.Output(0), wanted);
  EXPECT_EQ(octet_run_layer(session.get(), count).code, OCTET_INVALID_ARGUMENT);
}

// A layer's view is its output, while it lasts: seen between two layers, the last one's is the
// model's output.
TEST(Views, OfALayerRightAfterIt) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 2, 8}, blob::ElementType::kInt8, 1, 0);
  uint32_t last = x;
  for (int k = 1; k <= 3; ++k) {
    const uint32_t y = b.AddTensor({1, 1, 2, 8}, blob::ElementType::kInt8, 0.5f, 2);
    std::vector<int8_t> table(256);
    for (int q = -128; q < 128; ++q) {
      table[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::min(127, q + k));
    }
    b.AddLayer(blob::Op::kUnary, {last}, y).table = b.AddTable(table);
    last = y;
  }
  b.AddOutput("y", last);
  const Blob blob = b.Build();
  for (const octet_isa isa : RunnableLevels()) {
    SessionOptions options;
    options.isa = isa;
    TestSession session(blob, options);
    session.SetInput(0, std::vector<float>(16, 10.0f));
    int expected = 10;
    for (uint32_t k = 0; k < 3; ++k) {
      ASSERT_EQ(octet_run_layer(session.get(), k).code, OCTET_OK);
      expected += static_cast<int>(k) + 1;
      octet_tensor_view view;
      ASSERT_EQ(octet_layer_view(session.get(), k, &view).code, OCTET_OK);
      EXPECT_EQ(view.element, OCTET_ELEMENT_INT8);
      EXPECT_EQ(view.bytes, 16u);
      EXPECT_EQ(view.dims[2], 2u);
      EXPECT_EQ(view.strides[2], 8u);
      EXPECT_EQ(view.strides[3], 1u);
      EXPECT_EQ(view.scale, 0.5f);
      EXPECT_EQ(view.zero_point, 2);
      const auto* bytes = static_cast<const uint8_t*>(view.data);
      for (int i = 0; i < 16; ++i) {
        EXPECT_EQ(static_cast<int8_t>(bytes[i] ^ view.sign), expected) << k;
      }
    }
    octet_tensor_view view;
    EXPECT_EQ(octet_layer_view(session.get(), 3, &view).code, OCTET_INVALID_ARGUMENT);
    EXPECT_EQ(octet_layer_view(session.get(), 0, nullptr).code, OCTET_INVALID_ARGUMENT);
  }
}

struct Watch {
  std::vector<uint32_t> seen;
  uint32_t stop_at = UINT32_MAX;
};
int BeforeLayer(void* context, uint32_t layer) {
  auto* watch = static_cast<Watch*>(context);
  watch->seen.push_back(layer);
  return layer == watch->stop_at ? 1 : 0;
}

// The hook sees every layer, can end a run anywhere, and the session goes on after it.
TEST(Hook, EndsARunAndLeavesTheSessionUsable) {
  const Blob blob = MakeMixedBlob();
  Watch watch;
  SessionOptions options;
  options.before_layer = BeforeLayer;
  options.before_layer_context = &watch;
  const TestSession session(blob, options);
  SetPicture(session.get());
  ASSERT_EQ(octet_run(session.get()).code, OCTET_OK);
  const std::vector<float> wanted = session.Output(0);
  const uint32_t count = octet_layer_count(session.get());
  ASSERT_EQ(watch.seen.size(), count);
  for (uint32_t stop = 0; stop < count; ++stop) {
    watch = {{}, stop};
    SetPicture(session.get());
    EXPECT_EQ(octet_run(session.get()).code, OCTET_CANCELLED);
    EXPECT_EQ(watch.seen.size(), stop + 1);
    watch.stop_at = UINT32_MAX;
    SetPicture(session.get());
    EXPECT_EQ(octet_run(session.get()).code, OCTET_OK);
    EXPECT_EQ(session.Output(0), wanted);
  }
}

TEST(BlobInfo, WithoutASession) {
  const Blob blob = MakeMixedBlob();
  octet_blob_info info;
  ASSERT_EQ(octet_blob_describe(blob.data(), blob.size(), &info).code, OCTET_OK);
  EXPECT_EQ(info.version_major, blob::kVersionMajor);
  EXPECT_EQ(info.file_bytes, blob.size());
  EXPECT_STREQ(info.board, "");
  ASSERT_EQ(info.plan_count, 2u);
  EXPECT_STREQ(info.plan_names[0], "int8");
  EXPECT_STREQ(info.plan_names[1], "fp16");
  EXPECT_GT(info.plan_bytes[0], 0u);
  const auto* header = reinterpret_cast<const blob::Header*>(blob.data());
  EXPECT_EQ(std::memcmp(info.digest, header->sha256, 32), 0);
  EXPECT_EQ(octet_blob_describe(blob.data(), 100, &info).code, OCTET_TRUNCATED);
  EXPECT_EQ(octet_blob_describe(blob.data(), blob.size(), nullptr).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet::test
