// Where two blobs differ first.
#include <gtest/gtest.h>

#include "converter/cli/rebuild.h"
#include "tests/support/blob_builder.h"

namespace octet::test {
namespace {

struct Made {
  float scale = 0.5f;
  uint8_t parameter = 0;  // the layer's first
  std::vector<uint8_t> table = {1, 2, 3, 4};
  uint64_t counter = 0, features = 0;
  const char* board = "";
  bool more = false;  // a section

  blobs::BlobFile Blob() const {
    BlobBuilder builder;
    const uint32_t x = builder.AddInput("x", {1, 2, 2, 4});
    const uint32_t t = builder.AddTensor({1, 2, 2, 4}, blob::ElementType::kInt8, scale, 0, "t");
    blob::LayerRecord& layer = builder.AddLayer(blob::Op::kReshape, {x}, t, "l");
    layer.params.bytes[0] = parameter;
    layer.table = builder.AddTable(table);
    builder.AddOutput("y", t);
    if (more) builder.AddSection(blob::SectionKind::kGolden, {1, 2});
    const AlignedBytes bytes = builder.Build();
    std::vector<uint8_t> copy(bytes.begin(), bytes.end());
    auto* header = reinterpret_cast<blob::Header*>(copy.data());
    header->security_counter = counter;
    header->optional_features = features;
    std::copy(board, board + std::string_view(board).size(), header->board);
    return blobs::BlobFile(copy);
  }
};

TEST(FirstDifference, NamesPlanTensorLayerOrByte) {
  struct Row {
    Made made;
    const char* says;
  };
  const std::vector<uint8_t> bytes = {1, 9, 3, 8}, longer = {1, 2, 3, 4, 5};
  const Made same;
  EXPECT_EQ(cli::FirstDifference(same.Blob(), same.Blob()), "");
  for (const Row& row : {
           Row{{.scale = 0.25f},
               "plan int8: tensor 1 't': scale 0.5 and zero point 0, rebuilt 0.25 and 0"},
           Row{{.parameter = 1}, "plan int8: layer 0 'l'"},
           Row{{.table = bytes}, "tables: 2 of 4 bytes, the first at offset 1 of the section"},
           Row{{.table = longer}, "plan int8: layer 0 'l'"},
           Row{{.counter = 3}, "header: security counter 0, rebuilt 3"},
           Row{{.features = 1u << 20}, "header: features"},
           Row{{.board = "b"}, "header: board"},
           Row{{.more = true}, "golden: only in the rebuilt blob"},
       }) {
    EXPECT_EQ(cli::FirstDifference(same.Blob(), row.made.Blob()), row.says);
  }
}

}  // namespace
}  // namespace octet::test
