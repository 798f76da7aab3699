// Every rule of header, section table and model section: code and offset of the refusal, and the
// last value that a limit lets pass.
#include <cmath>
#include <limits>

#include "tests/runtime/format/refusals.h"
#include "tests/support/mixed_blob.h"

namespace octet::test {
namespace {

using R = Records;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Sections of the mixed blob.
enum : uint32_t { kModel, kPlan0, kPlan1, kStrings, kLabels, kDecode, kTables, kWeights };

TEST(Refusals, Header) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"magic", [](R& r) -> const void* { return r.header().magic[7] ^= 1, r.base(); },
           OCTET_NOT_A_BLOB},
          {"older",
           [](R& r) -> const void* {
             return --r.header().version_major, &r.header().version_major;
           },
           OCTET_UNSUPPORTED_VERSION},
          {"newer",
           [](R& r) -> const void* {
             return ++r.header().version_major, &r.header().version_major;
           },
           OCTET_UNSUPPORTED_VERSION},
          {"unknown feature",
           [](R& r) -> const void* {
             r.header().required_features |= 2;
             return &r.header().required_features;
           },
           OCTET_UNSUPPORTED_VERSION},
          {"longer than the memory",
           [](R& r) -> const void* { return ++r.header().file_bytes, &r.header().file_bytes; },
           OCTET_TRUNCATED},
          {"short header",
           [](R& r) -> const void* {
             r.header().header_bytes = r.header().section_table_offset = sizeof(blob::Header) - 8;
             return &r.header().header_bytes;
           }},
          {"long header",
           [](R& r) -> const void* {
             r.header().header_bytes = 4104;
             return &r.header().header_bytes;
           }},
          {"longest header",
           [](R& r) -> const void* {
             r.header().header_bytes = 4096;
             return &r.header().section_table_offset;
           }},
          {"odd header",
           [](R& r) -> const void* {
             r.header().header_bytes = 132;
             return &r.header().header_bytes;
           }},
          {"table behind the header",
           [](R& r) -> const void* {
             r.header().section_table_offset += 8;
             return &r.header().section_table_offset;
           }},
          {"short entries",
           [](R& r) -> const void* {
             r.header().section_entry_bytes = sizeof(blob::Section) - 8;
             return &r.header().section_entry_bytes;
           }},
          {"long entries",
           [](R& r) -> const void* {
             r.header().section_entry_bytes = 4104;
             return &r.header().section_entry_bytes;
           }},
          {"longest entries",
           [](R& r) -> const void* {
             r.header().section_entry_bytes = 4096;
             r.header().section_count = 32;
             return &r.header().section_count;
           }},
          {"odd entries",
           [](R& r) -> const void* {
             r.header().section_entry_bytes = 68;
             return &r.header().section_entry_bytes;
           }},
          {"small alignment",
           [](R& r) -> const void* {
             r.header().section_alignment = 32;
             return &r.header().section_alignment;
           }},
          {"smallest alignment",
           [](R& r) -> const void* {
             r.header().section_alignment = 64;
             return &r.section(0).offset;
           }},
          {"large alignment",
           [](R& r) -> const void* {
             r.header().section_alignment = 8192;
             return &r.header().section_alignment;
           }},
          {"alignment of no power of two",
           [](R& r) -> const void* {
             r.header().section_alignment = 96;
             return &r.header().section_alignment;
           }},
          {"no section",
           [](R& r) -> const void* {
             r.header().section_count = 0;
             return &r.header().section_count;
           }},
          {"most sections",
           [](R& r) -> const void* {
             const uint32_t count = r.header().section_count;
             r.header().section_count = 32;
             return &r.section(count).offset;
           }},
          {"too many sections",
           [](R& r) -> const void* {
             r.header().section_count = 33;
             return &r.header().section_count;
           }},
          {"table behind the end",
           [](R& r) -> const void* {
             r.header().file_bytes = sizeof(blob::Header) + 9 * sizeof(blob::Section) - 1;
             return &r.header().section_count;
           }},
          {"table to the end",
           [](R& r) -> const void* {
             r.header().file_bytes = sizeof(blob::Header) + 9 * sizeof(blob::Section);
             return &r.section(0).bytes;
           }},
      });
  const Blob good = MakeMixedBlob();
  const octet_status status =
      octet_validate(good.data(), sizeof(blob::Header) - 1, OCTET_VERIFY_NONE);
  EXPECT_EQ(status.code, OCTET_TRUNCATED);
  EXPECT_EQ(status.offset, 0u);
}

