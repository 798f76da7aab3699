// The judge of a blob, and what a search asks of plans, on networks of a few layers.
#include "converter/judge/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>

#include "converter/decode/spec.h"
#include "converter/judge/answers.h"
#include "converter/judge/measure/boxes.h"
#include "converter/judge/reference.h"
#include "converter/judge/section_decoder.h"
#include "converter/support/error.h"
#include "tests/converter/lower/convert_in_process.h"

namespace octet::judge {
namespace {

using test::OnnxBuilder;
using test::OnnxValue;
using Numbers = std::vector<std::vector<float>>;  // by output

// A blob, the graph that it is judged against, and data.
struct Judged {
  graph::Graph imported;
  write::ModelInfo info;
  test::Blob blob;
  std::unique_ptr<test::RandomDataset> data;

  // Both of one model; or the blob of a model whose weights or constants are others.
  Judged(const OnnxBuilder& model, const OnnxBuilder& blobs, blob::Task task,
         const std::optional<decode::Spec>& spec = std::nullopt) {
    test::Converted converted = test::ConvertInProcess(blobs, 1, 64);
    imported = test::ConvertInProcess(model, 1, 1).original;
    const graph::Shape& shape = *imported.At(imported.inputs[0]).shape;
    data = std::make_unique<test::RandomDataset>(shape, 5, 256);
    info.name = "judged";
    info.task = task;
    decode::Ports ports;
    for (const graph::ValueId id : converted.graph.inputs) {
      info.inputs.push_back({converted.graph.At(id).name, *converted.graph.At(id).shape, true});
      ports.inputs.push_back({converted.graph.At(id).name, *converted.graph.At(id).shape, true});
    }
    for (const graph::ValueId id : converted.graph.outputs) {
      info.outputs.push_back({converted.graph.At(id).name, *converted.graph.At(id).shape, false});
      ports.outputs.push_back({converted.graph.At(id).name, *converted.graph.At(id).shape});
    }
    if (task != blob::Task::kNone) info.decode = decode::DecodeSection(task, spec, ports);
    const std::vector<uint8_t> bytes = write::WriteBlob(info, converted.plans);
    blob.assign(bytes.begin(), bytes.end());
  }

