#include "tests/converter/oracle/oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "converter/operators/operator.h"
#include "converter/support/error.h"
#include "tests/converter/oracle/side_data.h"

namespace octet::test {

namespace {

using graph::DataType;
using graph::Given;
using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

constexpr double kTolerance = 1e-5;  // of the range of an output
constexpr double kTies = 0.001;      // of the elements of a value that rounds
constexpr int64_t kFewTies = 2;
// A pass that fires so often undoes the work of another one.
constexpr int kMostRuns = 20000;

constexpr std::string_view kMovers[] = {"remove_dead_code",
                                        "fold_constants",
                                        "fold_shape",
                                        "dequantize_constants",
                                        "remove_identity",
                                        "remove_dropout",
                                        "hoist_dequantize",
                                        "remove_input_codes",
                                        "remove_cast",
                                        "remove_noop_pad",
                                        "remove_noop_reshape",
                                        "remove_noop_transpose",
                                        "remove_noop_resize",
                                        "remove_noop_slice",
                                        "remove_single_concat",
                                        "normalise_clip",
                                        "drop_unused_indices",
                                        "view_to_reshape",
                                        "merge_reshapes",
                                        "merge_transposes",
                                        "split_to_slices",
                                        "depth_space_to_transpose",
                                        "slice_of_concat",
                                        "slice_before_transpose",
                                        "gather_elements_to_gather",
                                        "unpool_to_scatter",
                                        "unique_names"};

size_t At(ValueId id) {
  return static_cast<size_t>(id);
}

// Operators whose result jumps where their input moves a little.
bool Jumps(const Node& node) {
  static const std::set<std::string, std::less<>> kOperators = {
      "QuantizeLinear", "Floor", "Ceil",    "Round",          "Sign",    "Cast",
      "CastLike",       "Less",  "Greater", "GreaterOrEqual", "Equal",   "LessOrEqual",
      "ArgMax",         "Mod",   "ArgMin",  "TopK",           "Hardmax", "NonZero"};
  // Of a chain of functions: its steps.
  std::istringstream steps(node.String("functions", node.op));
  return std::any_of(std::istream_iterator<std::string>(steps), {},
                     [](const std::string& step) { return kOperators.contains(step); });
}

// Counts what differs between two tensors of one value that rounds; nothing where that is more than
// ties explain. `step`: 0 where it has none.
std::optional<int> Ties(const Tensor& before, const Tensor& after, double step) {
  if (before.type != after.type || before.shape != after.shape) return std::nullopt;
  const auto count = static_cast<size_t>(before.Count());
  int64_t ties = 0;
  for (size_t i = 0; i < count; ++i) {
    const double a = before.IsFloat() ? before.floats[i] : static_cast<double>(before.integers[i]);
    const double b = after.IsFloat() ? after.floats[i] : static_cast<double>(after.integers[i]);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (step != 0 && !(std::abs(a - b) <= 1.01 * step)) return std::nullopt;
    ++ties;
  }
  if (ties >
      std::max<int64_t>(kFewTies, static_cast<int64_t>(kTies * static_cast<double>(count)))) {
    return std::nullopt;
  }
  return static_cast<int>(ties);
}

// Whether values differ only where the codes end, by at most one step beyond: a clamp that is left
// out there costs what the codes themselves cost. A Sigmoid in steps of 1/256 ends at 255/256.
bool OnlyBeyondCodes(const Tensor& before, const Tensor& after, const Given& given) {
  if (before.shape != after.shape || !before.IsFloat() || !after.IsFloat()) return false;
  const float step = given.scale * 1.01f;
  for (size_t i = 0; i < before.floats.size(); ++i) {
    const float a = before.floats[i], b = after.floats[i];
    if (a == b) continue;
    const bool above = a >= given.High() - step / 100 && b > a && b <= given.High() + step;
    const bool below = a <= given.Low() + step / 100 && b < a && b >= given.Low() - step;
    if (!above && !below) return false;
  }
  return true;
}

// Largest difference over the range; infinity for unequal shapes.
double Distance(const Tensor& before, const Tensor& after) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (before.shape != after.shape || before.IsFloat() != after.IsFloat()) return kInfinity;
  if (!before.IsFloat()) return before.integers == after.integers ? 0 : kInfinity;
  double low = kInfinity, high = -kInfinity, difference = 0;
  for (size_t i = 0; i < before.floats.size(); ++i) {
    const double a = before.floats[i], b = after.floats[i];
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    if (!std::isfinite(a) || !std::isfinite(b)) return kInfinity;
    difference = std::max(difference, std::abs(a - b));
  }
  if (difference == 0) return 0;
  for (const float value : before.floats) {
    if (!std::isfinite(value)) continue;
    low = std::min<double>(low, value);
    high = std::max<double>(high, value);
  }
  // A number that hardly varies is known to FP32's digits of its size.
  const double range = std::max({high - low, std::abs(low), std::abs(high)});
  return range > 0 ? difference / range : kInfinity;
}

class Comparison {
 public:
  Comparison(Graph graph, const std::vector<std::vector<TensorPtr>>& samples)
      : graph_(std::move(graph)) {
    for (const auto& sample : samples) {
      for (const Reading reading : {Reading::kCodes, Reading::kRanges}) {
        runs_.push_back({&sample, reading, Interpreter(reading), {}});
      }
    }
  }

