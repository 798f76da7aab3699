#include "converter/import/dynamic_layers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "converter/import/node_inputs.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Links;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

// y = Cast(sum (x - zx)(w - zw)) * (sx * sw), found from the integer layer down.
struct Found {
  size_t cast, mul;
  ValueId weight_scale = kNoValue;
};

class DynamicRewriter {
 public:
  explicit DynamicRewriter(Graph& graph)
      : graph_(graph), links_(graph), dead_(graph.nodes.size()) {}

  void Run() {
    int layers = 0;
    const size_t count = graph_.nodes.size();
    for (size_t n = 0; n < count; ++n) {
      const std::string& op = graph_.nodes[n].op;
      if (op == "ConvInteger" || op == "MatMulInteger") layers += Layer(n) ? 1 : 0;
    }
    const int directly = Dequantized();
    if (layers + directly > 0) RemoveUnused();
    dead_.resize(graph_.nodes.size());
    graph_.RemoveNodes(dead_);
    if (layers > 0 && dynamic_ > 0) {
      graph_.notes.push_back(
          fmt::format("the model is dynamically quantized: weights of {} layers are converted to "
                      "float and calibrated like a float model",
                      dynamic_));
    }
  }

 private:
  int OnlyReader(ValueId id, std::string_view op) const {
    const auto& readers = links_.consumers[static_cast<size_t>(id)];
    if (readers.size() != 1 || links_.is_output[static_cast<size_t>(id)]) return -1;
    return graph_.nodes[static_cast<size_t>(readers[0])].op == op ? readers[0] : -1;
  }
  const Node* Producer(ValueId id) const {
    const int node = id == kNoValue ? -1 : links_.producer[static_cast<size_t>(id)];
    return node < 0 ? nullptr : &graph_.nodes[static_cast<size_t>(node)];
  }

  // The factor beside `own` in a product: Mul(own, factor) in either order.
  static ValueId OtherFactor(const Node& mul, ValueId own) {
    return mul.inputs[0] == own ? mul.inputs[1] : mul.inputs[0];
  }

  // Splits a product of scales into that of the data, given, and a constant; kNoValue if it is
  // none.
  ValueId ConstantBeside(ValueId product, ValueId data_scale) const {
    const Node* mul = Producer(product);
    if (mul == nullptr || mul->op != "Mul" || mul->inputs.size() != 2) return kNoValue;
    for (size_t i = 0; i < 2; ++i) {
      if (mul->inputs[i] == data_scale && graph_.Constant(mul->inputs[1 - i]) != nullptr) {
        return mul->inputs[1 - i];
      }
    }
    return kNoValue;
  }

  bool Find(const Node& node, ValueId data_scale, Found* found) const {
    const int cast = OnlyReader(node.outputs[0], "Cast");
    if (cast < 0) return false;
    const ValueId real = graph_.nodes[static_cast<size_t>(cast)].outputs[0];
    const int mul = OnlyReader(real, "Mul");
    if (mul < 0 || graph_.nodes[static_cast<size_t>(mul)].inputs.size() != 2) return false;
    found->cast = static_cast<size_t>(cast);
    found->mul = static_cast<size_t>(mul);
    const ValueId factor = OtherFactor(graph_.nodes[found->mul], real);
    // One Mul by the product of both scales, or two, one behind another.
    found->weight_scale = ConstantBeside(factor, data_scale);
    if (found->weight_scale != kNoValue) return true;
    const ValueId scaled = graph_.nodes[found->mul].outputs[0];
    const int second = OnlyReader(scaled, "Mul");
    if (second < 0 || graph_.nodes[static_cast<size_t>(second)].inputs.size() != 2) return false;
    const ValueId other = OtherFactor(graph_.nodes[static_cast<size_t>(second)], scaled);
    const bool first_is_data = factor == data_scale && graph_.Constant(other) != nullptr;
    const bool second_is_data = other == data_scale && graph_.Constant(factor) != nullptr;
    if (!first_is_data && !second_is_data) return false;
    found->weight_scale = first_is_data ? other : factor;
    found->mul = static_cast<size_t>(second);
    return true;
  }