TEST(Refusals, Sections) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"a gap",
           [](R& r) -> const void* { return r.section(1).offset += 64, &r.section(1).offset; }},
          {"before the table's end",
           [](R& r) -> const void* { return r.section(0).offset = 0, &r.section(0).offset; }},
          {"behind the end",
           [](R& r) -> const void* { return ++r.last_section().bytes, &r.last_section().bytes; }},
          {"flags",
           [](R& r) -> const void* { return r.section(3).flags = 1, &r.section(3).flags; }},
          {"a tail",
           [](R& r) -> const void* { return --r.last_section().bytes, &r.header().file_bytes; }},
          {"index of one that is alone",
           [](R& r) -> const void* {
             r.section(kModel).index = 1;
             return &r.section(kModel).index;
           }},
          {"index of the weights",
           [](R& r) -> const void* {
             r.section(kWeights).index = 1;
             return &r.section(kWeights).index;
           }},
          {"index of a plan",
           [](R& r) -> const void* {
             r.section(kPlan1).index = blob::kMaxPlans;
             return &r.section(kPlan1).index;
           }},
          {"last index of a plan",
           [](R& r) -> const void* {
             r.section(kPlan1).index = blob::kMaxPlans - 1;
             return &r.model().plan_count;
           }},
          {"two of a plan",
           [](R& r) -> const void* { return r.section(kPlan1).index = 0, &r.section(kPlan1); }},
          {"two of a kind",
           [](R& r) -> const void* {
             r.section(kTables).kind = blob::SectionKind::kStrings;
             return &r.section(kTables);
           }},
          {"no model",
           [](R& r) -> const void* {
             r.section(kModel).kind = blob::SectionKind::kReport;
             return &r.section(0);
           }},
          {"no strings",
           [](R& r) -> const void* {
             r.section(kStrings).kind = blob::SectionKind::kReport;
             return &r.section(0);
           }},
      });
}

TEST(Refusals, ArraysOfTheModel) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"no record",
           [](R& r) -> const void* {
             return r.section(kModel).bytes = sizeof(blob::ModelRecord) - 1, &r.model();
           }},
          {"the record alone",
           [](R& r) -> const void* {
             r.section(kModel).bytes = sizeof(blob::ModelRecord);
             return &r.model().input_count;
           }},
          {"inputs not aligned",
           [](R& r) -> const void* {
             return r.model().inputs_offset += 2, &r.model().input_count;
           }},
          {"inputs behind the end",
           [](R& r) -> const void* {
             r.model().inputs_offset = r.section(kModel).bytes;
             return &r.model().input_count;
           }},
          {"no output",
           [](R& r) -> const void* { return r.model().output_count = 0, &r.model().output_count; }},
          {"outputs not aligned",
           [](R& r) -> const void* {
             return r.model().outputs_offset += 2, &r.model().output_count;
           }},
          {"outputs behind the end",
           [](R& r) -> const void* {
             r.model().outputs_offset = r.section(kModel).bytes;
             return &r.model().output_count;
           }},
          {"no plan",
           [](R& r) -> const void* { return r.model().plan_count = 0, &r.model().plan_count; }},
          {"too many plans",
           [](R& r) -> const void* {
             r.model().plan_count = blob::kMaxPlans + 1;
             r.model().plans_offset = 0;  // anything would do
             return &r.model().plan_count;
           }},
          {"plans not aligned",
           [](R& r) -> const void* { return r.model().plans_offset += 4, &r.model().plan_count; }},
          {"plans behind the end",
           [](R& r) -> const void* {
             r.model().plans_offset = r.section(kModel).bytes / 8 * 8;
             return &r.model().plan_count;
           }},
          {"a plan without its section",
           [](R& r) -> const void* { return ++r.model().plan_count, &r.model().plan_count; }},
          {"a section without its plan",
           [](R& r) -> const void* { return --r.model().plan_count, &r.model().plan_count; }},
          {"numbers not aligned",
           [](R& r) -> const void* {
             return r.model().plan_io_offset += 2, &r.model().plan_io_count;
           }},
          {"numbers behind the end",
           [](R& r) -> const void* {
             return r.model().plan_io_count += 1000, &r.model().plan_io_count;
           }},
          {"parts not aligned",
           [](R& r) -> const void* { return r.model().parts_offset -= 2, &r.model().part_count; }},
          {"parts behind the end by a byte",
           [](R& r) -> const void* { return --r.section(kModel).bytes, &r.model().part_count; }},
          {"first string is not empty",
           [](R& r) -> const void* { return r.strings()[0] = 'a', r.strings(); }},
          {"last string has no end",
           [](R& r) -> const void* {
             return r.strings()[r.strings_bytes() - 1] = 'a', r.strings();
           }},
          {"one empty string",
           [](R& r) -> const void* { return r.section(kStrings).bytes = 1, &r.model(); }},
          {"labels counted wrong",
           [](R& r) -> const void* { return ++r.model().label_count, &r.model().label_count; }},
          {"last label has no end",
           [](R& r) -> const void* {
             r.labels()[3] = 'c';
             --r.model().label_count;
             return r.labels();
           }},
          {"name",
           [](R& r) -> const void* { return r.model().name = r.strings_bytes(), &r.model(); }},
          {"name at the end",
           [](R& r) -> const void* { return r.model().name = r.strings_bytes() - 1, nullptr; }},
      });
}