  Judgement Judge(std::span<const passes::Pass> passes, std::span<const passes::LatePass> late) {
    try {
      operators::InferShapes(graph_);
      for (Run& run : runs_) run.known = run.interpreter.Run(graph_, *run.sample);
    } catch (const UserError& error) {
      result_.refused = error.what();
      return result_;
    }
    int runs = 0;
    for (size_t i = 0; i < passes.size();) {
      const int rewrites = Try(passes[i].name, passes[i].run);
      if (rewrites < 0) break;
      i = rewrites == 0 ? i + 1 : 0;
      if (rewrites != 0 && ++runs > kMostRuns) {
        Accuse(passes[i].name, "the list comes to no end");
        break;
      }
    }
    if (!result_.refused.empty()) return result_;
    FindJumps();
    passes::Guidance guidance;
    guidance.wants = [](size_t) { return true; };
    guidance.part = [this](const passes::ConstantSource& source) { return PartOf(source); };
    for (const passes::LatePass& pass : late) {
      Try(pass.name, [&](Graph& graph) { return pass.run(graph, guidance); });
    }
    return result_;
  }

 private:
  struct Run {
    const std::vector<TensorPtr>* sample;
    Reading reading;
    Interpreter interpreter;
    Values known;
  };

  // Values of what rounds, and in front of it: a constant taken out there may move a number that
  // lies beside a step to either side.
  void FindJumps() {
    jumps_.assign(graph_.values.size(), false);
    for (auto node = graph_.nodes.rbegin(); node != graph_.nodes.rend(); ++node) {
      for (const ValueId id : node->outputs) {
        if (id != graph::kNoValue && Jumps(*node)) jumps_[At(id)] = true;
      }
      const bool before =
          std::any_of(node->outputs.begin(), node->outputs.end(),
                      [this](ValueId id) { return id != graph::kNoValue && jumps_[At(id)]; });
      for (const ValueId id : node->inputs) {
        if (before && id != graph::kNoValue) jumps_[At(id)] = true;
      }
    }
  }

