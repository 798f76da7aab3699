#include "tests/converter/oracle/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "converter/support/error.h"

namespace octet::test {

namespace {

using graph::Given;
using graph::Graph;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

size_t At(ValueId id) {
  return static_cast<size_t>(id);
}

template <typename T>
void AppendBytes(std::string& key, const T* data, size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const size_t bytes = count * sizeof(T);
  key.append(reinterpret_cast<const char*>(&bytes), sizeof(bytes));
  if (bytes != 0) key.append(reinterpret_cast<const char*>(data), bytes);
}

void AppendAttribute(std::string& key, const graph::Attribute& attribute) {
  key += static_cast<char>('0' + attribute.index());
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>) {
          AppendBytes(key, &value.type, 1);
          AppendBytes(key, value.shape.data(), value.shape.size());
          AppendBytes(key, value.floats.data(), value.floats.size());
          AppendBytes(key, value.integers.data(), value.integers.size());
        } else if constexpr (std::is_arithmetic_v<T>) {
          AppendBytes(key, &value, 1);
        } else {
          AppendBytes(key, value.data(), value.size());
        }
      },
      attribute);
}

void RoundTo(const Given& given, std::vector<float>& values) {
  const float scale = given.scale;
  const auto low = static_cast<float>(-128 - given.zero_point);
  const auto high = static_cast<float>(127 - given.zero_point);
  for (float& value : values) {
    value = std::min(std::max(std::nearbyint(value / scale), low), high) * scale;
  }
}

// The data live as long as what shares them.
TensorPtr Shared(const graph::Constant& constant) {
  if (!constant) return nullptr;
  return TensorPtr(std::make_shared<const graph::Constant>(constant), constant.get());
}

void ClampGates(const Node& node, const std::vector<float>& in, std::vector<float>& out) {
  const float scale = node.Float("gate_scale", 0);
  const auto zero_point = static_cast<float>(node.Int("gate_zero_point", 0));
  for (size_t i = 0; i < in.size(); ++i) {
    const float gate = 1 / (1 + std::exp(-in[i]));
    out[i] =
        in[i] * std::min(std::max(gate, scale * (-128 - zero_point)), scale * (127 - zero_point));
  }
}

}  // namespace