TEST(Refusals, Inputs) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"name",
           [](R& r) -> const void* { return r.input().name = r.strings_bytes(), &r.input(); }},
          {"rank", [](R& r) -> const void* { return r.input().rank = 9, &r.input().rank; }},
          {"highest rank",
           [](R& r) -> const void* {
             r.input().rank = 8;
             for (uint32_t d = 4; d < 8; ++d) r.input().dims[d] = 1;
             return nullptr;
           }},
          {"empty dim", [](R& r) -> const void* { return r.input().dims[2] = 0, &r.input().dims; }},
          {"too large",
           [](R& r) -> const void* {
             r.input().rank = 2;
             r.input().dims[1] = 0x80000000u;
             return &r.input().dims;
           }},
          {"largest, but not the tensor's",
           [](R& r) -> const void* {
             r.input().rank = 2;
             r.input().dims[1] = 0x7FFFFFFFu;
             return &r.input().strides;
           }},
          {"picture or not",
           [](R& r) -> const void* { return r.input().is_image = 2, &r.input().is_image; }},
          {"no picture, but boxes to decode",
           [](R& r) -> const void* {
             r.input().is_image = 0;
             r.input().scale = kInfinity;  // not read
             return &r.decode();
           }},
          {"colour",
           [](R& r) -> const void* {
             r.input().colour = static_cast<blob::ColourOrder>(2);
             return &r.input().colour;
           }},
          {"last colour",
           [](R& r) -> const void* { return r.input().colour = blob::ColourOrder::kBgr, nullptr; }},
          {"resize",
           [](R& r) -> const void* {
             r.input().resize = static_cast<blob::ResizeMode>(3);
             return &r.input().resize;
           }},
          {"last resize",
           [](R& r) -> const void* { return r.input().resize = blob::ResizeMode::kCrop, nullptr; }},
          {"scale",
           [](R& r) -> const void* { return r.input().scale = kInfinity, &r.input().scale; }},
          {"mean",
           [](R& r) -> const void* { return r.input().mean[2] = std::nanf(""), &r.input().mean; }},
          {"deviation is not finite",
           [](R& r) -> const void* {
             return r.input().std_dev[2] = kInfinity, &r.input().std_dev;
           }},
          {"deviation of zero",
           [](R& r) -> const void* { return r.input().std_dev[2] = 0, &r.input().std_dev; }},
      });
}

