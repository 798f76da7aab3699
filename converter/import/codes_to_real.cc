#include "converter/import/codes_to_real.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "converter/import/code_casts.h"
#include "converter/import/code_nodes.h"
#include "converter/import/codes.h"
#include "converter/import/fold_codes.h"
#include "converter/import/zero_scales.h"
#include "converter/operators/context.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::DataType;
using graph::Graph;
using graph::kNoValue;
using graph::Links;
using graph::Node;
using graph::Tensor;
using graph::ValueId;

class CodesRewriter {
 public:
  explicit CodesRewriter(Graph& graph)
      : graph_(graph), nodes_(graph), types_(graph), links_(graph) {}

  void Run() {
    schemes_.resize(graph_.values.size());
    for (const ValueId id : graph_.inputs) {
      if (types_.IsQuantized(id)) SchemeAt(id) = SchemeOfInput(id);
    }
    const size_t count = graph_.nodes.size();
    std::vector<bool> counts(count);
    for (size_t n = 0; n < count; ++n) counts[n] = ReadNode(n);
    if (std::find(counts.begin(), counts.end(), true) == counts.end()) return;
    for (size_t n = count; n-- > 0;) {
      if (counts[n]) Rewrite(n);
    }
    dead_.resize(graph_.nodes.size());
    graph_.RemoveNodes(dead_);
  }

 private:
  std::optional<CodeScheme>& SchemeAt(ValueId id) { return schemes_[static_cast<size_t>(id)]; }
  bool IsCodes(ValueId id) const {
    return id != kNoValue && static_cast<size_t>(id) < schemes_.size() && types_.Of(id);
  }
  bool IsConstant(ValueId id) const { return graph_.Constant(id) != nullptr; }

  // What a QuantizeLinear or DequantizeLinear says, where it is one scheme for all elements.
  std::optional<CodeScheme> SchemeOf(const Node& node) const {
    if (node.inputs.size() < 2) return std::nullopt;
    CodeScheme scheme{node.inputs[1], kNoValue};
    const Tensor* scale = graph_.Constant(scheme.scale);
    if (scale == nullptr || !scale->IsFloat() || scale->Count() != 1) return std::nullopt;
    scheme.step = scale->floats[0];
    if (!(scheme.step > 0) || !std::isfinite(scheme.step)) return std::nullopt;
    if (node.inputs.size() < 3 || node.inputs[2] == kNoValue) return scheme;
    scheme.zero_point = node.inputs[2];
    const Tensor* zero_point = graph_.Constant(scheme.zero_point);
    if (zero_point == nullptr || zero_point->IsFloat() || zero_point->Count() != 1) {
      return std::nullopt;
    }
    scheme.zero = zero_point->integers[0];
    return scheme;
  }

  // That of the nearest DequantizeLinear.
  CodeScheme SchemeOfInput(ValueId input) {
    std::deque<ValueId> next{input};
    std::vector<bool> seen(graph_.values.size());
    while (!next.empty()) {
      const ValueId id = next.front();
      next.pop_front();
      for (const int reader : links_.consumers[static_cast<size_t>(id)]) {
        const Node& node = graph_.nodes[static_cast<size_t>(reader)];
        if (node.op == "DequantizeLinear" && node.inputs[0] == id) {
          if (const auto scheme = SchemeOf(node)) return *scheme;
        }
        if (!GivesCodes(RuleOf(node))) continue;
        for (const ValueId out : node.outputs) {
          if (!types_.Of(out) || seen[static_cast<size_t>(out)]) continue;
          seen[static_cast<size_t>(out)] = true;
          next.push_back(out);
        }
      }
    }
    return nodes_.Counting(*types_.Of(input));
  }

