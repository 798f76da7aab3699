// OCTET_VERIFY_CONTENT: each of the writer's duties broken alone.
#include <gtest/gtest.h>

#include <cstring>

#include "runtime/format/validate.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

class Content : public testing::Test {
 protected:
  // 3x3 over 3 channels: 27 values an output, 28 stored; 20 outputs, 32 stored.
  Content() : blob_(MakeConvBlob({})) {
    EXPECT_TRUE(IsOk(ViewBlob(blob_.data(), blob_.size(), &view_)));
    PlanView plan;
    EXPECT_TRUE(IsOk(ViewPlan(view_, 0, &plan)));
    layer_ = plan.layers;
    layer_offset_ = plan.offset + plan.header->layers_offset;
  }

  int8_t& Weight(size_t o, size_t k) {
    return reinterpret_cast<int8_t*>(
        blob_.data() + view_.weights_s8.offset +
        layer_->weights.offset)[((o / 16 * 7 + k / 4) * 16 + o % 16) * 4 + k % 4];
  }
  int32_t& Sum(size_t o) {
    return reinterpret_cast<blob::ChannelBlockS8*>(blob_.data() + view_.weights_s8.offset +
                                                   layer_->channels.offset)[o / 16]
        .weight_sum[o % 16];
  }
  // The plain check lets it pass, the check of the content only where it is right.
  void Expect(octet_code code) {
    Rehash(blob_);
    EXPECT_EQ(octet_validate(blob_.data(), blob_.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
    const octet_status status =
        octet_validate(blob_.data(), blob_.size(), OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT);
    EXPECT_EQ(status.code, code);
    EXPECT_EQ(status.offset, code == OCTET_OK ? 0 : layer_offset_);
    EXPECT_EQ(octet_validate(blob_.data(), blob_.size(), OCTET_VERIFY_CONTENT).code, code);
  }

  Blob blob_;
  BlobView view_;
  const blob::LayerRecord* layer_;
  uint32_t layer_offset_;
};

TEST_F(Content, WhatTheConverterWritesPasses) {
  Expect(OCTET_OK);
}

TEST_F(Content, SumsOfWeights) {
  for (const size_t o : {size_t{0}, size_t{19}}) {
    ++Sum(o);
    Expect(OCTET_CORRUPT);
    --Sum(o);
  }
  const int8_t before = Weight(7, 26);
  Weight(7, 26) = static_cast<int8_t>(before == 0 ? 1 : 0);
  Expect(OCTET_CORRUPT);
}

TEST_F(Content, TailOfTheInputs) {
  Weight(3, 27) = 5;
  Sum(3) += 5;
  Expect(OCTET_CORRUPT);
}

TEST_F(Content, TailOfTheOutputs) {
  Weight(20, 4) = 5;
  Sum(20) += 5;
  Expect(OCTET_CORRUPT);
}

TEST_F(Content, BindTakesTheHashesAlone) {
  AlignedBytes arena(1 << 16);
  octet_session* session = nullptr;
  octet_config config = {};
  config.verify_hashes = OCTET_VERIFY_PORTABLE | OCTET_VERIFY_CONTENT;
  EXPECT_EQ(
      octet_bind(blob_.data(), blob_.size(), arena.data(), arena.size(), &config, &session).code,
      OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_validate(blob_.data(), blob_.size(), 3).code, OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_validate(blob_.data(), blob_.size(), 8).code, OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet::test
