#include "converter/recover/adaptive_rounding.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "converter/executor/executor.h"
#include "converter/lower/builder.h"
#include "converter/recover/curve.h"
#include "converter/recover/layer_record.h"
#include "converter/recover/rounded_layers.h"
#include "converter/recover/soft_rounding.h"
#include "converter/simulate/rounding.h"
#include "converter/simulate/side_by_side.h"

namespace octet::recover {
namespace {

// Times the rows of the closed form, 64 a column. That knows the layer's own error alone; here the
// errors of all layers before are in the rows, nothing can make up for most of them, and of few
// rows they are learnt by heart: with 4 a column the searched codes of most layers of MobileNetV2
// were worse on held-out inputs.
constexpr size_t kRowsShare = 32;
// Numbers of the rows that fit and judge one layer, 256 MiB: a bound that does not know how much
// memory there is, so that codes do not either.
constexpr size_t kMostNumbers = size_t{1} << 26;
// Pictures that fit: as many as calibration takes by default. All their values are there at once.
constexpr int64_t kMostPictures = 512;
// Output channels searched at a time, on one thread: the matrices of fewer are slow to multiply,
// and layers of 64 have work for two threads.
constexpr size_t kSlice = 32;

// Steps that find what there is to find; with a quarter of them most weights have not yet moved
// by half a step, Adam's rate being what it is.
constexpr int64_t kMostSteps = 2000, kFewestSteps = 500;
// Of a step, by weight: results and slopes of a batch, and the update, which takes as long as so
// many products.
constexpr int64_t kUpdate = 256, kProductsByStep = 2 * static_cast<int64_t>(kBatchRows) + kUpdate;
// Of all steps: ten minutes of two cores that make 8 products a nanosecond each.
constexpr int64_t kMostProducts = int64_t{600} * 16 * 1000000000;

// What the layer's sums go through before anything else sees them.
lower::FunctionOf FunctionBehind(const lower::Builder& builder, const graph::Node& node) {
  lower::FunctionOf function = lower::ActivationFunction(node);
  if (!node.activation.empty()) return function;
  const graph::Node* reader = builder.OnlyReader(node.outputs[0]);
  if (reader != nullptr) lower::UnaryFunction(builder.graph(), *reader, &function);
  return function;
}

// Searches layer by layer while the pictures run.
class Refiner : public simulate::Visitor {
 public:
  // fitting: so many pictures come first, the others judge.
  Refiner(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
          std::vector<Candidate> candidates, size_t fitting, size_t judging)
      : graph_(simulator.topology().graph),
        scheme_(scheme),
        options_(simulator.options()),
        builder_(graph_, scheme, &program_),
        candidates_(std::move(candidates)),
        fitting_(fitting),
        judging_(judging) {
    std::vector<int64_t> weights;
    std::ranges::stable_sort(candidates_, {}, Weights);
    for (const Candidate& candidate : candidates_) weights.push_back(Weights(candidate));
    const SearchPlan plan = PlanSearch(weights);
    steps_ = plan.steps;
    candidates_.resize(plan.layers);
    for (size_t c = 0; c < plan.layers; ++c) by_node_[candidates_[c].shape.node] = c;
    refined.resize(graph_.nodes.size());
  }

  bool Opens(size_t n) override {
    if (!by_node_.contains(n)) return false;
    const LayerShape& shape = candidates_[by_node_[n]].shape;
    // What the layer reads and gives.
    const size_t numbers = shape.depth * shape.groups + shape.outputs;
    const size_t most = kMostNumbers * kHeldOut / (kHeldOut + 1) / numbers;
    const size_t rows = std::min(kRowsShare * RowsFor(shape), most);
    fit_ = LayerRecord(shape, rows, fitting_);
    held_out_ = LayerRecord(shape, rows / kHeldOut, judging_);
    return fit_.rows() > 0 && held_out_.rows() > 0;
  }

  void See(size_t n, size_t picture, const graph::Tensor& input,
           const graph::Tensor& exact) override {
    graph::Tensor read = input;
    // Rounded already, unless it comes from outside of the int8 part.
    if (const auto& own = scheme_.tensors[static_cast<size_t>(graph_.nodes[n].inputs[0])]) {
      simulate::Round(*own, true, &read);
    }
    if (picture < fitting_) {
      fit_.Add(picture, read, exact);
    } else {
      held_out_.Add(picture - fitting_, read, exact);
    }
  }

  // Searches the layer's codes.
  std::shared_ptr<const graph::Tensor> Refine(size_t n) override;

  std::vector<std::shared_ptr<const quantize::RoundedWeights>> refined;  // by node

 private:
  static int64_t Weights(const Candidate& candidate) {
    return static_cast<int64_t>(candidate.coded.codes.size());
  }

