// RNN, GRU and LSTM, 1 to 22, in every form that ONNX describes.
#include "converter/operators/recurrent.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <span>
#include <string_view>

#include <fmt/ranges.h>

#include "converter/operators/context.h"
#include "converter/support/functions.h"

namespace octet::operators {
namespace {

// Of each function: its default parameters, and whether the lists of parameters have a number for
// it.
struct Known {
  std::string_view name;
  CellFunctionKind kind;
  bool has_alpha, has_beta;
  float alpha, beta;
};
constexpr Known kKnown[] = {
    {"Affine", CellFunctionKind::kAffine, true, true, 1, 0},
    {"Elu", CellFunctionKind::kElu, true, false, 1, 0},
    {"HardSigmoid", CellFunctionKind::kHardSigmoid, true, true, 0.2f, 0.5f},
    {"LeakyRelu", CellFunctionKind::kLeakyRelu, true, false, 0.01f, 0},
    {"Relu", CellFunctionKind::kRelu, false, false, 0, 0},
    {"ScaledTanh", CellFunctionKind::kScaledTanh, true, true, 1, 1},
    {"Sigmoid", CellFunctionKind::kSigmoid, false, false, 0, 0},
    {"Softplus", CellFunctionKind::kSoftplus, false, false, 0, 0},
    {"Softsign", CellFunctionKind::kSoftsign, false, false, 0, 0},
    {"Tanh", CellFunctionKind::kTanh, false, false, 0, 0},
    {"ThresholdedRelu", CellFunctionKind::kThresholdedRelu, true, false, 1, 0},
};

// Names differ in case between writers.
bool SameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

const Known& KnownFunction(const Node& node, const std::string& name) {
  for (const Known& known : kKnown) {
    if (SameName(known.name, name)) return known;
  }
  std::vector<std::string_view> names;
  for (const Known& known : kKnown) names.push_back(known.name);
  NodeFail(node, "its activation '{}' is not supported; export the model with one of {}", name,
           fmt::join(names, ", "));
}

// What ONNX leaves out where all are the usual ones.
std::vector<std::string> NamesOf(const Node& node, Cell cell, int64_t directions) {
  const std::string given = node.String("activations", "");
  std::vector<std::string> names;
  for (size_t at = 0; at < given.size();) {
    const size_t end = std::min(given.find('\n', at), given.size());
    names.push_back(given.substr(at, end - at));
    at = end + 1;
  }
  const size_t each = cell == Cell::kRnn ? 1 : cell == Cell::kGru ? 2 : 3;
  if (names.empty()) {
    for (int64_t d = 0; d < directions; ++d) {
      if (cell != Cell::kRnn) names.emplace_back("Sigmoid");
      for (size_t i = cell == Cell::kRnn ? 0 : 1; i < each; ++i) names.emplace_back("Tanh");
    }
  }
  if (names.size() != each * static_cast<size_t>(directions)) {
    NodeFail(node, "it has {} activations in place of {}; export the model again", names.size(),
             each * static_cast<size_t>(directions));
  }
  return names;
}

std::vector<CellFunction> FunctionsOf(const Node& node, Cell cell, int64_t directions) {
  const std::vector<float> alphas = node.FloatList("activation_alpha"),
                           betas = node.FloatList("activation_beta");
  const std::vector<std::string> names = NamesOf(node, cell, directions);
  const size_t each = names.size() / static_cast<size_t>(directions);
  std::vector<CellFunction> functions;
  size_t alpha = 0, beta = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    const Known& known = KnownFunction(node, names[i]);
    CellFunction function{known.kind, known.alpha, known.beta};
    if (known.has_alpha && alpha < alphas.size()) function.alpha = alphas[alpha++];
    if (known.has_beta && beta < betas.size()) function.beta = betas[beta++];
    functions.push_back(function);
    if ((i + 1) % each == 0) functions.resize((i + 1) / each * 3);
  }
  return functions;
}

float Apply(const CellFunction& f, float x) {
  switch (f.kind) {
    case CellFunctionKind::kSigmoid:
      return 1 / (1 + math::Exp(-x));
    case CellFunctionKind::kTanh:
      return math::Tanh(x);
    case CellFunctionKind::kAffine:
      return f.alpha * x + f.beta;
    case CellFunctionKind::kScaledTanh:
      return f.alpha * math::Tanh(f.beta * x);
    default:
      break;
  }
  for (const Known& known : kKnown) {
    if (known.kind == f.kind) return static_cast<float>(ScalarOf(known.name)(x, f.alpha, f.beta));
  }
  return x;
}

// Sums of several elements side by side, in one order.
float Dot(const float* a, const float* b, int64_t count) {
  constexpr int64_t kLanes = 8;
  float sums[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) sums[l] += a[i + l] * b[i + l];
  }
  for (; i < count; ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// One direction of one sequence.
struct Walk {
  const Recurrent& recurrent;
  std::span<const CellFunction> functions;
  const float *w, *r;
  const float* b;  // of W, then of R; null: zeros
  const float* p;  // i, o, f; null: none
  int64_t input, hidden;
  std::vector<float> h, c, gates, sums, reset;

  float At(int64_t function, float x) const {
    if (recurrent.clip > 0) x = std::clamp(x, -recurrent.clip, recurrent.clip);
    return Apply(functions[static_cast<size_t>(function)], x);
  }
  size_t Index(int64_t gate, int64_t j) const { return static_cast<size_t>(gate * hidden + j); }
  float BiasOf(bool of_r, int64_t gate, int64_t j) const {
    return b == nullptr ? 0 : b[Index(gate + (of_r ? recurrent.gates() : 0), j)];
  }

  // gates = W x + biases, sums = R h + biases.
  void Multiply(const float* x) {
    for (int64_t g = 0; g < recurrent.gates(); ++g) {
      for (int64_t j = 0; j < hidden; ++j) {
        const size_t at = Index(g, j);
        gates[at] = BiasOf(false, g, j) + Dot(w + static_cast<int64_t>(at) * input, x, input);
        sums[at] =
            BiasOf(true, g, j) + Dot(r + static_cast<int64_t>(at) * hidden, h.data(), hidden);
      }
    }
  }

  void Step(const float* x) {
    Multiply(x);
    switch (recurrent.cell) {
      case Cell::kRnn:
        for (int64_t j = 0; j < hidden; ++j) {
          h[Index(0, j)] = At(0, gates[Index(0, j)] + sums[Index(0, j)]);
        }
        break;
      case Cell::kGru:
        return StepGru();
      case Cell::kLstm:
        return StepLstm();
    }
  }

  void StepGru() {
    for (int64_t j = 0; j < hidden; ++j) {
      for (int64_t g = 0; g < 2; ++g) {
        gates[Index(g, j)] = At(0, gates[Index(g, j)] + sums[Index(g, j)]);
      }
      reset[Index(0, j)] = gates[Index(1, j)] * h[Index(0, j)];
    }
    std::vector<float> next(h.size());
    for (int64_t j = 0; j < hidden; ++j) {
      const auto row = static_cast<int64_t>(Index(2, j)) * hidden;
      const float rest = recurrent.linear_before_reset
                             ? gates[Index(1, j)] * sums[Index(2, j)]
                             : Dot(r + row, reset.data(), hidden) + BiasOf(true, 2, j);
      const float n = At(1, gates[Index(2, j)] + rest), z = gates[Index(0, j)];
      next[Index(0, j)] = (1 - z) * n + z * h[Index(0, j)];
    }
    h = std::move(next);
  }

  void StepLstm() {
    for (int64_t j = 0; j < hidden; ++j) {
      const auto sum = [&](int64_t gate) { return gates[Index(gate, j)] + sums[Index(gate, j)]; };
      const auto peep = [&](int64_t gate) {
        return p == nullptr ? 0 : p[Index(gate, j)] * c[Index(0, j)];
      };
      const float i = At(0, sum(0) + peep(0));
      const float f = recurrent.input_forget ? 1 - i : At(0, sum(2) + peep(2));
      c[Index(0, j)] = f * c[Index(0, j)] + i * At(1, sum(3));
      const float o = At(0, sum(1) + peep(1));
      reset[Index(0, j)] = o * Apply(functions[2], c[Index(0, j)]);
    }
    h = reset;
  }
};

}  // namespace

bool IsRecurrent(const Node& node) {
  return node.domain.empty() && (node.op == "RNN" || node.op == "GRU" || node.op == "LSTM");
}

Recurrent RecurrentOf(const Node& node) {
  Recurrent recurrent;
  recurrent.cell = node.op == "RNN" ? Cell::kRnn : node.op == "GRU" ? Cell::kGru : Cell::kLstm;
  const std::string direction = node.String("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") {
    NodeFail(node, "its direction '{}' is none of forward, reverse, bidirectional", direction);
  }
  recurrent.reverse = direction == "reverse";
  recurrent.directions = direction == "bidirectional" ? 2 : 1;
  recurrent.batch_first = node.Int("layout", 0) != 0;
  recurrent.linear_before_reset = node.Int("linear_before_reset", 0) != 0;
  recurrent.input_forget = node.Int("input_forget", 0) != 0;
  recurrent.clip = node.Float("clip", 0);
  if (!(recurrent.clip >= 0)) NodeFail(node, "its clip {} is below 0", recurrent.clip);
  recurrent.functions = FunctionsOf(node, recurrent.cell, recurrent.directions);
  return recurrent;
}

bool HasUnitStates(const Recurrent& recurrent) {
  const auto within = [](const CellFunction& f, bool negative) {
    return f.kind == CellFunctionKind::kSigmoid || f.kind == CellFunctionKind::kHardSigmoid ||
           (negative &&
            (f.kind == CellFunctionKind::kTanh || f.kind == CellFunctionKind::kSoftsign));
  };
  for (size_t d = 0; d < recurrent.functions.size(); d += 3) {
    const CellFunction* f = &recurrent.functions[d];
    if (recurrent.cell == Cell::kRnn && !within(f[0], true)) return false;
    if (recurrent.cell == Cell::kGru && !(within(f[0], false) && within(f[1], true))) return false;
    if (recurrent.cell == Cell::kLstm && !(within(f[0], true) && within(f[2], true))) return false;
  }
  return true;
}

bool ReadsHalves(const Node& node, size_t input) {
  return IsRecurrent(node) && input != kRecurrentX;
}

bool WritesHalves(const Node& node) {
  return IsRecurrent(node);
}

std::vector<OutputType> InferRecurrent(const ShapeContext& context) {
  const Recurrent recurrent = RecurrentOf(*context.node);
  const bool lstm = recurrent.cell == Cell::kLstm;
  CheckInputCount(context, 3, lstm ? 8 : 6);
  for (const size_t input : {kRecurrentX, kRecurrentW, kRecurrentR}) {
    RequireFloat(context, input);
    RequireRank(context, input, 3, 3);
    RequireElements(context, input);
  }
  const Shape &x = InputShape(context, kRecurrentX), &r = InputShape(context, kRecurrentR);
  const int64_t batch = x[recurrent.batch_first ? 0 : 1], steps = x[recurrent.batch_first ? 1 : 0];
  const int64_t hidden = r[2], rows = recurrent.gates() * hidden, d = recurrent.directions;
  const auto require = [&](size_t input, const char* name, const Shape& shape) {
    if (HasInput(context, input) && InputShape(context, input) != shape) {
      ShapeFail(context, "{} must have shape {}", name, graph::ToString(shape));
    }
  };
  require(kRecurrentW, "W", {d, rows, x[2]});
  require(kRecurrentR, "R", {d, rows, hidden});
  require(kRecurrentB, "B", {d, 2 * rows});
  require(kRecurrentLengths, "sequence_lens", {batch});
  const Shape state = recurrent.batch_first ? Shape{batch, d, hidden} : Shape{d, batch, hidden};
  require(kRecurrentInitialH, "initial_h", state);
  require(kRecurrentInitialC, "initial_c", state);
  require(kRecurrentP, "P", {d, 3 * hidden});
  if (HasInput(context, kRecurrentLengths)) RequireInteger(context, kRecurrentLengths);
  if (context.node->Has("hidden_size") && context.node->Int("hidden_size", 0) != hidden) {
    ShapeFail(context, "its hidden_size is {}, but R has {} columns",
              context.node->Int("hidden_size", 0), hidden);
  }
  const Shape y =
      recurrent.batch_first ? Shape{batch, steps, d, hidden} : Shape{steps, d, batch, hidden};
  std::vector<OutputType> types{{DataType::kFloat, y}, {DataType::kFloat, state}};
  if (lstm) types.push_back({DataType::kFloat, state});
  return types;
}

void ExecuteRecurrent(const Node& node, Inputs inputs, Outputs outputs, Workspace&) {
  const Recurrent recurrent = RecurrentOf(node);
  const Tensor& x = *inputs[kRecurrentX];
  const Tensor& r = *inputs[kRecurrentR];
  const bool batch_first = recurrent.batch_first;
  const int64_t batch = x.shape[batch_first ? 0 : 1], steps = x.shape[batch_first ? 1 : 0];
  const int64_t input = x.shape[2], hidden = r.shape[2], directions = recurrent.directions;
  const int64_t rows = recurrent.gates() * hidden;
  const auto floats = [&](size_t index, int64_t offset) -> const float* {
    const Tensor* tensor = At(inputs, index);
    return tensor == nullptr ? nullptr : tensor->floats.data() + offset;
  };
  const auto write = [&](size_t index, int64_t at, const std::vector<float>& values) {
    if (index >= outputs.size() || outputs[index].floats.empty()) return;
    std::copy(values.begin(), values.end(), outputs[index].floats.begin() + at);
  };
  if (!outputs.empty()) std::fill(outputs[0].floats.begin(), outputs[0].floats.end(), 0.0f);
  for (int64_t d = 0; d < directions; ++d) {
    for (int64_t n = 0; n < batch; ++n) {
      const int64_t state = (batch_first ? n * directions + d : d * batch + n) * hidden;
      const auto initial = [&](size_t index) {
        const float* from = floats(index, state);
        return from == nullptr ? std::vector<float>(static_cast<size_t>(hidden))
                               : std::vector<float>(from, from + hidden);
      };
      Walk walk{recurrent,
                std::span(recurrent.functions).subspan(static_cast<size_t>(d) * 3, 3),
                floats(kRecurrentW, d * rows * input),
                floats(kRecurrentR, d * rows * hidden),
                floats(kRecurrentB, d * rows * 2),
                floats(kRecurrentP, d * hidden * 3),
                input,
                hidden,
                initial(kRecurrentInitialH),
                initial(kRecurrentInitialC),
                std::vector<float>(static_cast<size_t>(rows)),
                std::vector<float>(static_cast<size_t>(rows)),
                std::vector<float>(static_cast<size_t>(hidden))};
      int64_t length = steps;
      if (const Tensor* lengths = At(inputs, kRecurrentLengths)) {
        length = std::clamp<int64_t>(lengths->integers[static_cast<size_t>(n)], 0, steps);
      }
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = recurrent.reverse || d == 1 ? length - 1 - s : s;
        walk.Step(x.floats.data() + (batch_first ? n * steps + t : t * batch + n) * input);
        write(0,
              (batch_first ? (n * steps + t) * directions + d : (t * directions + d) * batch + n) *
                  hidden,
              walk.h);
      }
      write(1, state, walk.h);
      write(2, state, walk.c);
    }
  }
}

}  // namespace octet::operators
