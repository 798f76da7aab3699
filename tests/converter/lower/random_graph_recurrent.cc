// The steps of graphs from kRecurrentSeeds on: RNN, GRU and LSTM over the rows of a value. Their
// functions are bounded, so that differences do not grow from step to step.
#include <algorithm>
#include <cmath>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::RecurrentStep() {
  static const char* const kOps[] = {"RNN", "GRU", "LSTM"};
  static const char* const kDirections[] = {"forward", "reverse", "bidirectional"};
  constexpr int64_t kMostSteps = 40;
  const Entry in = Any();
  const int64_t size = in.shape.back(), rows = ElementsOf(in.shape) / size;
  if (rows > kMostSteps * 3 || size > 200) return Means();
  const int64_t batch = rows % 3 == 0 && Chance(40) ? 3 : 1, steps = rows / batch;
  const int64_t kind = Pick(0, 2), way = Pick(0, 2), directions = way == 2 ? 2 : 1;
  const int64_t hidden = Pick(1, 40), gates = kind == 0 ? 1 : kind == 1 ? 3 : 4;
  const bool first = Chance(30);
  const auto random = [&](const char* base, const Dims& shape, float scale) {
    const std::string name = model_.Unique(base);
    model_.Random(name, shape, scale);
    return name;
  };
  const auto weights = [&](const char* base, const Dims& shape) {
    return random(base, shape, 1.0f / static_cast<float>(std::max<int64_t>(1, shape.back() / 4)));
  };
  // Its largest singular value is about 1 then: with a larger one a small difference of a state may
  // grow from step to step, and no plan is close to FP32.
  const float contracting = 0.5f / std::sqrt(static_cast<float>(hidden));
  std::vector<std::string> others{weights("w", {directions, gates * hidden, size}),
                                  random("r", {directions, gates * hidden, hidden}, contracting),
                                  Chance(60) ? weights("b", {directions, 2 * gates * hidden}) : ""};
  others.push_back("");
  if (Chance(30)) {
    Dims lengths;
    for (int64_t i = 0; i < batch; ++i) lengths.push_back(Pick(1, steps));
    others.back() = model_.Node("Cast", {Whole({batch}, lengths)}, {{"to", Int(6)}}).name();
  }
  if (Chance(40)) {
    const Dims states = first ? Dims{batch, directions, hidden} : Dims{directions, batch, hidden};
    others.push_back(weights("h", states));
    if (kind == 2) others.push_back(weights("c", states));
    if (kind == 2 && Chance(50)) others.push_back(weights("p", {directions, 3 * hidden}));
  }
  Attributes attributes{
      {"hidden_size", Int(hidden)}, {"direction", kDirections[way]}, {"layout", Int(first)}};
  if (Chance(20)) attributes["clip"] = 2.0f;
  if (kind == 1) attributes["linear_before_reset"] = Int(Pick(0, 1));
  if (kind == 2) attributes["input_forget"] = Int(Pick(0, 4) == 0);

  const Dims shape = first ? Dims{batch, steps, size} : Dims{steps, batch, size};
  std::vector<std::string> inputs{in.value.Reshape(shape).name()};
  inputs.insert(inputs.end(), others.begin(), others.end());
  const std::string y = model_.Unique("y"), y_h = model_.Unique("y_h"), y_c = model_.Unique("y_c");
  // Only the last state, only the steps, or all.
  const int64_t wanted = Pick(0, 2);
  std::vector<std::string> outputs{wanted == 0 ? "" : y};
  if (wanted != 1) outputs.push_back(y_h);
  if (wanted == 2 && kind == 2) outputs.push_back(y_c);
  model_.Node(kOps[kind], inputs, attributes, outputs);
  const auto push = [&](const std::string& name, const Dims& dims) {
    Push(kOps[kind], OnnxValue(&model_, name, 0).Reshape(dims), dims);
  };
  for (const std::string& name : outputs) {
    if (name == y) push(name, {1, rows, directions * hidden});
    if (!name.empty() && name != y) push(name, {1, batch * directions * hidden});
  }
}

}  // namespace octet::test
