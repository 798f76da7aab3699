// octet_board_check: every rule, on the plan and the tensor or layer that breaks it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "octet/board.h"
#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

class Whitelist : public ::testing::Test {
 protected:
  // The rule that is broken first; the rest is in found_.
  octet_board_rule Check(const octet_board& board, uint32_t plan_mask = 0) {
    found_ = octet_board_finding{};
    const octet_status status =
        octet_board_check(blob_.data(), blob_.size(), plan_mask, &board, &found_);
    EXPECT_EQ(status.code, OCTET_OK);
    return found_.rule;
  }
  void ExpectWhere(uint32_t plan, const std::string& where) const {
    EXPECT_EQ(found_.plan, plan);
    EXPECT_EQ(found_.where, where);
  }
  PlanView Plan(uint32_t index) {
    BlobView view{};
    EXPECT_TRUE(IsOk(ViewBlob(blob_.data(), blob_.size(), &view)));
    PlanView plan{};
    EXPECT_TRUE(IsOk(ViewPlan(view, index, &plan)));
    return plan;
  }
  blob::TensorRecord& Tensor(uint32_t plan, uint32_t index) {
    return const_cast<blob::TensorRecord&>(Plan(plan).tensors[index]);
  }
  blob::LayerRecord& Layer(uint32_t plan, uint32_t index) {
    return const_cast<blob::LayerRecord&>(Plan(plan).layers[index]);
  }
  blob::ChannelBlockS8& Channels(uint32_t layer, uint32_t block = 0) {
    BlobView view{};
    EXPECT_TRUE(IsOk(ViewBlob(blob_.data(), blob_.size(), &view)));
    auto* bytes = const_cast<uint8_t*>(view.weights_s8.data) + Layer(0, layer).channels.offset;
    return reinterpret_cast<blob::ChannelBlockS8*>(bytes)[block];
  }
  static void MakeOneScale(blob::ChannelBlockS8& block) {
    std::fill_n(block.multiplier, 16, 1 << 30);
    std::fill_n(block.shift, 16, 4);
  }

  Blob blob_ = MakeMixedBlob();
  octet_board_finding found_{};
};

octet_board Named(const std::string& name) {
  octet_board board{};
  std::copy(name.begin(), name.end(), board.compatible);
  return board;
}

TEST_F(Whitelist, NothingListedAllowsAll) {
  EXPECT_EQ(Check({}), OCTET_BOARD_OK);
  octet_board all{};
  all.precisions = all.activation_schemes = 3;
  all.weight_schemes = 7;
  EXPECT_EQ(Check(all), OCTET_BOARD_OK);
  ExpectWhere(1, "");
}

TEST_F(Whitelist, SymmetricActivations) {
  octet_board board{};
  board.activation_schemes = OCTET_BOARD_SYMMETRIC;
  ASSERT_EQ(Check(board), OCTET_BOARD_ACTIVATIONS);
  ExpectWhere(0, "image");
  EXPECT_EQ(found_.zero_point, -128);
  EXPECT_EQ(Check(board, 2), OCTET_BOARD_OK) << "halves have no zero point";
  Tensor(0, 0).zero_point = 0;
  ASSERT_EQ(Check(board), OCTET_BOARD_ACTIVATIONS);
  ExpectWhere(0, "dw");
  EXPECT_EQ(found_.zero_point, 5);
  for (uint32_t t = 0; t < Plan(0).header->tensor_count; ++t) Tensor(0, t).zero_point = 0;
  EXPECT_EQ(Check(board), OCTET_BOARD_OK);
  // Inside of a layer, before the table that is fused into it; without a table nobody reads it.
  blob::ConvParams params;
  std::memcpy(&params, Layer(0, 0).params.bytes, sizeof(params));
  params.table_zero_point = -7;
  std::memcpy(Layer(0, 0).params.bytes, &params, sizeof(params));
  EXPECT_EQ(Check(board), OCTET_BOARD_OK);
  Layer(0, 0).table = {0, 256};
  ASSERT_EQ(Check(board), OCTET_BOARD_ACTIVATIONS);
  ExpectWhere(0, "conv");
  EXPECT_EQ(found_.zero_point, -7);
  board.activation_schemes = OCTET_BOARD_ASYMMETRIC;
  EXPECT_EQ(Check(board), OCTET_BOARD_OK) << "zero points of 0 are some of them";
}