  Case Given(int64_t samples) const {
    Case given;
    given.imported = &imported;
    given.blob = blob.data();
    given.blob_bytes = blob.size();
    given.inputs = {data.get()};
    for (int64_t i = 0; i < samples; ++i) given.samples.push_back(i);
    return given;
  }
  Asked Ask(int64_t samples, int threads = 1) const {
    Asked asked;
    asked.inputs = {data.get()};
    for (int64_t i = 0; i < samples; ++i) asked.samples.push_back(i);
    asked.threads = threads;
    return asked;
  }
  std::vector<std::string> InputNames() const { return {info.inputs[0].name}; }
};

// Scores of ten classes.
void BuildClassifier(OnnxBuilder* model) {
  model->Input("image", {1, 3, 8, 8})
      .WithChannels(3)
      .Conv({.channels = 8, .kernel = 3, .pad = 1})
      .Relu()
      .Conv({.channels = 8, .kernel = 8})
      .Flatten()
      .WithChannels(8)
      .Gemm(10)
      .Output("scores");
}

Judged Classifier(blob::Task task, uint64_t blob_seed = 1) {
  OnnxBuilder model(13, 1), blobs(13, blob_seed);
  BuildClassifier(&model);
  BuildClassifier(&blobs);
  return {model, blobs, task};
}

// Finished boxes in planes: 16 candidates of two classes, in 64 x 64 pixels, all `shift` further.
void BuildDetector(OnnxBuilder* model, float shift) {
  const OnnxValue x = model->Input("image", {1, 3, 64, 64}).WithChannels(3);
  std::vector<float> numbers(6 * 16);
  for (size_t i = 0; i < 16; ++i) {
    numbers[i] = static_cast<float>(8 + 16 * (i % 4)) + shift;  // centre
    numbers[16 + i] = static_cast<float>(8 + 16 * (i / 4));
    numbers[32 + i] = numbers[48 + i] = 10;                         // size
    numbers[64 + i] = i % 2 == 0 ? static_cast<float>(i) / 16 : 0;  // scores
    numbers[80 + i] = i % 2 == 1 ? static_cast<float>(i) / 16 : 0;
  }
  const OnnxValue little = model->Initializer("little", {1}, std::vector<float>{0.01f});
  const OnnxValue places = model->Initializer("places", {1, 6, 16}, numbers);
  x.Conv({.channels = 6, .kernel = 16, .stride = 16})
      .Op("Tanh")
      .Mul(little)
      .Reshape({1, 6, 16})
      .Add(places)
      .Output("boxes");
}

Judged Detector(float shift) {
  OnnxBuilder model, blobs;
  BuildDetector(&model, 0);
  BuildDetector(&blobs, shift);
  decode::Spec spec;
  spec.planes = true;
  spec.record.score_threshold = 0.5f;
  return {model, blobs, blob::Task::kDetect, spec};
}

const PlanFindings& Int8Of(const Findings& findings) {
  const PlanFindings* plan = findings.Find(PlanId::kInt8);
  if (plan == nullptr) throw std::runtime_error("no such plan");
  return *plan;
}

TEST(Judge, NumbersOfAGoodAndOfADamagedBlob) {
  const Judged good = Classifier(blob::Task::kNone), damaged = Classifier(blob::Task::kNone, 2);
  const Findings right = Judge(good.Given(16)), wrong = Judge(damaged.Given(16));
  ASSERT_EQ(right.plans.size(), 2u);
  EXPECT_EQ(right.samples.size(), 16u);
  EXPECT_EQ(right.task, blob::Task::kNone);
  for (const PlanFindings& plan : right.plans) {
    EXPECT_TRUE(plan.Agrees()) << plan.name;
    EXPECT_FALSE(plan.Fails()) << plan.name;
    EXPECT_EQ(plan.answers, nullptr);
    EXPECT_FALSE(plan.Speaks());
    const Figures& whole = plan.outputs[0].whole;
    EXPECT_GT(whole.Db(), plan.Is(PlanId::kInt8) ? 20 : 45);
    EXPECT_LT(whole.certain_db.low, whole.Db());
    EXPECT_GT(whole.certain_db.high, whole.Db());
  }
  for (const PlanFindings& plan : wrong.plans) {
    EXPECT_FALSE(plan.Agrees()) << plan.name;
    EXPECT_LT(plan.outputs[0].whole.certain_db.high, 10) << plan.name;
  }
}

// Two layers side by side, of which the second is `factor` times as strong.
void BuildJoined(OnnxBuilder* model, float factor) {
  const OnnxValue x = model->Input("image", {1, 3, 8, 8}).WithChannels(3);
  const OnnxValue strength = model->Initializer("strength", {1}, std::vector<float>{factor});
  x.Conv({.channels = 4}).Concat(x.Conv({.channels = 4}).Mul(strength)).Output("y");
}

TEST(Judge, AnOutputAgreesWhereEachOfItsPiecesDoes) {
  for (const float factor : {1.0f, 1.6f}) {
    OnnxBuilder model, blobs;
    BuildJoined(&model, 1);
    BuildJoined(&blobs, factor);
    const Judged judged(model, blobs, blob::Task::kNone);
    const Findings findings = Judge(judged.Given(16));
    for (const PlanFindings& plan : findings.plans) {
      const OutputFindings& found = plan.outputs[0];
      ASSERT_EQ(found.pieces.size(), 2u);
      EXPECT_GT(found.pieces[0].Db(), plan.Is(PlanId::kInt8) ? 25 : 45);
      EXPECT_EQ(found.pieces[1].Db() > 20, factor == 1);
      EXPECT_EQ(found.agrees, factor == 1) << plan.name;
    }
  }
}

// FP32 gives the plan's own class, but for `changed` of 100 samples: 10 may be others.
TEST(Judge, ClassesByWhatIsCertain) {
  const Judged given = Classifier(blob::Task::kClassify);
  Runner runner(given.blob.data(), given.blob.size(), {});
  struct Row {
    int64_t changed;
    bool near_limit, agrees;
  };
  for (const Row& row :
       {Row{4, false, true}, Row{5, true, true}, Row{15, true, true}, Row{16, true, false}}) {
    Case one = given.Given(100);
    one.reference = [&](int64_t sample) {
      Numbers outputs = runner.Run(0, {given.data->Load(sample)});
      if (sample % 6 == 0 && sample / 6 < row.changed) {
        const auto best = std::max_element(outputs[0].begin(), outputs[0].end());
        *best = -1000;
      }
      return outputs;
    };
    const Findings findings = Judge(one);
    const PlanFindings& plan = Int8Of(findings);
    ASSERT_TRUE(plan.Speaks());
    EXPECT_EQ(findings.task, blob::Task::kClassify);
    EXPECT_EQ(plan.loss, static_cast<double>(row.changed));
    EXPECT_EQ(plan.answers->size(), 100u);
    EXPECT_EQ(plan.certain.high > 10, row.near_limit) << row.changed;
    EXPECT_EQ(plan.LosesMore(kInt8Limits), !row.agrees) << row.changed;
    EXPECT_EQ(plan.Agrees(), row.agrees) << row.changed;
    EXPECT_TRUE(plan.outputs[0].by_answer);
  }
}

TEST(Judge, BoxesOfAGoodAndOfADamagedBlob) {
  const Findings right = Judge(Detector(0).Given(12)), wrong = Judge(Detector(4).Given(12));
  const PlanFindings &good = *right.Find(PlanId::kFp16), &bad = *wrong.Find(PlanId::kFp16);
  EXPECT_TRUE(good.Agrees());
  EXPECT_LT(good.certain.high, 0.5);
  EXPECT_FALSE(good.answers->IsFew());
  EXPECT_FALSE(bad.Agrees());
  EXPECT_GT(bad.certain.low, 10);
}

// Sums are made in the order of the samples.
TEST(Judge, SameForAnyThreadCount) {
  for (const Judged& given : {Classifier(blob::Task::kClassify, 2), Detector(1)}) {
    const Case one = given.Given(13);
    const Findings alone = Judge(one);
    Case three = one;
    three.threads = 3;
    const Findings together = Judge(three);
    for (size_t p = 0; p < alone.plans.size(); ++p) {
      const PlanFindings &a = alone.plans[p], &b = together.plans[p];
      EXPECT_EQ(a.loss, b.loss);
      EXPECT_EQ(a.certain.low, b.certain.low);
      EXPECT_EQ(a.certain.high, b.certain.high);
      EXPECT_EQ(a.answers->Words(), b.answers->Words());
      EXPECT_EQ(a.outputs[0].whole.Db(), b.outputs[0].whole.Db());
      EXPECT_EQ(a.outputs[0].whole.certain_db.low, b.outputs[0].whole.certain_db.low);
      EXPECT_EQ(a.outputs[0].whole.cosine, b.outputs[0].whole.cosine);
    }
  }
}

// Where answers are known, FP32 runs for those samples alone whose numbers are compared.
TEST(Judge, NumbersOfSomeSamplesAnswersOfAll) {
  const Judged given = Classifier(blob::Task::kClassify);
  const SectionDecoder decoder(given.info);
  const Answers answers =
      AnswersOfFp32(given.imported, given.InputNames(), &decoder.decoder(), given.Ask(20));
  const graph::Graph graph = OfOutputs(given.imported);
  Reference fp32(graph, given.InputNames());
  std::vector<int64_t> asked;
  Case one = given.Given(20);
  one.answers = &answers;
  one.numbers = {3, 9, 14, 19};
  one.reference = [&](int64_t sample) {
    asked.push_back(sample);
    return fp32.Run({given.data->Load(sample)});
  };
  const Findings some = Judge(one);
  EXPECT_EQ(asked, (std::vector<int64_t>{3, 9, 14, 19}));
  EXPECT_EQ(Int8Of(some).answers->size(), 20u);
  EXPECT_EQ(some.samples.size(), 20u);
  // The same as of those four alone.
  Case four = given.Given(0);
  four.samples = asked;
  EXPECT_EQ(Int8Of(some).outputs[0].whole.about_mean_db,
            Int8Of(Judge(four)).outputs[0].whole.about_mean_db);
  // All of them where it is not said which.
  asked.clear();
  one.numbers.reset();
  EXPECT_EQ(Int8Of(Judge(one)).loss, Int8Of(some).loss);
  EXPECT_EQ(asked.size(), 20u);
  // Answers that are not known are made.
  asked.clear();
  one.numbers = {3, 9, 14, 19};
  const Answers few(answers.begin(), std::next(answers.begin(), 10));
  one.answers = &few;
  EXPECT_EQ(Int8Of(Judge(one)).loss, Int8Of(some).loss);
  EXPECT_EQ(asked.size(), 2u + 10u);
}

TEST(Judge, KnownAnswersAndOutputsAreNotMadeAgain) {
  const Judged given = Classifier(blob::Task::kClassify);
  Answers answers;
  for (int64_t i = 0; i < 8; ++i) answers[i].label = 77;
  Case one = given.Given(8);
  one.answers = &answers;
  std::map<int64_t, Numbers> kept;
  one.outputs = &kept;
  one.threads = 2;
  const Findings first = Judge(one);
  EXPECT_EQ(Int8Of(first).loss, 100) << "there is no class 77";
  ASSERT_EQ(kept.size(), 8u);
  const double db = Int8Of(first).outputs[0].whole.Db();
  EXPECT_EQ(Int8Of(Judge(one)).outputs[0].whole.Db(), db);
  for (auto& [sample, outputs] : kept) {
    for (float& number : outputs[0]) number = -number;
  }
  EXPECT_LT(Int8Of(Judge(one)).outputs[0].whole.Db(), 0) << "what is kept is used";
}

TEST(Judge, TellsAnswersAsTheDecoderGivesThem) {
  const Judged given = Detector(0);
  Case one = given.Given(3);
  std::map<size_t, std::vector<size_t>> boxes;  // by contestant
  one.on_answer = [&](size_t contestant, const Answer& answer) {
    boxes[contestant].push_back(answer.boxes.size());
    for (const Detection& box : answer.boxes) EXPECT_GE(box.score, 0.5f);
  };
  Judge(one);
  ASSERT_EQ(boxes.size(), 3u) << "FP32 and two plans";
  for (const auto& [contestant, counts] : boxes) EXPECT_EQ(counts.size(), 3u) << contestant;
  EXPECT_GE(boxes[0][0], 7u);
}

TEST(Judge, AnotherModelsBlobIsRefused) {
  const Judged classifier = Classifier(blob::Task::kNone), detector = Detector(0);
  Case given = classifier.Given(4);
  given.imported = &detector.imported;
  given.inputs = {detector.data.get()};
  EXPECT_THROW(Judge(given), UserError);
}

// Boxes down to kLeastScore, whatever the decoder keeps.
TEST(AnswersOfFp32, HoldFaintBoxes) {
  const Judged given = Detector(0);
  const SectionDecoder decoder(given.info);
  const Answers answers =
      AnswersOfFp32(given.imported, given.InputNames(), &decoder.decoder(), given.Ask(3));
  ASSERT_EQ(answers.size(), 3u);
  for (const auto& [sample, answer] : answers) {
    float least = 1;
    for (const Detection& box : answer.boxes) least = std::min(least, box.score);
    EXPECT_GE(least, kLeastScore);
    EXPECT_LT(least, 0.1f);
    EXPECT_GE(answer.boxes.size(), 14u);
    EXPECT_TRUE(answer.numbers.empty());
  }
}

// Of each limit both sides.
TEST(IsSame, AllowsTheOrderOfSumsAndNoMore) {
  Answer one;
  one.label = 3;
  one.confidence = 0.5f;
  one.boxes = {{10, 20, 30, 40, 0.75f, 2}, {1, 2, 3, 4, 0.5f, 1}};
  one.parts = {{{{5, 6, 0.5f}}, std::vector<uint8_t>(1000)}};
  one.map.resize(2000);
  const auto with = [&one](const std::function<void(Answer*)>& change) {
    Answer other = one;
    change(&other);
    return IsSame(one, other) && IsSame(other, one);
  };
  EXPECT_TRUE(with([](Answer*) {}));
  EXPECT_FALSE(with([](Answer* a) { a->label = 2; }));
  EXPECT_FALSE(with([](Answer* a) { a->boxes.pop_back(); }));
  EXPECT_FALSE(with([](Answer* a) { a->boxes[1].label = 2; }));
  EXPECT_FALSE(with([](Answer* a) { a->parts.clear(); }));
  EXPECT_FALSE(with([](Answer* a) { a->parts[0].points.clear(); }));
  EXPECT_FALSE(with([](Answer* a) { a->map.pop_back(); }));
  for (const bool beyond : {false, true}) {
    const float score = beyond ? 1.1f / 1024 : 0.9f / 1024, pixels = beyond ? 0.07f : 0.06f;
    const size_t cells = beyond ? 2 : 1;
    EXPECT_NE(with([=](Answer* a) { a->confidence += score; }), beyond);
    EXPECT_NE(with([=](Answer* a) { a->boxes[0].score -= score; }), beyond);
    EXPECT_NE(with([=](Answer* a) { a->boxes[0].x0 += pixels; }), beyond);
    EXPECT_NE(with([=](Answer* a) { a->boxes[1].y1 -= pixels; }), beyond);
    EXPECT_NE(with([=](Answer* a) { a->parts[0].points[0].y += pixels; }), beyond);
    EXPECT_NE(with([=](Answer* a) { a->parts[0].points[0].score += score; }), beyond);
    EXPECT_NE(with([=](Answer* a) { std::fill_n(a->parts[0].mask.begin(), cells, uint8_t{1}); }),
              beyond);
    EXPECT_NE(with([=](Answer* a) { std::fill_n(a->map.begin(), 2 * cells, uint8_t{1}); }), beyond);
  }
}

TEST(MeasurePlan, AgreesWithTheJudge) {
  for (const Judged& given : {Classifier(blob::Task::kClassify, 2), Detector(1)}) {
    const SectionDecoder decoder(given.info);
    const Answers answers =
        AnswersOfFp32(given.imported, given.InputNames(), &decoder.decoder(), given.Ask(13));
    const auto alone =
        MeasurePlan(given.blob.data(), given.blob.size(), {}, answers, given.Ask(13));
    const auto together =
        MeasurePlan(given.blob.data(), given.blob.size(), {}, answers, given.Ask(13, 3));
    const Findings findings = Judge(given.Given(13));
    EXPECT_EQ(alone->size(), 13u);
    EXPECT_GT(alone->Loss(), 0);
    EXPECT_EQ(alone->Loss(), findings.plans[0].loss);
    EXPECT_EQ(alone->Loss(), together->Loss());
    EXPECT_EQ(alone->Words(), together->Words());
    EXPECT_EQ(alone->Certain().low, together->Certain().low);
    // The same answers for any number of threads, too.
    const Answers others =
        AnswersOfFp32(given.imported, given.InputNames(), &decoder.decoder(), given.Ask(13, 3));
    EXPECT_EQ(MeasurePlan(given.blob.data(), given.blob.size(), {}, others, given.Ask(13))->Loss(),
              alone->Loss());
  }
}

TEST(MeasurePlan, OfNumbersWhereNoDecoderReads) {
  const Judged given = Classifier(blob::Task::kNone);
  const Answers answers = AnswersOfFp32(given.imported, given.InputNames(), nullptr, given.Ask(12));
  ASSERT_EQ(answers.size(), 12u);
  EXPECT_EQ(answers.at(0).numbers.size(), 1u);
  EXPECT_EQ(answers.at(0).numbers[0].size(), 10u);
  int64_t shown = 0;
  Asked asked = given.Ask(12);
  asked.progress = [&shown](int64_t done, int64_t total) {
    EXPECT_EQ(done, ++shown);
    EXPECT_EQ(total, 12);
  };
  const auto measure = MeasurePlan(given.blob.data(), given.blob.size(), {}, answers, asked);
  EXPECT_EQ(shown, 12);
  EXPECT_NEAR(measure->Loss(), -Int8Of(Judge(given.Given(12))).outputs[0].whole.about_mean_db,
              1e-6);
}

}  // namespace
}  // namespace octet::judge
