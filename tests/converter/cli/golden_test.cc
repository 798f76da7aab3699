// octet convert --golden: what the blob says of itself holds on every level, and a weight that is
// another one shows.
#include <algorithm>
#include <cstring>

#include "converter/sections/golden/golden_inputs.h"
#include "converter/support/error.h"
#include "octet/self_test.h"
#include "runtime/format/golden.h"
#include "tests/converter/cli/cli_support.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

class Golden : public Cli {
 protected:
  Blob Make(const std::string& model, const std::string& data,
            const std::vector<std::string>& more) const {
    std::vector<std::string> arguments = {"convert",         Path(model),   "-o",
                                          Path("out.octet"), "--calibrate", Path(data)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = Octet(arguments);
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string text = ReadText("out.octet");
    return Blob(text.begin(), text.end());
  }
  static octet_self_test_result RunTest(octet_session* session, octet_code expected) {
    AlignedBytes memory(octet_golden_bytes(session) + 1);
    octet_self_test_result result{};
    EXPECT_EQ(octet_self_test(session, memory.data(), &result).code, expected);
    return result;
  }
  // Of every plan on every level.
  static void ExpectPasses(const Blob& blob, uint32_t vectors) {
    for (const octet_isa isa : RunnableLevels()) {
      TestSession session(blob, {.isa = isa, .threads = 2});
      ASSERT_EQ(session.status().code, OCTET_OK);
      EXPECT_EQ(octet_golden_count(session.get()), vectors);
      for (uint32_t plan = 0; plan < octet_plan_count(session.get()); ++plan) {
        octet_set_plan(session.get(), plan);
        EXPECT_EQ(RunTest(session.get(), OCTET_OK).vectors, vectors) << octet_isa_name(isa);
      }
      session.ExpectGuardsIntact();
    }
  }
  // The kind of a vector's first input.
  static blob::GoldenKind KindOf(const Blob& blob, GoldenView* golden, BlobView* view) {
    EXPECT_TRUE(IsOk(ViewBlob(blob.data(), blob.size(), view)));
    EXPECT_TRUE(IsOk(ViewGolden(*view, golden)));
    return golden->inputs[0].kind;
  }
};

TEST_F(Golden, PicturesPassOnEveryLevelAndThreadCount) {
  const Blob plain = Make("m.onnx", "c.npy", {});
  const Blob blob = Make("m.onnx", "c.npy", {"--golden", "4"});
  ExpectPasses(blob, 4);
  BlobView view, plain_view;
  GoldenView golden;
  EXPECT_EQ(KindOf(blob, &golden, &view), blob::GoldenKind::kPicture);
  EXPECT_EQ(golden.inputs[0].height, 8u);
  EXPECT_EQ(golden.inputs[0].channels, 3u);
  // The samples at equal distances: 0, 8, 16 and 24 of 32, whole, as they are smaller than a crop.
  const std::string file = ReadText("c.npy");
  for (uint32_t v = 0; v < 4; ++v) {
    const blob::GoldenInput& input = GoldenInputOf(golden, v, 0);
    EXPECT_EQ(std::memcmp(golden.section.data + input.offset,
                          file.data() + (file.size() - 32 * 192) + v * 8 * 192, 192),
              0);
  }
  // Nothing else of the blob is another.
  ASSERT_TRUE(IsOk(ViewBlob(plain.data(), plain.size(), &plain_view)));
  ASSERT_EQ(view.header->section_count, plain_view.header->section_count + 1);
  for (uint32_t i = 0; i < plain_view.header->section_count; ++i) {
    EXPECT_EQ(
        std::memcmp(SectionAt(plain_view.header, i)->sha256, SectionAt(view.header, i)->sha256, 32),
        0);
  }
  EXPECT_LT(golden.section.bytes, 4 * (192 + 40 + 2 * 32) + 64u);
  EXPECT_EQ(Make("m.onnx", "c.npy", {"--golden", "4", "--threads", "1"}), blob);
}

TEST_F(Golden, TheMiddleOfALargePicture) {
  WriteNpy("large.npy", "|u1", {2, 100, 90, 3});
  const Blob blob = Make("m.onnx", "large.npy", {"--golden", "64"});
  BlobView view;
  GoldenView golden;
  KindOf(blob, &golden, &view);
  ASSERT_EQ(golden.record->vector_count, 2u) << "as many as there are";
  const blob::GoldenInput& input = GoldenInputOf(golden, 1, 0);
  EXPECT_EQ(input.height, 64u);
  EXPECT_EQ(input.width, 64u);
  const std::string file = ReadText("large.npy");
  const size_t picture = 100 * 90 * 3, row = 90 * 3;
  const char* second = file.data() + file.size() - picture;
  for (size_t y = 0; y < 64; ++y) {
    ASSERT_EQ(std::memcmp(golden.section.data + input.offset + y * 192,
                          second + (18 + y) * row + 13 * 3, 192),
              0)
        << y;
  }
  ExpectPasses(blob, 2);
}

TEST_F(Golden, FloatsAreKeptWhereTheyAreFewAndDrawnWhereNot) {
  OnnxBuilder small;
  small.Input("x", {1, 6}).Gemm(5).Relu().Output("y");
  small.Save(Path("small.onnx"));
  WriteNpy("small.npy", "<f4", {8, 6});
  Blob blob = Make("small.onnx", "small.npy", {"--golden", "3"});
  BlobView view;
  GoldenView golden;
  EXPECT_EQ(KindOf(blob, &golden, &view), blob::GoldenKind::kValues);
  ExpectPasses(blob, 3);

  OnnxBuilder large;
  large.Input("x", {1, 5, 60, 60})
      .WithChannels(5)
      .Conv({.channels = 4, .kernel = 3})
      .Relu()
      .Output("y");
  large.Save(Path("large.onnx"));
  WriteNpy("large.npy", "<f4", {3, 5, 60, 60});
  blob = Make("large.onnx", "large.npy", {"--golden", "2"});
  EXPECT_EQ(KindOf(blob, &golden, &view), blob::GoldenKind::kGenerated);
  EXPECT_EQ(golden.inputs[0].low, 0.0f);
  EXPECT_EQ(golden.inputs[0].high, 1.0f);
  EXPECT_NE(golden.inputs[0].seed, golden.inputs[1].seed);
  ExpectPasses(blob, 2);
  // Two vectors that are drawn differ.
  EXPECT_NE(std::memcmp(GoldenDigestOf(golden, 0, 0, 0), GoldenDigestOf(golden, 0, 1, 0), 32), 0);
}

// Samples of a blob as data sets: those it was calibrated with, as the model takes them.
TEST_F(Golden, AreReadBackAsData) {
  const auto graph_of = [](const graph::Shape& shape) {
    graph::Graph graph;
    graph.inputs = {graph.AddValue({"x", graph::DataType::kFloat, shape, {}, {}})};
    return graph;
  };
  OnnxBuilder small;
  small.Input("x", {1, 6}).Gemm(5).Relu().Output("y");
  small.Save(Path("small.onnx"));
  WriteNpy("small.npy", "<f4", {8, 6});
  Make("small.onnx", "small.npy", {"--golden", "4"});
  const auto values = sections::GoldenInputs(Path("out.octet"), graph_of({1, 6}), {});
  ASSERT_EQ(values.size(), 1u);
  ASSERT_EQ(values[0]->size(), 4);
  const std::string file = ReadText("small.npy");
  for (int64_t i = 0; i < 4; ++i) {
    const graph::Tensor sample = values[0]->Load(i);
    EXPECT_EQ(sample.shape, graph::Shape({1, 6}));
    const char* row = file.data() + (file.size() - 8 * 24) + i * 2 * 24;
    EXPECT_EQ(std::memcmp(sample.floats.data(), row, 24), 0) << i;
  }
  EXPECT_EQ(values[0]->SourceChannels(), 0);

  Make("m.onnx", "c.npy", {"--golden", "2"});
  images::Preprocess scaled;
  const auto pictures = sections::GoldenInputs(Path("out.octet"), graph_of({1, 3, 8, 8}), scaled);
  ASSERT_EQ(pictures.size(), 1u);
  ASSERT_EQ(pictures[0]->size(), 2);
  EXPECT_EQ(pictures[0]->SourceChannels(), 3);
  const std::string bytes = ReadText("c.npy");
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(pictures[0]->Picture(i).height, 8u);
    EXPECT_EQ(pictures[0]->Picture(i).width, 8u);
    const images::Image image = pictures[0]->Pixels(i);
    ASSERT_EQ(image.pixels.size(), 192u);
    const char* at = bytes.data() + (bytes.size() - 32 * 192) + i * 16 * 192;
    EXPECT_EQ(std::memcmp(image.pixels.data(), at, 192), 0) << i;
    EXPECT_EQ(pictures[0]->Load(i).shape, graph::Shape({1, 3, 8, 8}));
  }
  Make("m.onnx", "c.npy", {});
  EXPECT_THROW(sections::GoldenInputs(Path("out.octet"), graph_of({1, 3, 8, 8}), {}), UserError);
}

