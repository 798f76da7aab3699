// octet-camera --temporal on a classifier that answers with its pixels.
#include <cstring>

#include "runtime/format/temporal_record.h"
#include "tests/ports/linux/camera_program/camera_fixture.h"
#include "tests/support/blob_builder.h"

namespace octet::test {
namespace {

// A classifier whose scores are the 48 bytes of a 4x4 picture, in int8 and negated twice in FP16,
// with this filter of its first layer, if any.
Blob MakeClassifier(const blob::TemporalLayerRecord* filter) {
  BlobBuilder b;
  std::vector<int8_t> same(256);
  for (int q = -128; q < 128; ++q) same[static_cast<size_t>(q + 128)] = static_cast<int8_t>(q);
  for (const auto type : {blob::ElementType::kInt8, blob::ElementType::kFp16}) {
    const bool int8 = type == blob::ElementType::kInt8;
    if (!int8) b.AddPlan("fp16", blob::Precision::kFp16);
    const BlobBuilder::Dims dims = {1, 4, 4, 3};
    constexpr float kStep = 1.0f / 255;
    const uint32_t x = b.AddInput("x", dims, type, kStep, -128);
    const uint32_t m = b.AddTensor(dims, type, kStep, -128, "m");
    const uint32_t y = b.AddTensor(dims, type, kStep, -128, "y");
    for (const auto& [from, to] : {std::pair{x, m}, std::pair{m, y}}) {
      blob::LayerRecord& layer = b.AddLayer(blob::Op::kUnary, {from}, to);
      if (int8) {
        layer.table = b.AddTable(same);
      } else {
        BlobBuilder::Params<blob::UnaryParams>(layer).function = blob::Function::kNeg;
      }
    }
    b.AddOutput("y", y);
  }
  b.input(0).is_image = 1;
  b.input(0).scale = 1.0f / 255;
  blob::DecodeRecord record{};
  record.class_count = 48;
  record.background = blob::kNone;
  record.class_activation = blob::Activation::kLinear;
  blob::DecodeLevel level{};
  level.grid_h = level.grid_w = 1;
  level.anchor_count = 1;
  level.scores = {0, 0, 0, 0, 0, 1};
  b.SetDecode(blob::Task::kClassify, record, {level}, {});
  if (filter != nullptr) {
    blob::TemporalRecord head{};
    head.record_bytes = head.layers_offset = sizeof(head);
    head.layer_count = 1;
    std::vector<uint8_t> section(sizeof(head) + sizeof(*filter));
    std::memcpy(section.data(), &head, sizeof(head));
    std::memcpy(section.data() + sizeof(head), filter, sizeof(*filter));
    b.AddSection(blob::SectionKind::kTemporal, section);
  }
  return b.Build();
}

// The mean of two frames.
blob::TemporalLayerRecord SomeFilter() {
  blob::TemporalLayerRecord record{};
  record.bytes = 48;
  record.frames = 2;
  record.cut = blob::kNone;
  record.weights[0] = 16384;
  record.gate = 255;
  return record;
}

class TemporalCamera : public Camera {
 protected:
  void Write(const Blob& blob) const {
    std::ofstream(Path("m.octet"), std::ios::binary)
        .write(reinterpret_cast<const char*>(blob.data()),
               static_cast<std::streamsize>(blob.size()));
  }
  // What the program says of frames of 4x4 pixels, by turns of these two levels; without times and
  // what a guard adds.
  std::vector<std::string> Answers(const std::vector<std::string>& more, char a, char b) {
    std::vector<std::string> arguments = {"--source", "-",   "--format", "rgb24",
                                          "--size",   "4x4", "--json",   "--every-frame"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Start(arguments);
    for (int frame = 0; frame < 20; ++frame) {
      std::string pixels(48, frame % 2 == 0 ? a : b);
      for (size_t i = 0; i < pixels.size(); i += 3) {
        pixels[i] = static_cast<char>(pixels[i] + static_cast<char>(i));
      }
      Send(pixels);
    }
    EXPECT_EQ(Finish(), 0) << Read("err");
    std::vector<std::string> found;
    for (auto line : Lines()) {
      if (line.contains("summary")) {
        summary_ = line["summary"];
        continue;
      }
      for (const char* name : {"time", "age_ms", "ms", "reason", "score", "temperature_c"}) {
        line.erase(name);
      }
      found.push_back(line.dump());
    }
    EXPECT_EQ(found.size(), 20u);
    return found;
  }
  // Classes and scores.
  static nlohmann::json Answer(const std::string& line) {
    return nlohmann::json::parse(line)["classes"];
  }
  nlohmann::json summary_;
};

TEST_F(TemporalCamera, IsOffUnlessAskedFor) {
  Write(MakeClassifier(nullptr));
  const std::vector<std::string> without = Answers({}, 10, 90);
  const blob::TemporalLayerRecord filter = SomeFilter();
  Write(MakeClassifier(&filter));
  EXPECT_EQ(Answers({}, 10, 90), without);
  EXPECT_FALSE(summary_.contains("temporal_layers"));
}

TEST_F(TemporalCamera, BlendsWhatMoves) {
  const blob::TemporalLayerRecord filter = SomeFilter();
  Write(MakeClassifier(&filter));
  const std::vector<std::string> still = Answers({}, 40, 40), moving = Answers({}, 10, 90);
  EXPECT_NE(Answer(moving[0]), Answer(moving[1]));
  EXPECT_EQ(Answers({"--temporal"}, 40, 40), still) << "what does not move stays as it is";
  EXPECT_EQ(summary_["temporal_layers"], 1);
  EXPECT_EQ(summary_["temporal_cuts"], 0);
  EXPECT_GT(summary_["temporal_bytes"], 48);
  const std::vector<std::string> blended = Answers({"--temporal"}, 10, 90);
  EXPECT_EQ(blended[0], moving[0]) << "nothing came before";
  // Two levels by turns: their mean from the second frame on, and so what a still picture of that
  // gives.
  const std::vector<std::string> middle = Answers({}, 50, 50);
  for (size_t i = 1; i < blended.size(); ++i) EXPECT_EQ(Answer(blended[i]), Answer(middle[0]));
  // A shadow run of the other plan is no frame of the stream.
  EXPECT_EQ(Answers({"--temporal", "--guard-set", "shadow_every=1,trip_score=0", "--thermal-root",
                     Path("none")},
                    10, 90),
            blended);
  EXPECT_GT(summary_["shadow_runs"], 0);
}

TEST_F(TemporalCamera, BeginsAnewAtCuts) {
  blob::TemporalLayerRecord filter = SomeFilter();
  filter.cut = 80 * 256;
  Write(MakeClassifier(&filter));
  const std::vector<std::string> moving = Answers({}, 10, 90);
  EXPECT_EQ(Answers({"--temporal"}, 10, 90), moving);
  EXPECT_EQ(summary_["temporal_cuts"], 19);
  ++filter.cut;
  Write(MakeClassifier(&filter));
  EXPECT_NE(Answers({"--temporal"}, 10, 90), moving);
  EXPECT_EQ(summary_["temporal_cuts"], 0);
}

TEST_F(TemporalCamera, Refusals) {
  Start({"--source", "-", "--temporal"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"), "octet-camera: --temporal: " + Path("m.octet") +
                             " has no temporal filters; convert the model with octet convert "
                             "--temporal (docs/temporal.md), or remove --temporal\n");
  blob::TemporalLayerRecord filter = SomeFilter();
  filter.frames = 11;
  Write(MakeClassifier(&filter));
  Start({"--source", "-", "--temporal"});
  EXPECT_EQ(Finish(), 2);
  EXPECT_EQ(Read("err"), "octet-camera: --temporal: the temporal section of " + Path("m.octet") +
                             " is malformed; convert the model again\n");
}

}  // namespace
}  // namespace octet::test