  // Schemes of what a node makes, and who dequantizes what it reads; true where it is to be
  // rewritten.
  bool ReadNode(size_t n) {
    const Node& node = graph_.nodes[n];
    if (node.outputs.empty()) return false;
    if (node.op == "QuantizeLinear") {
      SchemeAt(node.outputs[0]) = SchemeOf(node);
      return false;
    }
    if (node.op == "DequantizeLinear") {
      readers_[node.inputs[0]].push_back(n);
      return false;
    }
    ValueId first = kNoValue;
    bool quantized = false;
    for (const ValueId id : node.inputs) {
      if (!IsCodes(id) || IsConstant(id)) continue;
      quantized = quantized || types_.IsQuantized(id);
      if (first == kNoValue) first = id;
    }
    quantized = quantized || types_.IsQuantized(node.outputs[0]);
    if (!quantized) return false;
    const OnCodes rule = RuleOf(node);
    if (rule == OnCodes::kOther) {
      Fail(
          "node '{}' ({}): computes on the {} codes of '{}' as integers, which is not supported; "
          "put it behind DequantizeLinear, or remove it: --cut-at '{}'",
          node.name, node.op, graph::Name(*types_.Of(first)), graph_.At(first).name,
          graph_.At(first).name);
    }
    std::optional<CodeScheme> scheme;
    if (rule != OnCodes::kCasts && first != kNoValue) {
      scheme = SchemeAt(first);
      if (!scheme) {
        Fail(
            "node '{}' ({}): the codes of its input '{}' have no single constant scale above 0; "
            "quantize '{}' by tensor, or remove the node: --cut-at '{}'",
            node.name, node.op, graph_.At(first).name, graph_.At(first).name,
            graph_.At(first).name);
      }
      // It writes the code 0 beside those that it moves.
      if (node.op == "Trilu" && scheme->zero != 0) {
        scheme->zero = 0;
        scheme->zero_point = nodes_.Counting(*types_.Of(first)).zero_point;
      }
    } else if (types_.Of(node.outputs[0])) {
      scheme = SchemeOfInput(node.outputs[0]);
      if (rule == OnCodes::kCasts) scheme = nodes_.Counting(*types_.Of(node.outputs[0]));
    }
    own_[n] = scheme;
    for (const ValueId out : node.outputs) {
      if (types_.Of(out)) SchemeAt(out) = scheme;
    }
    return true;
  }

  ValueId RealOf(ValueId codes, const CodeScheme& scheme, const std::string& name) {
    if (const Tensor* constant = graph_.Constant(codes)) {
      std::vector<float> values;
      for (const int64_t code : constant->integers) values.push_back(scheme.Real(code));
      const graph::Shape shape = constant->shape;
      return graph_.AddConstant(graph_.At(codes).name + "/real",
                                Tensor::Floats(shape, std::move(values)));
    }
    for (const size_t reader : readers_[codes]) {
      const auto own = SchemeOf(graph_.nodes[reader]);
      if (own && *own == scheme) return graph_.nodes[reader].outputs[0];
    }
    const ValueId real = nodes_.NewValue(name);
    readers_[codes].push_back(
        nodes_.Add(name + "_dequantize", "DequantizeLinear", CodeNodes::With(codes, scheme), real));
    return real;
  }

  // Result `codes` of a node becomes real; codes are made of that for whoever wants them in another
  // scheme, and for all unless an int8 operator keeps the scheme of its input by itself.
  ValueId MakeReal(ValueId codes, const CodeScheme& scheme, bool keeps) {
    ValueId real = kNoValue;
    bool wanted = !keeps || links_.is_output[static_cast<size_t>(codes)];
    for (const size_t reader : readers_[codes]) {
      const auto own = SchemeOf(graph_.nodes[reader]);
      if (!keeps || !own || !(*own == scheme)) {
        wanted = true;
      } else if (real == kNoValue) {
        real = graph_.nodes[reader].outputs[0];
        dead_.resize(graph_.nodes.size());
        dead_[reader] = true;
      } else {
        Node& copy = graph_.nodes[reader];
        copy.op = "Identity";
        copy.inputs = {real};
        copy.attributes.clear();
      }
    }
    const std::string name = graph_.At(codes).name;
    if (real == kNoValue) real = nodes_.NewValue(name + "_real");
    if (wanted)
      nodes_.Add(name + "_quantize", "QuantizeLinear", CodeNodes::With(real, scheme), codes);
    return real;
  }

