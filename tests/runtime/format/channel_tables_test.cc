// Format 1.2: a unary layer with a table index for every channel.
#include <algorithm>
#include <cstring>

#include "gtest/gtest.h"
#include "octet/octet.h"
#include "tests/support/blob_builder.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using blob::ElementType;

// Two tables, [0, 1, 1] for 3 channels: x + 1 and -x.
Blob MakeBlob() {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 2, 3}, ElementType::kInt8, 1.0f, 0);
  const uint32_t y = b.AddTensor({1, 1, 2, 3}, ElementType::kInt8, 1.0f, 0, "y");
  std::vector<int8_t> tables(512);
  for (int q = -128; q < 128; ++q) {
    tables[static_cast<size_t>(q + 128)] = static_cast<int8_t>(std::min(q + 1, 127));
    tables[static_cast<size_t>(256 + q + 128)] = static_cast<int8_t>(std::min(-q, 127));
  }
  blob::LayerRecord& layer = b.AddLayer(blob::Op::kUnary, {x}, y, "tables");
  layer.table = b.AddTable(tables);
  layer.extra = b.AddTable(std::vector<uint8_t>{0, 1, 1});
  b.AddOutput("y", y);
  return b.Build();
}

uint32_t U32(const Blob& blob, size_t at) {
  uint32_t value;
  std::memcpy(&value, blob.data() + at, sizeof(value));
  return value;
}

// Sections: model, plan, strings, tables. Layer 0 behind two tensors.
constexpr size_t kSections = 128, kPlanEntry = kSections + 64, kTablesEntry = kSections + 3 * 64;

size_t LayerOf(const Blob& blob) {
  const size_t plan = U32(blob, kPlanEntry + 8);
  return plan + U32(blob, plan + 12);
}

TEST(ChannelTables, BytesStandWhereThePageSays) {
  const Blob blob = MakeBlob();
  EXPECT_EQ(blob[32], 4);  // required feature bit 2
  const size_t layer = LayerOf(blob);
  EXPECT_EQ(U32(blob, layer + 48), 0u);  // table
  EXPECT_EQ(U32(blob, layer + 52), 512u);
  EXPECT_EQ(U32(blob, layer + 56), 512u);  // extra
  EXPECT_EQ(U32(blob, layer + 60), 3u);
  for (const octet_isa isa : RunnableLevels()) {
    TestSession session(blob, {.isa = isa});
    ASSERT_EQ(session.status().code, OCTET_OK);
    session.SetInput(0, {5, 5, -128, 127, -3, 2});
    octet_run(session.get());
    EXPECT_EQ(session.Output(0), (std::vector<float>{6, -5, 127, 127, 3, -2}));
  }
}

TEST(ChannelTables, RulesOfTheRecord) {
  const Blob good = MakeBlob();
  const size_t layer = LayerOf(good), tables = U32(good, kTablesEntry + 8);
  const auto refuses = [&good](size_t at, uint8_t value) {
    Blob blob = good;
    blob[at] = value;
    Rehash(blob);
    return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_PORTABLE).code != OCTET_OK;
  };
  EXPECT_FALSE(refuses(tables + 512, 1)) << "another table";
  EXPECT_TRUE(refuses(32, 0)) << "without the required feature";
  EXPECT_TRUE(refuses(tables + 514, 2)) << "no such table";
  EXPECT_TRUE(refuses(layer + 53, 1)) << "a table less than an index names";
  EXPECT_TRUE(refuses(layer + 60, 2)) << "a channel without an index";
  EXPECT_TRUE(refuses(layer + 56, 4)) << "beyond the section";
}

}  // namespace
}  // namespace octet::test