// Hashes fit what is there, a level computes as it should: the golden vectors alone can tell.
TEST_F(Golden, AWeightThatIsAnotherShows) {
  const Blob good = Make("m.onnx", "c.npy", {"--golden", "2"});
  BlobView view;
  ASSERT_TRUE(IsOk(ViewBlob(good.data(), good.size(), &view)));
  for (const auto& [section, plan] : {std::pair{view.weights_s8, 0u}, {view.weights_f16, 1u}}) {
    Blob bad = good;
    ASSERT_NE(section.data, nullptr);
    bad[section.offset] ^= 0x40;  // the first weight of the first layer
    Rehash(bad);
    ASSERT_EQ(octet_validate(bad.data(), bad.size(), OCTET_VERIFY_PORTABLE).code, OCTET_OK);
    TestSession session(bad, {});
    octet_set_plan(session.get(), plan);
    const octet_self_test_result result = RunTest(session.get(), OCTET_CORRUPT);
    EXPECT_EQ(result.vector, 0u);
    EXPECT_EQ(result.output, 0u);
    EXPECT_NE(std::memcmp(result.expected, result.found, 32), 0);
    octet_set_plan(session.get(), 1 - plan);
    RunTest(session.get(), OCTET_OK);
  }
}

TEST_F(Golden, WhatIsSaidOfThem) {
  ASSERT_EQ(Convert("m.onnx", {"--golden", "4"}).status, 0);
  EXPECT_NE(Octet({"inspect", Path("out.octet")}).out.find("4 golden vectors\n"),
            std::string::npos);
  EXPECT_NE(Octet({"inspect", Path("out.octet"), "--json"}).out.find("\"golden\": 4"),
            std::string::npos);
  EXPECT_EQ(Convert("m.onnx", {"--golden", "65"}).status, 2);
  EXPECT_EQ(Convert("m.onnx", {"--golden", "-1"}).status, 2);
  ASSERT_EQ(Convert("m.onnx", {"--golden", "0"}).status, 0);
  EXPECT_EQ(Octet({"inspect", Path("out.octet")}).out.find("golden vectors"), std::string::npos);
}

}  // namespace
}  // namespace octet::test