bool Same(const Tensor& a, const Tensor& b) {
  if (a.type != b.type || a.shape != b.shape || a.integers != b.integers) return false;
  return std::equal(a.floats.begin(), a.floats.end(), b.floats.begin(), b.floats.end(),
                    [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

const Given* Interpreter::GivenOf(const Graph& graph, ValueId id) const {
  const graph::Value& value = graph.At(id);
  return value.type == graph::DataType::kFloat && !value.constant ? value.given.get() : nullptr;
}

// Everything that the results depend on.
std::string Interpreter::KeyOf(const Graph& graph, const Node& node,
                               const std::vector<TensorPtr>& inputs) const {
  std::string key = node.op + ' ' + node.domain + ' ' + node.activation + ' ';
  AppendBytes(key, &node.since_opset, 1);
  AppendBytes(key, &node.alpha, 1);
  AppendBytes(key, &node.beta, 1);
  for (const auto& [name, attribute] : node.attributes) {
    key += name + '=';
    AppendAttribute(key, attribute);
  }
  for (const TensorPtr& input : inputs) {
    const Tensor* address = input.get();
    AppendBytes(key, &address, 1);
  }
  for (const ValueId id : node.outputs) {
    if (id == graph::kNoValue) {
      key += '-';
      continue;
    }
    const graph::Value& value = graph.At(id);
    AppendBytes(key, &value.type, 1);
    AppendBytes(key, value.shape->data(), value.shape->size());
    if (const Given* given = GivenOf(graph, id)) {
      AppendBytes(key, &given->scale, 1);
      AppendBytes(key, &given->zero_point, 1);
    }
  }
  return key;
}

// An input as the graph takes it.
TensorPtr Interpreter::Read(const Graph& graph, ValueId id, const TensorPtr& input) const {
  const graph::Value& value = graph.At(id);
  const Given* given = GivenOf(graph, id);
  if (given == nullptr) return input;
  Tensor real = *input;
  if (!real.IsFloat()) {
    const int64_t offset = real.type == graph::DataType::kUInt8 ? 128 : 0;
    for (const int64_t code : real.integers) {
      real.floats.push_back(static_cast<float>(code - offset - given->zero_point) * given->scale);
    }
    real.integers.clear();
    real.type = value.type;
  }
  if (reading_ == Reading::kCodes) RoundTo(*given, real.floats);
  return std::make_shared<const Tensor>(std::move(real));
}

std::vector<TensorPtr> Interpreter::Compute(const Graph& graph, const Node& node,
                                            const std::vector<TensorPtr>& inputs, bool real) {
  const operators::Operator* op = operators::Find(node.op);
  if (op == nullptr) Fail("node '{}' ({}): the operator is not supported", node.name, node.op);
  std::vector<const Tensor*> sources;
  for (const TensorPtr& input : inputs) sources.push_back(input.get());
  std::vector<Tensor> results(node.outputs.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (node.outputs[i] == graph::kNoValue) continue;
    const graph::Value& value = graph.At(node.outputs[i]);
    results[i].type = value.type;
    results[i].shape = *value.shape;
    // Codes read as real values stay those where they move.
    const bool codes =
        value.type == graph::DataType::kInt8 || value.type == graph::DataType::kUInt8;
    if (real && codes) results[i].type = graph::DataType::kFloat;
    const auto count = static_cast<size_t>(graph::ElementCount(*value.shape));
    if (results[i].IsFloat()) {
      results[i].floats.resize(count);
    } else {
      results[i].integers.resize(count);
    }
  }
  // A Silu may hold the rounding of its gate; as a range that is a clamp.
  const bool gated = reading_ == Reading::kRanges && node.Float("gate_scale", 0) > 0;
  if (gated) {
    ClampGates(node, sources[0]->floats, results[0].floats);
  } else {
    op->execute(node, sources, results, workspace_);
  }
  std::vector<TensorPtr> outputs;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!node.activation.empty()) {
      operators::ApplyActivation(node.activation, results[i].floats, node.alpha, node.beta);
    }
    if (node.outputs[i] != graph::kNoValue) {
      const Given* given = reading_ == Reading::kCodes ? GivenOf(graph, node.outputs[i]) : nullptr;
      if (given != nullptr) RoundTo(*given, results[i].floats);
    }
    outputs.push_back(std::make_shared<const Tensor>(std::move(results[i])));
  }
  return outputs;
}

std::vector<TensorPtr> Interpreter::RealInputs(const Node& node, std::vector<TensorPtr> inputs,
                                               Schemes& schemes) {
  if (node.op == "DequantizeLinear") return inputs;
  Scheme own{1, 0};
  for (const ValueId id : node.inputs) {
    if (const auto found = schemes.find(id); found != schemes.end()) own = found->second;
  }
  for (TensorPtr& input : inputs) {
    if (input == nullptr ||
        (input->type != graph::DataType::kInt8 && input->type != graph::DataType::kUInt8)) {
      continue;
    }
    Tensor real = Tensor::Floats(input->shape, {});
    for (const int64_t code : input->integers) {
      real.floats.push_back(
          static_cast<float>((static_cast<double>(code) - own.zero_point) * own.scale));
    }
    input = std::make_shared<const Tensor>(std::move(real));
  }
  for (const ValueId id : node.outputs) {
    if (id != graph::kNoValue) schemes[id] = own;
  }
  return inputs;
}

std::vector<TensorPtr> Interpreter::RealResults(const Graph& graph, const Node& node,
                                                const std::vector<TensorPtr>& inputs,
                                                Schemes& schemes) {
  const Tensor& in = *inputs[0];
  const Tensor& scale = *inputs[1];
  const bool has_zero_point = inputs.size() > 2 && inputs[2] != nullptr;
  const auto zero_of = [&](size_t i) {
    return has_zero_point ? static_cast<double>(inputs[2]->integers[i]) : 0;
  };
  const bool by_axis = scale.floats.size() > 1;
  if (node.op == "DequantizeLinear") {
    const auto found = schemes.find(node.inputs[0]);
    if (!in.IsFloat() || found == schemes.end() || by_axis)
      return Compute(graph, node, inputs, false);
    const Scheme from = found->second;
    if (from.scale == scale.floats[0] && from.zero_point == zero_of(0)) return {inputs[0]};
    // Read with another scheme than written.
    Tensor real = in;
    for (float& value : real.floats) {
      value =
          static_cast<float>((value / from.scale + from.zero_point - zero_of(0)) * scale.floats[0]);
    }
    return {std::make_shared<const Tensor>(std::move(real))};
  }
  if (by_axis || graph.At(node.inputs[0]).constant != nullptr)
    return Compute(graph, node, inputs, false);
  double low = 0, high = 255;
  switch (graph.At(node.outputs[0]).type) {
    case graph::DataType::kInt8:
      low = -128, high = 127;
      break;
    case graph::DataType::kInt16:
      low = -32768, high = 32767;
      break;
    case graph::DataType::kUInt16:
      high = 65535;
      break;
    default:
      break;
  }
  const Scheme scheme{scale.floats[0], zero_of(0)};
  schemes[node.outputs[0]] = scheme;
  const auto least = static_cast<float>((low - scheme.zero_point) * scheme.scale);
  const auto most = static_cast<float>((high - scheme.zero_point) * scheme.scale);
  Tensor real = in;
  for (float& value : real.floats) value = std::min(std::max(value, least), most);
  return {std::make_shared<const Tensor>(std::move(real))};
}

Values Interpreter::Run(const Graph& graph, const std::vector<TensorPtr>& inputs,
                        const Settle& settle) {
  Values values(graph.values.size());
  std::unordered_map<std::string, Known> used;
  Schemes schemes;
  for (size_t i = 0; i < values.size(); ++i) values[i] = Shared(graph.values[i].constant);
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ValueId id = graph.inputs[i];
    values[At(id)] = Read(graph, id, inputs[i]);
    if (settle) values[At(id)] = settle(id, values[At(id)]);
  }
  for (const Node& node : graph.nodes) {
    const auto constant = [&](ValueId id) {
      return id == graph::kNoValue || graph.At(id).constant != nullptr;
    };
    if (std::all_of(node.outputs.begin(), node.outputs.end(), constant)) continue;
    std::vector<TensorPtr> sources;
    for (const ValueId id : node.inputs) {
      sources.push_back(id == graph::kNoValue ? nullptr : values[At(id)]);
      if (id != graph::kNoValue && sources.back() == nullptr) {
        Fail("node '{}' ({}) reads '{}', which nothing computes", node.name, node.op,
             graph.At(id).name);
      }
    }
    for (const ValueId id : node.outputs) {
      if (id != graph::kNoValue && !graph.At(id).shape) {
        Fail("node '{}' ({}): the shape of '{}' is unknown", node.name, node.op, graph.At(id).name);
      }
    }
    const bool ranges = reading_ == Reading::kRanges;
    const bool pair = ranges && (node.op == "QuantizeLinear" || node.op == "DequantizeLinear");
    const auto is_code = [&](ValueId id) { return schemes.contains(id); };
    const bool real = ranges && std::any_of(node.inputs.begin(), node.inputs.end(), is_code);
    if (real) sources = RealInputs(node, std::move(sources), schemes);
    std::string key = KeyOf(graph, node, sources);
    Known known;
    if (pair) {
      known = {sources, RealResults(graph, node, sources, schemes)};
    } else if (auto found = known_.find(key); found != known_.end()) {
      known = std::move(found->second);
      known_.erase(found);
    } else if (auto again = used.find(key); again != used.end()) {
      known = again->second;
    } else {
      known = {sources, Compute(graph, node, sources, real)};
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id == graph::kNoValue || graph.At(id).constant != nullptr) continue;
      values[At(id)] = settle ? settle(id, known.outputs[i]) : known.outputs[i];
    }
    used.emplace(std::move(key), std::move(known));
  }
  known_ = std::move(used);
  return values;
}

}  // namespace octet::test