  // The codes of the layer's data as real values, and their scale.
  bool Data(const Node& node, ValueId* real, ValueId* scale, bool* dynamic) {
    const Node* producer = Producer(node.inputs[0]);
    if (producer == nullptr || producer->inputs.empty()) return false;
    *dynamic = producer->op == "DynamicQuantizeLinear";
    if (*dynamic) {
      if (producer->outputs.size() < 3 || Input(node, 2) != producer->outputs[2]) return false;
      *real = producer->inputs[0];
      *scale = producer->outputs[1];
      return true;
    }
    if (producer->op != "QuantizeLinear" || producer->inputs.size() < 2) return false;
    *scale = producer->inputs[1];
    *real = kNoValue;
    return true;
  }

  // Weights and their zero point as DequantizeLinear(codes, scale, zero point, axis).
  ValueId Weights(const Node& node, ValueId scale) {
    const Tensor& factors = *graph_.Constant(scale);
    const Tensor& codes = *graph_.Constant(node.inputs[1]);
    const auto rank = static_cast<int64_t>(codes.shape.size());
    const bool conv = node.op == "ConvInteger";
    const int64_t outputs = conv ? codes.shape[0] : codes.shape[static_cast<size_t>(rank - 1)];
    const Tensor* zero = graph_.Constant(Input(node, 3));
    const auto fits = [&](const Tensor& t) { return t.Count() == 1 || t.Count() == outputs; };
    if (outputs < 1 || !factors.IsFloat() || (zero != nullptr && zero->IsFloat())) return kNoValue;
    if (!fits(factors) || (zero != nullptr && !fits(*zero))) return kNoValue;
    const bool by_output = factors.Count() > 1 || (zero != nullptr && zero->Count() > 1);
    std::vector<float> scales = factors.floats;
    std::vector<int64_t> zeros = zero != nullptr ? zero->integers : std::vector<int64_t>{0};
    const size_t count = by_output ? static_cast<size_t>(outputs) : 1;
    scales.resize(count, scales[0]);
    zeros.resize(count, zeros[0]);
    graph::Shape shape;
    if (by_output) shape = {outputs};
    const std::string base = graph_.At(node.inputs[1]).name;
    const DataType type = codes.type;
    Node dequantize;
    dequantize.name = node.name + "/weights";
    dequantize.op = "DequantizeLinear";
    dequantize.since_opset = node.since_opset;
    dequantize.inputs = {
        node.inputs[1], graph_.AddConstant(base + "/scale", Tensor::Floats(shape, scales)),
        graph_.AddConstant(base + "/zero_point", Tensor::Integers(shape, zeros, type))};
    if (by_output) dequantize.attributes["axis"] = conv ? int64_t{0} : rank - 1;
    graph::Value value;
    value.name = base + "/real";
    dequantize.outputs = {graph_.AddValue(std::move(value))};
    graph_.nodes.push_back(std::move(dequantize));
    return graph_.nodes.back().outputs[0];
  }

  // The layer's own zero point decides, whatever made the codes.
  ValueId DequantizedData(const Node& node, ValueId scale) {
    const std::string& codes = graph_.At(node.inputs[0]).name;
    Node dequantize;
    dequantize.name = node.name + "/data";
    dequantize.op = "DequantizeLinear";
    dequantize.since_opset = node.since_opset;
    dequantize.inputs = {node.inputs[0], scale};
    if (Input(node, 2) != kNoValue) dequantize.inputs.push_back(Input(node, 2));
    graph::Value value;
    value.name = codes + "/real";
    dequantize.outputs = {graph_.AddValue(std::move(value))};
    graph_.nodes.push_back(std::move(dequantize));
    return graph_.nodes.back().outputs[0];
  }

  bool Layer(size_t n) {
    const Node node = graph_.nodes[n];
    const Tensor* codes = graph_.Constant(Input(node, 1));
    if (node.inputs.size() < 2 || codes == nullptr || codes->IsFloat() || codes->shape.size() < 2) {
      return false;
    }
    ValueId data = kNoValue, scale = kNoValue;
    bool dynamic = false;
    Found found;
    if (!Data(node, &data, &scale, &dynamic) || !Find(node, scale, &found)) return Static(n);
    const ValueId weights = Weights(node, found.weight_scale);
    if (weights == kNoValue) return false;
    if (!dynamic) data = DequantizedData(node, scale);
    // The last product becomes the layer, so that its name and place stay those of its result.
    Node& layer = graph_.nodes[found.mul];
    layer.name = node.name;
    layer.op = node.op == "ConvInteger" ? "Conv" : "MatMul";
    layer.inputs = {data, weights};
    layer.attributes = node.attributes;
    dead_[n] = dead_[found.cast] = true;
    dynamic_ += dynamic ? 1 : 0;
    return true;
  }