  void Rewrite(size_t n) {
    const OnCodes rule = RuleOf(graph_.nodes[n]);
    if (rule == OnCodes::kCasts) return RewriteCast(n);
    const std::vector<ValueId> outputs = graph_.nodes[n].outputs;
    const std::optional<CodeScheme> scheme = own_[n];
    std::vector<ValueId> results = outputs;
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (types_.Of(outputs[i]))
        results[i] = MakeReal(outputs[i], *scheme, operators::MovesCodes(rule));
    }
    if (rule == OnCodes::kMixes) results[0] = CutOff(n, *scheme, results[0]);
    const std::string name = graph_.At(results[0]).name + "_unmoved";
    std::vector<ValueId> inputs = graph_.nodes[n].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!IsCodes(inputs[i])) continue;
      inputs[i] = RealOf(inputs[i], *scheme, i == 0 ? name : name + std::to_string(i));
    }
    AddFill(n, *scheme, &inputs);
    graph_.nodes[n].inputs = std::move(inputs);
    graph_.nodes[n].outputs = std::move(results);
  }

  // Between codes runtimes cut off towards the code 0, as integers do, where a QuantizeLinear would
  // round: `real` is what comes half a step closer to it. Returns what the node has to make. In
  // FP16 all of it, for 8 bits hold no halves of steps; a 32nd is left for its own rounding.
  ValueId CutOff(size_t n, const CodeScheme& scheme, ValueId real) {
    const std::string name = graph_.At(real).name;
    const float half = (0.5f - 1.0f / 32) * scheme.step, zero = scheme.Real(0);
    const ValueId between = nodes_.NewValue(name + "_between"),
                  away = nodes_.NewValue(name + "_away");
    std::vector<size_t> nodes{n, nodes_.Add(name + "_away", "Clip",
                                            {between, nodes_.Scalar(name + "_low", zero - half),
                                             nodes_.Scalar(name + "_high", zero + half)},
                                            away)};
    const ValueId nearer = zero == 0 ? real : nodes_.NewValue(name + "_nearer");
    nodes.push_back(nodes_.Add(name + "_nearer", "Sub", {between, away}, nearer));
    if (zero != 0) {
      nodes.push_back(
          nodes_.Add(name + "_cut", "Add", {nearer, nodes_.Scalar(name + "_zero", zero)}, real));
    }
    for (const size_t node : nodes) nodes_.RunInFp16(node);
    return between;
  }

  // The code 0 that an operator writes where the file says nothing.
  void AddFill(size_t n, const CodeScheme& scheme, std::vector<ValueId>* inputs) {
    const std::string name = graph_.nodes[n].name;
    if (graph_.nodes[n].Has("extrapolation_value")) {
      float& value = std::get<float>(graph_.nodes[n].attributes["extrapolation_value"]);
      value = (value - static_cast<float>(scheme.zero)) * scheme.step;
    }
    if (scheme.zero == 0) return;
    if (graph_.nodes[n].op == "Relu") {
      inputs->push_back(nodes_.Scalar(name + "/zero", scheme.Real(0)));
      graph_.nodes[n].op = "Max";
      graph_.nodes[n].since_opset = 13;
    } else if (graph_.nodes[n].op == "Pad" &&
               graph_.nodes[n].String("mode", "constant") == "constant") {
      if (inputs->size() < 3) inputs->resize(3, kNoValue);
      if ((*inputs)[2] == kNoValue) (*inputs)[2] = nodes_.Scalar(name + "/zero", scheme.Real(0));
    }
  }

  void RewriteCast(size_t n) {
    const ValueId in = graph_.nodes[n].inputs[0], out = graph_.nodes[n].outputs[0];
    const std::string name = graph_.nodes[n].name;
    const auto from = IsCodes(in) ? types_.Of(in) : std::nullopt, to = types_.Of(out);
    if (!from && !to) return;  // like codes, which says nothing else
    if (!to) return FromCodes(n, in, *from);
    const CodeScheme scheme = nodes_.Counting(*to);
    ValueId whole = kNoValue;
    if (from) {
      whole =
          Wrapped(nodes_, name, RealOf(in, nodes_.Counting(*from), name + "_codes"), *from, *to);
    } else {
      const size_t cast =
          nodes_.Add(name + "_float", "Cast", {in}, nodes_.NewValue(name + "_float"));
      graph_.nodes[cast].attributes["to"] = int64_t{1};
      whole = graph_.nodes[cast].outputs[0];
      if (MayBeFraction(graph_, links_, in)) whole = Truncated(nodes_, name, whole, *to);
    }
    const ValueId result = MakeReal(out, scheme, from == to);
    Node& node = graph_.nodes[n];
    node.op = "Identity";
    node.attributes.clear();
    node.inputs = {whole};
    node.outputs = {result};
  }

  void FromCodes(size_t n, ValueId in, DataType from) {
    const std::string name = graph_.nodes[n].name;
    const int64_t to = graph_.nodes[n].op == "Cast" ? graph_.nodes[n].Int("to", 1) : 1;
    const bool to_float = operators::TypeOfCode(to) == DataType::kFloat;
    const CodeScheme scheme = nodes_.Counting(from);
    if (!to_float) {
      // A plan that does not round in between must not fall below a code.
      const ValueId real = RealOf(in, scheme, name + "_codes");
      const ValueId whole = nodes_.AddedInFp16(name + "_whole", "Round", {real});
      graph_.nodes[n].inputs = {whole};
      return;
    }
    Node& node = graph_.nodes[n];
    node.op = "DequantizeLinear";
    node.since_opset = 13;
    node.attributes.clear();
    node.inputs = CodeNodes::With(in, scheme);
    readers_[in].push_back(n);
  }

  Graph& graph_;
  CodeNodes nodes_;
  CodeTypes types_;
  Links links_;  // of the graph before any rewrite
  std::vector<std::optional<CodeScheme>> schemes_;
  std::map<size_t, std::optional<CodeScheme>> own_;  // by node to be rewritten
  std::map<ValueId, std::vector<size_t>> readers_;   // DequantizeLinear nodes of codes
  std::vector<bool> dead_;
};

}  // namespace

void CodesToReal(Graph& graph) {
  FoldCodes(graph);
  RemoveZeroScales(graph);
  CodesRewriter(graph).Run();
}

}  // namespace octet::import