TEST(Refusals, OutputsAndPlans) {
  ExpectRefusals(
      MakeMixedBlob(),
      {
          {"name of an output",
           [](R& r) -> const void* { return r.output(1).name = r.strings_bytes(), &r.output(1); }},
          {"rank", [](R& r) -> const void* { return r.output(1).rank = 9, &r.output(1).rank; }},
          {"highest rank",
           [](R& r) -> const void* {
             r.output(1).rank = 8;
             for (uint32_t d = 3; d < 8; ++d) r.output(1).dims[d] = 1;
             return nullptr;
           }},
          {"empty dim",
           [](R& r) -> const void* { return r.output(1).dims[1] = 0, &r.output(1).dims; }},
          {"elements",
           [](R& r) -> const void* {
             return ++r.output(1).element_count, &r.output(1).element_count;
           }},
          {"name of a plan",
           [](R& r) -> const void* { return r.plan(1).name = r.strings_bytes(), &r.plan(1); }},
          {"precision",
           [](R& r) -> const void* {
             r.plan(1).precision = static_cast<blob::Precision>(2);
             return &r.plan(1).precision;
           }},
          {"arena",
           [](R& r) -> const void* {
             return r.plan(1).arena_bytes = 0x80000000u, &r.plan(1).arena_bytes;
           }},
          {"largest arena",
           [](R& r) -> const void* { return r.plan(1).arena_bytes = 0x7FFFFFFFu, nullptr; }},
          {"inputs behind the end",
           [](R& r) -> const void* {
             r.plan(1).first_input = r.model().plan_io_count;
             return &r.plan(1).first_input;
           }},
          {"inputs to the end, which are no inputs",
           [](R& r) -> const void* {
             r.plan(1).first_input = r.model().plan_io_count - 1;
             return &r.input();
           }},
          {"outputs behind the end",
           [](R& r) -> const void* { return ++r.plan(1).first_range, &r.plan(1).first_range; }},
          {"layers",
           [](R& r) -> const void* {
             return r.plan(1).layer_count = 8193, &r.plan(1).layer_count;
           }},
          {"most layers, which are not there",
           [](R& r) -> const void* {
             return r.plan(1).layer_count = 8192, &r.plan_header(1).layer_count;
           }},
          {"no tensor",
           [](R& r) -> const void* { return r.plan(1).tensor_count = 0, &r.plan(1).tensor_count; }},
          {"tensors",
           [](R& r) -> const void* {
             return r.plan(1).tensor_count = 8193, &r.plan(1).tensor_count;
           }},
          {"most tensors, which are not there",
           [](R& r) -> const void* {
             return r.plan(1).tensor_count = 8192, &r.plan_header(1).tensor_count;
           }},
          {"an output without parts",
           [](R& r) -> const void* {
             const uint32_t pair = r.plan(1).first_range + 2;
             return r.plan_io(pair + 1) = 0, &r.plan_io(pair);
           }},
          {"parts behind the end",
           [](R& r) -> const void* {
             const uint32_t pair = r.plan(1).first_range + 2;
             return ++r.plan_io(pair), &r.plan_io(pair);
           }},
          {"parts of the first output",
           [](R& r) -> const void* {
             const uint32_t pair = r.plan(0).first_range;
             return r.plan_io(pair) = r.model().part_count, &r.plan_io(pair);
           }},
      });
}

// count inputs, each an output; and behind them outputs of more parts.
Blob MakeWide(uint32_t inputs, uint32_t parts) {
  BlobBuilder b;
  for (uint32_t i = 0; i + 1 < inputs; ++i) b.AddOutput("y", b.AddInput("x", {1, 1, 1, 1}));
  const uint32_t x = b.AddInput("x", {1, 1, 1, 1});
  std::vector<blob::OutputPart> all(parts);
  for (uint32_t i = 0; i < parts; ++i) all[i].tensor = x, all[i].base = i;
  b.AddOutput("all", {parts}, all);
  return b.Build();
}

TEST(Refusals, CountsAtTheirLimits) {
  const auto status = [](const Blob& blob) {
    return octet_validate(blob.data(), blob.size(), OCTET_VERIFY_NONE);
  };
  EXPECT_EQ(status(MakeWide(64, 1024 - 63)).code, OCTET_OK);
  const Blob inputs = MakeWide(65, 1), parts = MakeWide(1, 1025), together = MakeWide(64, 962);
  const uint32_t model = SectionAt(reinterpret_cast<const blob::Header*>(inputs.data()), 0)->offset;
  EXPECT_EQ(status(inputs).code, OCTET_MALFORMED);
  EXPECT_EQ(status(inputs).offset, model + offsetof(blob::ModelRecord, input_count));
  for (const Blob* blob : {&parts, &together}) {
    EXPECT_EQ(status(*blob).code, OCTET_MALFORMED);
    EXPECT_EQ(status(*blob).offset, model + offsetof(blob::ModelRecord, part_count));
  }
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 1, 1});
  for (uint32_t i = 0; i < 64; ++i) b.AddOutput("y", x);
  EXPECT_EQ(status(b.Build()).code, OCTET_OK);
  b.AddOutput("y", x);
  const Blob outputs = b.Build();
  EXPECT_EQ(status(outputs).code, OCTET_MALFORMED);
  EXPECT_EQ(status(outputs).offset, model + offsetof(blob::ModelRecord, output_count));
}

// Ranges of parts may overlap, so that their sum has the limit, too.
TEST(Refusals, PartsOfAPlanTogether) {
  BlobBuilder b;
  const uint32_t x = b.AddInput("x", {1, 1, 1, 1});
  std::vector<blob::OutputPart> all(1023);
  for (uint32_t i = 0; i < 1023; ++i) all[i].tensor = x, all[i].base = i;
  b.AddOutput("a", {1023}, all);
  b.AddOutput("b", x);
  ExpectRefusals(b.Build(), {{"one more", [](Records& r) -> const void* {
                                const uint32_t pair = r.plan().first_range + 2;
                                r.plan_io(pair) = 0;
                                r.plan_io(pair + 1) = 2;
                                return &r.plan_io(pair);
                              }}});
}

}  // namespace
}  // namespace octet::test