  // A constant, or a product of constants one of which is one number.
  std::optional<Tensor> Factor(ValueId id) const {
    if (const Tensor* constant = graph_.Constant(id)) {
      return constant->IsFloat() ? std::optional<Tensor>(*constant) : std::nullopt;
    }
    const Node* mul = Producer(id);
    if (mul == nullptr || mul->op != "Mul" || mul->inputs.size() != 2) return std::nullopt;
    const Tensor *a = graph_.Constant(mul->inputs[0]), *b = graph_.Constant(mul->inputs[1]);
    if (a == nullptr || b == nullptr || !a->IsFloat() || !b->IsFloat()) return std::nullopt;
    return Product(*a, *b);
  }
  static std::optional<Tensor> Product(const Tensor& a, const Tensor& b) {
    if (a.Count() != 1 && b.Count() != 1) return std::nullopt;
    Tensor result = a.Count() == 1 ? b : a;
    const float factor = a.Count() == 1 ? a.floats[0] : b.floats[0];
    for (float& value : result.floats) value *= factor;
    return result;
  }

  // Constant factors behind a layer's sums: all that leads from them to real values.
  struct Scaled {
    size_t last = 0;  // node that gives the real values
    std::vector<size_t> dropped;
    Tensor factor;
    const Tensor* bias = nullptr;  // integers added to the sums
  };
  std::optional<Scaled> FindScaled(const Node& node) const {
    Scaled scaled;
    ValueId sums = node.outputs[0];
    if (const int add = OnlyReader(sums, "Add"); add >= 0) {
      const Node& sum = graph_.nodes[static_cast<size_t>(add)];
      scaled.bias = graph_.Constant(OtherFactor(sum, sums));
      if (scaled.bias == nullptr || scaled.bias->IsFloat()) return std::nullopt;
      scaled.dropped.push_back(static_cast<size_t>(add));
      sums = sum.outputs[0];
    }
    if (const int dequantize = OnlyReader(sums, "DequantizeLinear"); dequantize >= 0) {
      scaled.last = static_cast<size_t>(dequantize);
      const Node& last = graph_.nodes[scaled.last];
      const Tensor* zero = graph_.Constant(Input(last, 2));
      const auto factor = Factor(Input(last, 1));
      const bool moves =
          Input(last, 2) != kNoValue &&
          (zero == nullptr || std::any_of(zero->integers.begin(), zero->integers.end(),
                                          [](int64_t z) { return z != 0; }));
      if (!factor || factor->Count() != 1 || moves) return std::nullopt;
      scaled.factor = *factor;
      return scaled;
    }
    const int cast = OnlyReader(sums, "Cast");
    if (cast < 0) return std::nullopt;
    scaled.dropped.push_back(static_cast<size_t>(cast));
    scaled.factor = Tensor::Floats({}, {1});
    ValueId real = graph_.nodes[static_cast<size_t>(cast)].outputs[0];
    bool any = false;
    for (int mul = OnlyReader(real, "Mul"); mul >= 0; mul = OnlyReader(real, "Mul")) {
      const Node& product = graph_.nodes[static_cast<size_t>(mul)];
      const auto factor = Factor(OtherFactor(product, real));
      const auto all = factor ? Product(scaled.factor, *factor) : std::nullopt;
      if (!all) break;
      if (any) scaled.dropped.push_back(scaled.last);
      any = true;
      scaled.factor = *all;
      scaled.last = static_cast<size_t>(mul);
      real = product.outputs[0];
    }
    return any ? std::optional<Scaled>(scaled) : std::nullopt;
  }