  // A constant for each group, other than the value's own and of the size of most of its numbers: a
  // mask beside them is larger by far. What an Add adds is taken whole every other time.
  std::vector<float> PartOf(const passes::ConstantSource& source) const {
    if (jumps_[At(source.value)]) return {};
    if (!source.own.empty() && source.value % 2 == 0) return source.own;
    std::vector<float> sizes = {0};
    for (const Run& run : runs_) {
      if (At(source.value) >= run.known.size() || run.known[At(source.value)] == nullptr) continue;
      for (const float number : run.known[At(source.value)]->floats) {
        if (std::isfinite(number)) sizes.push_back(std::fabs(number));
      }
    }
    const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
    std::nth_element(sizes.begin(), middle, sizes.end());
    // Few bits, as calibrate::ConstantPart: a bound less it, and it again, is the bound.
    const float unit = *middle == 0 ? 0 : std::ldexp(1.0f, std::ilogb(*middle) - 2);
    std::vector<float> part(static_cast<size_t>(graph::ElementCount(source.groups)));
    for (size_t g = 0; g < part.size(); ++g) {
      part[g] = unit * (static_cast<float>(g * 5 % 8) - 3.5f);
    }
    return part;
  }

  void Accuse(std::string_view pass, const std::string& text) {
    for (const Finding& finding : result_.findings) {
      if (finding.pass == pass) return;
    }
    result_.findings.push_back({std::string(pass), text});
  }

  // Rewrites of one pass; -1 where it ends the conversion.
  int Try(std::string_view pass, const std::function<int(Graph&)>& run_pass) {
    const Graph before = graph_;
    int rewrites = 0;
    try {
      rewrites = run_pass(graph_);
      if (rewrites == 0) return 0;
      operators::InferShapes(graph_);
    } catch (const UserError& error) {
      result_.refused = fmt::format("{}: {}", pass, error.what());
      return -1;
    }
    result_.fired[std::string(pass)] += rewrites;
    const std::vector<std::string> old = FaultsOfQuantization(before);
    for (const std::string& line : FaultsOfQuantization(graph_)) {
      if (std::find(old.begin(), old.end(), line) == old.end()) Accuse(pass, line);
    }
    for (const std::string& line : LostCodes(before, graph_)) Accuse(pass, line);
    for (Run& run : runs_) Compare(pass, before, run);
    return rewrites;
  }

  // The steps of values that round: 0 for those without any; -1 for others.
  static std::vector<double> Steps(const Graph& graph, Reading reading) {
    std::vector<double> steps(graph.values.size(), -1);
    for (const Node& node : graph.nodes) {
      if (!Jumps(node) || (reading == Reading::kRanges && node.op == "QuantizeLinear")) continue;
      for (const ValueId id : node.outputs) {
        if (id != graph::kNoValue) steps[At(id)] = node.op == "QuantizeLinear" ? 1 : 0;
      }
    }
    for (size_t i = 0; reading == Reading::kCodes && i < steps.size(); ++i) {
      const graph::Value& value = graph.values[i];
      if (value.given != nullptr && !value.constant) steps[i] = value.given->scale;
    }
    return steps;
  }

  void Compare(std::string_view pass, const Graph& before, Run& run) {
    Values& known = run.known;
    // Values that round, to the same steps before and after.
    std::vector<double> steps = Steps(graph_, run.reading);
    const std::vector<double> old_steps = Steps(before, run.reading);
    for (size_t i = 0; i < steps.size(); ++i) {
      if (i >= old_steps.size() || old_steps[i] != steps[i]) steps[i] = -1;
    }
    const bool moves = OnlyMovesData(pass);
    int ties = 0;
    bool settled = false;
    const auto settle = [&](ValueId id, TensorPtr value) {
      if (At(id) >= known.size() || known[At(id)] == nullptr) return value;
      const TensorPtr& old = known[At(id)];
      if (old == value || Same(*old, *value)) return old;
      const Given* given = graph_.At(id).given.get();
      if (run.reading == Reading::kRanges && given != nullptr &&
          OnlyBeyondCodes(*old, *value, *given)) {
        settled = true;
        return old;
      }
      if (moves || steps[At(id)] < 0) return value;
      const auto count = octet::test::Ties(*old, *value, steps[At(id)]);
      if (!count) return value;
      ties += *count;
      settled = true;
      return old;
    };
    const auto share = [&](ValueId id, TensorPtr value) {
      const bool old = At(id) < known.size() && known[At(id)] != nullptr;
      return old && Same(*known[At(id)], *value) ? known[At(id)] : value;
    };
    Values now;
    try {
      now = run.interpreter.Run(graph_, *run.sample, settle);
    } catch (const UserError& error) {
      return Accuse(pass, error.what());
    }
    result_.ties += ties;
    if (before.outputs.size() != graph_.outputs.size()) return Accuse(pass, "outputs differ");
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId was = before.outputs[i], is = graph_.outputs[i];
      if (now[At(is)] == nullptr) return Accuse(pass, "an output is not computed");
      const Tensor real = AsReal(before, was, *known[At(was)], *now[At(is)]);
      const double distance = Distance(real, *now[At(is)]);
      if (distance > (moves ? 0 : kTolerance)) {
        Accuse(pass,
               fmt::format("output '{}' moves by {:.3g} of its range{}", graph_.At(is).name,
                           distance, run.reading == Reading::kRanges ? ", its ranges alone" : ""));
      }
      if (before.At(was).name != graph_.At(is).name) Accuse(pass, "an output has another name");
    }
    // The next pass starts from what the graph says, not from what was put in its place.
    known = !settled ? std::move(now) : run.interpreter.Run(graph_, *run.sample, share);
  }

