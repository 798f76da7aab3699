#include "converter/simulate/side_by_side.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "converter/operators/operator.h"
#include "converter/simulate/own_error.h"

namespace octet::simulate {
namespace {

using graph::Tensor;
using graph::ValueId;

class Pictures : public images::Dataset {
 public:
  int64_t size() const override { return 6; }
  Tensor Load(int64_t i) const override {
    std::vector<float> values;
    for (int64_t k = 0; k < 18; ++k) values.push_back(static_cast<float>((i * 5 + k) % 9) / 4 - 1);
    return Tensor::Floats({1, 2, 3, 3}, std::move(values));
  }
};

// x -> a -> y, pointwise; the first weight of each is a third of a step off its code.
struct Model {
  graph::Graph graph;
  quantize::Scheme scheme;
  ValueId x, a, y;
  Pictures pictures;
  std::vector<int64_t> samples = {0, 2, 4};

  Model() {
    x = graph.AddValue({"x", graph::DataType::kFloat, graph::Shape{1, 2, 3, 3}, {}, {}});
    a = graph.AddValue({"a", graph::DataType::kFloat, {}, {}, {}});
    y = graph.AddValue({"y", graph::DataType::kFloat, {}, {}, {}});
    graph.inputs = {x};
    graph.outputs = {y};
    for (const auto& [in, out] : {std::pair{x, a}, std::pair{a, y}}) {
      graph::Node node;
      node.op = "Conv";
      node.name = graph.At(out).name;
      node.inputs = {in, graph.AddConstant(node.name + "w",
                                           Tensor::Floats({2, 2, 1, 1}, {50.3f / 127, 1, 1, 0}))};
      node.outputs = {out};
      graph.nodes.push_back(node);
    }
    operators::InferShapes(graph);
    scheme.tensors.resize(graph.values.size());
    for (ValueId id : {x, a, y}) {
      scheme.tensors[static_cast<size_t>(id)] = quantize::Affine(-4, 4, false);
    }
    scheme.precision.assign(graph.nodes.size(), blob::Precision::kInt8);
  }
  void Run(Visitor& visitor, int threads = 1, bool clip = true) const {
    RunSideBySide(Topology(graph), scheme, {&pictures}, samples, {threads, 1 << 20, clip}, visitor,
                  [] {});
  }
};

struct Recorder : Visitor {
  bool Opens(size_t n) override { return n == opens; }
  void See(size_t, size_t picture, const Tensor& input, const Tensor& exact) override {
    const std::lock_guard lock(mutex);
    seen.insert(picture);
    EXPECT_EQ(input.shape, (graph::Shape{1, 2, 3, 3}));
    EXPECT_EQ(exact.shape, (graph::Shape{1, 2, 3, 3}));
  }
  std::shared_ptr<const Tensor> Refine(size_t) override { return weights; }
  Correction Correct(size_t n, const std::vector<Moments>& of) override {
    moments.push_back(of);
    return n == 0 ? correction : Correction{};
  }
  size_t opens = 9;
  std::mutex mutex;
  std::set<size_t> seen;
  std::shared_ptr<const Tensor> weights;
  Correction correction;
  std::vector<std::vector<Moments>> moments;
};

TEST(RunSideBySide, TellsMomentsOfEveryPicture) {
  const Model model;
  Recorder recorder;
  model.Run(recorder);
  ASSERT_EQ(recorder.moments.size(), 2u);
  ASSERT_EQ(recorder.moments[0].size(), 3u);
  EXPECT_TRUE(recorder.seen.empty());
  for (const auto& of : recorder.moments[0]) {
    for (size_t c = 0; c < 2; ++c) {
      EXPECT_NEAR(of.shift[c], of.exact[c] - of.rounded[c], 1e-12);
      // (e - r)^2 is not negative.
      EXPECT_GE(of.exact_square[c] + of.rounded_square[c] - 2 * of.product[c], -1e-12);
      EXPECT_GE(of.exact_square[c], of.exact[c] * of.exact[c]);
    }
  }
}

TEST(RunSideBySide, LayersBehindSeeWhatWasChanged) {
  const Model model;
  Recorder plain, corrected, refined;
  model.Run(plain);
  corrected.correction = {{1, 0.5f}, {0.25f, 0}};
  model.Run(corrected, 2);
  // Channel 1 of y is channel 0 of a.
  EXPECT_NEAR(corrected.moments[1][0].rounded[1], plain.moments[1][0].rounded[1] + 0.25, 0.02);
  EXPECT_EQ(corrected.moments[0][0].rounded, plain.moments[0][0].rounded) << "before it";
  // Weights of 0 give nothing, there and behind.
  refined.opens = 0;
  refined.weights =
      std::make_shared<const Tensor>(Tensor::Floats({2, 2, 1, 1}, std::vector<float>(4, 0)));
  model.Run(refined, 2);
  EXPECT_EQ(refined.seen, (std::set<size_t>{0, 1, 2}));
  EXPECT_EQ(refined.moments[0][1].rounded_square, (std::vector<double>{0, 0}));
  EXPECT_EQ(refined.moments[1][1].rounded_square, (std::vector<double>{0, 0}));
  EXPECT_EQ(refined.moments[1][1].exact, plain.moments[1][1].exact);
}

TEST(RunSideBySide, HasTheSchemesCorrection) {
  Model model;
  Recorder plain, corrected;
  model.Run(plain);
  model.scheme.bias_correction = {{0.5f, 0}, {}};
  model.Run(corrected);
  EXPECT_NEAR(corrected.moments[0][0].rounded[0], plain.moments[0][0].rounded[0] + 0.5, 1e-6);
}

TEST(RunSideBySide, CutsOffWhereItIsAsked) {
  Model model;
  model.scheme.tensors[static_cast<size_t>(model.a)] = quantize::Affine(-0.5f, 0.5f, false);
  Recorder cut, whole;
  model.Run(cut, 1, true);
  model.Run(whole, 1, false);
  EXPECT_LT(cut.moments[1][0].rounded_square[1], whole.moments[1][0].rounded_square[1]);
  EXPECT_LE(cut.moments[1][0].rounded_square[1], 0.26);
}

TEST(OwnErrors, AreThoseOfTheLayerAlone) {
  Model model;
  const Simulator simulator(model.graph, {&model.pictures}, {});
  const std::vector<Figure> before = OwnErrors(simulator, model.scheme, model.samples);
  ASSERT_EQ(before.size(), 2u);
  for (const Figure& figure : before) {
    EXPECT_GT(figure.signal, 0);
    EXPECT_GT(figure.error, 0);
    EXPECT_LT(figure.error, figure.signal / 100);
  }
  // What the first layer loses is no matter of the second, though its input is coarser.
  auto wrong = std::make_shared<quantize::RoundedWeights>();
  wrong->values = {0, 0, 0, 0};
  wrong->scales = {1.0f / 127, 1.0f / 127};
  model.scheme.weights = {wrong, nullptr};
  const std::vector<Figure> after = OwnErrors(simulator, model.scheme, model.samples);
  EXPECT_GT(after[0].error, 10 * before[0].error);
  EXPECT_EQ(after[1].error, before[1].error);
  // FP16 layers have none.
  model.scheme.precision[1] = blob::Precision::kFp16;
  EXPECT_EQ(OwnErrors(simulator, model.scheme, model.samples)[1].signal, 0);
  simulate::Options options;
  options.threads = 3;
  const Simulator threads(model.graph, {&model.pictures}, options);
  EXPECT_EQ(OwnErrors(threads, model.scheme, model.samples)[0].error, after[0].error);
}

}  // namespace
}  // namespace octet::simulate