TEST_F(Whitelist, WeightsOfOneScale) {
  octet_board board{};
  board.weight_schemes = OCTET_BOARD_PER_TENSOR;
  ASSERT_EQ(Check(board), OCTET_BOARD_WEIGHTS);
  ExpectWhere(0, "conv");
  EXPECT_EQ(Check(board, 2), OCTET_BOARD_OK);
  MakeOneScale(Channels(0));
  ASSERT_EQ(Check(board), OCTET_BOARD_WEIGHTS);
  ExpectWhere(0, "dw");
  MakeOneScale(Channels(2));
  EXPECT_EQ(Check(board), OCTET_BOARD_OK);
  Channels(2).shift[3] = 5;  // the last of four channels
  EXPECT_EQ(Check(board), OCTET_BOARD_WEIGHTS);
  Channels(2).shift[3] = 4;
  Channels(2).shift[4] = 5;  // behind it there is none
  EXPECT_EQ(Check(board), OCTET_BOARD_OK);
  Channels(0).multiplier[1] += 1;
  for (const uint32_t schemes : {2u, 3u, 6u, 7u}) {
    board.weight_schemes = schemes;
    EXPECT_EQ(Check(board), OCTET_BOARD_OK) << schemes;
  }
  board.weight_schemes = OCTET_BOARD_GROUP;
  EXPECT_EQ(Check(board), OCTET_BOARD_WEIGHTS);
}

TEST_F(Whitelist, ChannelsOfSeveralBlocks) {
  blob_ = MakeConvBlob({.height = 2, .width = 2, .in_c = 3, .out_c = 33});
  for (uint32_t block = 0; block < 3; ++block) MakeOneScale(Channels(0, block));
  octet_board board{};
  board.weight_schemes = OCTET_BOARD_PER_TENSOR;
  EXPECT_EQ(Check(board), OCTET_BOARD_OK);
  Channels(0, 2).multiplier[0] += 1;
  EXPECT_EQ(Check(board), OCTET_BOARD_WEIGHTS);
  board.weight_schemes = OCTET_BOARD_GROUP;
  EXPECT_EQ(Check(board), OCTET_BOARD_OK) << "the last block is a group of its own";
  Channels(0, 1).shift[15] += 1;
  EXPECT_EQ(Check(board), OCTET_BOARD_WEIGHTS) << "the last channel of a group";
}

TEST_F(Whitelist, Precisions) {
  octet_board board{};
  board.precisions = OCTET_BOARD_INT8;
  ASSERT_EQ(Check(board), OCTET_BOARD_PRECISION);
  ExpectWhere(1, "image");
  EXPECT_EQ(found_.precision, OCTET_BOARD_FP16);
  EXPECT_EQ(Check(board, 1), OCTET_BOARD_OK) << "of the plans that are asked about";
  for (uint32_t t = 0; t < Plan(1).header->tensor_count; ++t) {
    Tensor(1, t).type = blob::ElementType::kInt32;
  }
  EXPECT_EQ(Check(board), OCTET_BOARD_OK) << "integers are in every plan";
  board.precisions = OCTET_BOARD_FP16;
  ASSERT_EQ(Check(board), OCTET_BOARD_PRECISION);
  ExpectWhere(0, "image");
  EXPECT_EQ(found_.precision, OCTET_BOARD_INT8);
}

TEST_F(Whitelist, NamesOfBoards) {
  auto* header = reinterpret_cast<blob::Header*>(blob_.data());
  EXPECT_EQ(Check(Named("jetson-nano")), OCTET_BOARD_OK) << "made for any";
  const std::string name = "jetson-nano";
  std::copy(name.begin(), name.end(), header->board);
  EXPECT_EQ(Check(Named(name)), OCTET_BOARD_OK);
  EXPECT_EQ(Check({}), OCTET_BOARD_OK);
  for (const char* other : {"jetson-nan", "jetson-nanoo", "rk3588"}) {
    octet_board board = Named(other);
    board.precisions = OCTET_BOARD_FP16;
    ASSERT_EQ(Check(board), OCTET_BOARD_NAME) << other << ": before all others";
    EXPECT_STREQ(found_.board, "jetson-nano");
    EXPECT_STREQ(found_.where, "");
  }
  // All 24 bytes, which no board's name here has.
  std::fill_n(header->board, 24, 'n');
  EXPECT_EQ(Check(Named(std::string(23, 'n'))), OCTET_BOARD_NAME);
  EXPECT_STREQ(found_.board, std::string(24, 'n').c_str());
}

TEST_F(Whitelist, WrongUse) {
  octet_board board{};
  const auto code = [&](size_t bytes, uint32_t mask, const octet_board* of) {
    return octet_board_check(blob_.data(), bytes, mask, of, &found_).code;
  };
  EXPECT_EQ(code(blob_.size(), 0, nullptr), OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(octet_board_check(blob_.data(), blob_.size(), 0, &board, nullptr).code,
            OCTET_INVALID_ARGUMENT);
  EXPECT_EQ(code(blob_.size(), 4, &board), OCTET_INVALID_ARGUMENT) << "no such plan";
  EXPECT_EQ(code(blob_.size() - 1, 0, &board), OCTET_TRUNCATED);
  blob_[0] ^= 1;
  EXPECT_EQ(code(blob_.size(), 0, &board), OCTET_NOT_A_BLOB);
  board.size = 0;
  EXPECT_EQ(code(blob_.size(), 0, &board), OCTET_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace octet::test