  const graph::Graph& graph_;
  const quantize::Scheme& scheme_;
  const simulate::Options& options_;
  lower::Program program_;  // stays empty
  lower::Builder builder_;
  std::vector<Candidate> candidates_;
  std::map<size_t, size_t> by_node_;
  size_t fitting_, judging_;
  int64_t steps_ = 0;
  LayerRecord fit_, held_out_;  // of the layer at hand
};

std::shared_ptr<const graph::Tensor> Refiner::Refine(size_t n) {
  const Candidate& candidate = candidates_[by_node_[n]];
  const LayerShape& shape = candidate.shape;
  const lower::CodedWeights& coded = candidate.coded;
  const graph::Node& node = graph_.nodes[n];
  Curve curve;
  const lower::FunctionOf function = FunctionBehind(builder_, node);
  if (function.function != blob::Function::kIdentity) {
    const auto [low, high] = std::minmax_element(fit_.results().begin(), fit_.results().end());
    curve = Curve([&](double x) { return lower::Evaluate(function, x); }, *low, *high);
    curve.Apply(fit_.results());
    curve.Apply(held_out_.results());
  }
  const std::span<const float> weights = graph_.Constant(node.inputs[1])->floats;
  const size_t outputs = shape.outputs / shape.groups;
  const size_t slices = (outputs + kSlice - 1) / kSlice;
  struct Slice {
    double before = 0, after = 0;  // held-out error
  };
  std::vector<Slice> found(shape.groups * slices);
  std::vector<int8_t> codes = coded.codes;
  executor::ParallelFor(
      static_cast<int64_t>(found.size()), options_.threads, [&](int, int64_t item) {
        const auto slice = static_cast<size_t>(item);
        const size_t g = slice / slices, begin = slice % slices * kSlice;
        const size_t first = g * outputs + begin, count = std::min(kSlice, outputs - begin);
        const size_t from = first * shape.depth, size = count * shape.depth;
        const Channels channels{weights.subspan(from, size),
                                std::span(coded.codes).subspan(from, size),
                                std::span(coded.scales).subspan(first, count),
                                std::span(coded.bias).subspan(first, count)};
        const Targets wanted{fit_.results().data() + first, shape.outputs};
        const Targets judged{held_out_.results().data() + first, shape.outputs};
        const std::vector<int8_t> better =
            SoftRound(fit_.inputs()[g], wanted, channels, curve, steps_);
        const LayerInputs& other = held_out_.inputs()[g];
        found[slice] = {ErrorBehind(other, judged, channels, channels.codes, curve),
                        ErrorBehind(other, judged, channels, better, curve)};
        std::copy(better.begin(), better.end(), codes.begin() + static_cast<int64_t>(from));
      });
  Slice sum;
  for (const Slice& slice : found) {
    sum.before += slice.before;
    sum.after += slice.after;
  }
  fit_ = held_out_ = LayerRecord();
  if (!(sum.after < sum.before)) return nullptr;
  auto rounded = std::make_shared<quantize::RoundedWeights>();
  rounded->scales = coded.scales;
  rounded->values = coded.weights.floats;
  for (size_t at = 0; at < codes.size(); ++at) {
    const float scale = coded.scales[at / shape.depth];
    if (scale > 0) rounded->values[at] = scale * static_cast<float>(codes[at]);
  }
  refined[n] = rounded;
  return std::make_shared<const graph::Tensor>(
      graph::Tensor::Floats(coded.weights.shape, rounded->values));
}

}  // namespace

SearchPlan PlanSearch(const std::vector<int64_t>& weights) {
  constexpr int64_t kMostUpdates = kMostProducts / kProductsByStep;
  SearchPlan plan;
  int64_t sum = 0;
  for (; plan.layers < weights.size(); ++plan.layers) {
    if (sum + weights[plan.layers] > kMostUpdates / kFewestSteps) break;
    sum += weights[plan.layers];
  }
  plan.steps = std::min(kMostSteps, kMostUpdates / std::max<int64_t>(1, sum));
  return plan;
}

Step AdaptRounding(const simulate::Simulator& simulator, const simulate::Samples& samples,
                   int64_t available,
                   const std::function<void(int64_t done, int64_t total)>& progress,
                   quantize::Scheme* scheme) {
  Step step("adaptive rounding");
  if (!samples.CanCorrect()) return step;
  // One of so many judges, however many there are.
  const LayerSamples own = SamplesForLayers(samples, available, static_cast<size_t>(available));
  std::vector<Candidate> candidates = CandidatesOf(
      simulator, *scheme, std::min(kMostPictures, static_cast<int64_t>(own.fit.size())));
  const std::vector<int64_t> fitting =
                                 FittingSamples(candidates, own.fit, kRowsShare, kMostPictures),
                             judging = Spread(own.judge, kMostPictures / kHeldOut);
  if (candidates.empty() || fitting.empty() || judging.empty()) return step;
  const auto& needed = simulator.topology().view.needed;
  int64_t done = 0;
  const int64_t total = std::count(needed.begin(), needed.end(), true) +
                        static_cast<int64_t>(2 * samples.accept.size() + 2 * samples.report.size());
  const auto tell = [&] {
    if (progress) progress(++done, total);
  };
  std::vector<int64_t> pictures = fitting;
  pictures.insert(pictures.end(), judging.begin(), judging.end());
  Refiner refiner(simulator, *scheme, std::move(candidates), fitting.size(), judging.size());
  simulate::RunSideBySide(simulator.topology(), *scheme, simulator.inputs(), pictures,
                          {simulator.options().threads, simulator.options().memory_bytes / 2, true},
                          refiner, tell);
  std::vector<quantize::Scheme> rounded(1, *scheme);
  rounded[0].weights.resize(needed.size());
  for (size_t n = 0; n < needed.size(); ++n) {
    if (refiner.refined[n] != nullptr) rounded[0].weights[n] = refiner.refined[n];
  }
  const auto told = [&tell](int64_t, int64_t) { tell(); };
  const auto judged = simulator.Compare(*scheme, rounded, samples.accept, told);
  step.Decide(simulator, samples, judged.base, judged.variants, rounded, told, scheme);
  return step;
}

}  // namespace octet::recover