  // Sums of codes whose scales are known: y = (sum (x - zx)(w - zw) + bias) * factor.
  bool Static(size_t n) {
    const Node node = graph_.nodes[n];
    const Node* producer = Producer(node.inputs[0]);
    if (producer != nullptr && producer->op == "DynamicQuantizeLinear") return false;
    const std::optional<Scaled> scaled = FindScaled(node);
    if (!scaled) return false;
    const Tensor* known = producer != nullptr && producer->op == "QuantizeLinear"
                              ? graph_.Constant(Input(*producer, 1))
                              : nullptr;
    const bool has_scale =
        known != nullptr && known->IsFloat() && known->Count() == 1 && known->floats[0] > 0;
    const float step = has_scale ? known->floats[0] : 1.0f;
    Tensor weight_scale = scaled->factor;
    for (float& value : weight_scale.floats) value /= step;
    const std::string base = node.name + "/scale";
    const ValueId weights = Weights(node, graph_.AddConstant(base, std::move(weight_scale)));
    if (weights == kNoValue) return false;
    const ValueId data =
        DequantizedData(node, graph_.AddConstant(base + "_data", Tensor::Floats({}, {step})));
    ValueId bias = kNoValue;
    if (scaled->bias != nullptr) {
      const auto count = static_cast<size_t>(scaled->bias->Count());
      if (scaled->factor.Count() != 1 && scaled->factor.floats.size() != count) return false;
      std::vector<float> values(count);
      for (size_t i = 0; i < count; ++i) {
        const float factor = scaled->factor.floats[scaled->factor.floats.size() == 1 ? 0 : i];
        values[i] = static_cast<float>(scaled->bias->integers[i]) * factor;
      }
      bias = graph_.AddConstant(node.name + "/bias", Tensor::Floats(scaled->bias->shape, values));
    }
    dead_[n] = true;
    for (const size_t dropped : scaled->dropped) dead_[dropped] = true;
    Node layer;
    layer.name = node.name;
    layer.op = node.op == "ConvInteger" ? "Conv" : "MatMul";
    layer.since_opset = 13;
    layer.inputs = {data, weights};
    layer.attributes = node.attributes;
    layer.outputs = graph_.nodes[scaled->last].outputs;
    if (bias == kNoValue) {
      graph_.nodes[scaled->last] = std::move(layer);
      return true;
    }
    graph::Value value;
    value.name = node.name + "/product";
    layer.outputs = {graph_.AddValue(std::move(value))};
    Node& add = graph_.nodes[scaled->last];
    add.op = "Add";
    add.since_opset = 13;
    add.attributes.clear();
    add.inputs = {layer.outputs[0], bias};
    graph_.nodes.push_back(std::move(layer));
    return true;
  }

  // DequantizeLinear(DynamicQuantizeLinear(x)) is x.
  int Dequantized() {
    int count = 0;
    for (size_t n = 0; n < dead_.size(); ++n) {
      const Node& node = graph_.nodes[n];
      if (node.op != "DequantizeLinear" || node.inputs.size() < 2 || dead_[n]) continue;
      const Node* producer = Producer(node.inputs[0]);
      if (producer == nullptr || producer->op != "DynamicQuantizeLinear") continue;
      if (producer->outputs.size() < 3 || producer->inputs.empty()) continue;
      if (node.inputs[1] != producer->outputs[1]) continue;
      graph_.nodes[n].op = "Identity";
      graph_.nodes[n].inputs = {producer->inputs[0]};
      ++count;
    }
    return count;
  }

  // What nobody reads any more of what led to the layers: scales, products of them.
  void RemoveUnused() {
    dead_.resize(graph_.nodes.size());
    std::vector<int> uses(graph_.values.size());
    for (ValueId id : graph_.outputs) ++uses[static_cast<size_t>(id)];
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      if (dead_[n]) continue;
      for (ValueId id : graph::Present(graph_.nodes[n].inputs)) {
        ++uses[static_cast<size_t>(id)];
      }
    }
    for (bool again = true; again;) {
      again = false;
      for (size_t n = 0; n < graph_.nodes.size(); ++n) {
        const Node& node = graph_.nodes[n];
        const bool used = std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) {
          return id != kNoValue && uses[static_cast<size_t>(id)] > 0;
        });
        if (dead_[n] || used || (node.op != "Mul" && node.op != "DynamicQuantizeLinear")) continue;
        dead_[n] = again = true;
        for (ValueId id : graph::Present(node.inputs)) {
          --uses[static_cast<size_t>(id)];
        }
      }
    }
  }

  Graph& graph_;
  Links links_;
  std::vector<bool> dead_;
  int dynamic_ = 0;
};

}  // namespace

void RewriteDynamicLayers(Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return node.op == "ConvInteger" || node.op == "MatMulInteger" ||
           node.op == "DynamicQuantizeLinear";
  });
  if (any) DynamicRewriter(graph).Run();
}

}  // namespace octet::import