  // An output of codes, which a pass may turn into the real values that they stand for.
  static Tensor AsReal(const Graph& before, ValueId was, const Tensor& value, const Tensor& is) {
    if (value.IsFloat() || !is.IsFloat()) return value;
    const int producer = before.Producer(was);
    if (producer < 0 || before.nodes[static_cast<size_t>(producer)].op != "QuantizeLinear") {
      return value;
    }
    const Node& node = before.nodes[static_cast<size_t>(producer)];
    const Tensor* scale = before.Constant(node.inputs[1]);
    const Tensor* zero = node.inputs.size() > 2 ? before.Constant(node.inputs[2]) : nullptr;
    if (scale == nullptr || scale->floats.size() != 1) return value;
    Tensor real = Tensor::Floats(value.shape, {});
    for (const int64_t code : value.integers) {
      real.floats.push_back(static_cast<float>(code - (zero == nullptr ? 0 : zero->integers[0])) *
                            scale->floats[0]);
    }
    return real;
  }

  Graph graph_;
  std::vector<Run> runs_;
  std::vector<bool> jumps_;  // by value
  Judgement result_;
};

}  // namespace

bool OnlyMovesData(std::string_view pass) {
  return std::find(std::begin(kMovers), std::end(kMovers), pass) != std::end(kMovers);
}

Judgement Judge(Graph graph, const std::vector<std::vector<TensorPtr>>& samples,
                std::span<const passes::Pass> passes, std::span<const passes::LatePass> late) {
  return Comparison(std::move(graph), samples).Judge(passes, late);
}

std::vector<std::vector<TensorPtr>> RandomSamples(const Graph& graph, unsigned seed, int count) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> real(-3, 3);
  std::vector<std::vector<TensorPtr>> samples(static_cast<size_t>(count));
  for (auto& sample : samples) {
    for (const ValueId id : graph.inputs) {
      const graph::Value& value = graph.At(id);
      Tensor tensor;
      tensor.type = value.type;
      tensor.shape = *value.shape;
      for (int64_t i = 0; i < graph::ElementCount(tensor.shape); ++i) {
        const auto bits = static_cast<int64_t>(random());
        switch (value.type) {
          case DataType::kFloat:
            tensor.floats.push_back(real(random));
            break;
          case DataType::kInt8:
            tensor.integers.push_back(bits % 256 - 128);
            break;
          case DataType::kUInt8:
            tensor.integers.push_back(bits % 256);
            break;
          case DataType::kBool:
            tensor.integers.push_back(bits % 2);
            break;
          default:
            tensor.integers.push_back(bits % 3);
        }
      }
      sample.push_back(std::make_shared<const Tensor>(std::move(tensor)));
    }
  }
  return samples;
}

}  // namespace octet::test
