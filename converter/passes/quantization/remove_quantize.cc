// A QuantizeLinear with the DequantizeLinear behind it becomes the range that its codes can say, a
// Clip, and the scheme of the value behind that Clip. The Clip is what an activation that a
// quantizer left out lives in: [0, 6] of unsigned codes is a ReLU6.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "converter/passes/editor.h"
#include "converter/passes/quantization.h"
#include "converter/support/error.h"

namespace octet::passes {

namespace {

void Note(graph::Graph& graph, const std::string& line) {
  if (std::find(graph.notes.begin(), graph.notes.end(), line) == graph.notes.end()) {
    graph.notes.push_back(line);
  }
}

// Nodes that dequantize codes of this scheme: in it, and in another one.
struct Readers {
  std::vector<ValueId> results;
  std::vector<std::pair<int, Quantization>> others;
};

Readers ReadersOf(Editor& editor, ValueId codes, const Quantization& quantization) {
  Readers readers;
  for (const int reader : editor.Consumers(codes)) {
    const Node& node = editor.At(reader);
    if (node.op != "DequantizeLinear" || node.inputs[0] != codes) continue;
    auto other = ReadQuantization(editor, node);
    if (!other || other->type != quantization.type) continue;
    const bool one_axis = other->scales.size() == 1 || quantization.scales.size() == 1 ||
                          other->axis == quantization.axis;
    if (*other == quantization) {
      readers.results.push_back(node.outputs[0]);
    } else if (one_axis) {
      readers.others.emplace_back(reader, std::move(*other));
    }
  }
  return readers;
}

// The result of a node that goes: its readers read `real` instead; a graph output is copied.
void Replace(Editor& editor, ValueId result, ValueId real) {
  const int node = editor.Producer(result);
  editor.Remove(node);
  editor.ReplaceUses(result, real);
  if (!editor.IsOutput(result)) return;
  editor.Value(result).type = graph::DataType::kFloat;
  editor.AddNode(node, "Identity", editor.Value(result).name + "_copy", {real}, {result});
}

class Remover {
 public:
  explicit Remover(graph::Graph& graph) : graph_(graph), editor_(graph) {}

  int Run() {
    editor_.ForEach({"QuantizeLinear"}, [this](int n) { return Remove(n); });
    return editor_.Finish();
  }

 private:
  bool Remove(int n) {
    const Node& node = editor_.At(n);
    const ValueId x = node.inputs[0], codes = node.outputs[0];
    const auto quantization = ReadQuantization(editor_, node);
    if (!quantization || editor_.IsConstant(x)) return false;
    const Readers readers = ReadersOf(editor_, codes, *quantization);
    if (readers.results.empty() && readers.others.empty() && !editor_.IsOutput(codes)) return false;
    if (editor_.IsOutput(codes) && !quantization->given) {
      Fail(
          "output '{}' is quantized {}, which no tensor here can be; cut the graph before it: "
          "--cut-at '{}'",
          graph_.At(codes).name, quantization->scales.size() > 1 ? "by channel" : "to 16 bits",
          graph_.At(x).name);
    }
    const ValueId real =
        quantization->given ? RealValue(n, x, *quantization->given) : Clamped(n, x, *quantization);
    if (!quantization->given) {
      Note(graph_,
           fmt::format(
               "tensor '{}' is quantized {}, which int8 cannot represent: it is calibrated instead",
               graph_.At(x).name, quantization->scales.size() > 1 ? "by channel" : "to 16 bits"));
    }
    for (const ValueId result : readers.results) Replace(editor_, result, real);
    for (const auto& [reader, other] : readers.others) {
      Requantize(editor_, reader, real, *quantization, other);
    }
    if (editor_.IsOutput(codes)) {
      Note(graph_, fmt::format("output '{}' is {} in the model; the blob gives real values: scale "
                               "* (code - zero point)",
                               graph_.At(codes).name, graph::Name(quantization->type)));
      if (editor_.Consumers(codes).empty()) Replace(editor_, codes, real);
    } else if (editor_.Consumers(codes).empty()) {
      editor_.Remove(n);
    }
    return true;
  }

  // The range of codes that int8 cannot hold is a range all the same. An input keeps what it is
  // fed, behind it comes the range.
  ValueId Clamped(int n, ValueId x, const Quantization& quantization) {
    if (quantization.scales.size() != 1) return x;
    const int producer = editor_.Producer(x);
    const bool is_signed = quantization.type == graph::DataType::kInt16;
    const auto bound = [&](int64_t code) {
      return static_cast<float>(code - quantization.zero_points[0]) * quantization.scales[0];
    };
    ValueId from = x, to = x;
    if (producer < 0) {
      const graph::Value& value = editor_.Value(x);
      to = editor_.NewValue(value.name + "_inside", graph::DataType::kFloat, *value.shape);
    } else {
      from = Detach(producer, x, "_unclipped");
    }
    const std::string name = editor_.Value(x).name;
    const ValueId low =
        editor_.NewConstant(name + "_low", Tensor::Floats({}, {bound(is_signed ? -32768 : 0)}));
    const ValueId high =
        editor_.NewConstant(name + "_high", Tensor::Floats({}, {bound(is_signed ? 32767 : 65535)}));
    editor_.AddNode(n, "Clip", name + "_range", {from, low, high}, {to});
    return to;
  }

  // The producer of x gets a result of its own, which is returned; x is without a producer then.
  ValueId Detach(int producer, ValueId x, const char* suffix) {
    const graph::Value& value = editor_.Value(x);
    const ValueId raw =
        editor_.NewValue(value.name + suffix, graph::DataType::kFloat, *value.shape);
    const std::vector<ValueId>& outputs = editor_.At(producer).outputs;
    const auto index = std::find(outputs.begin(), outputs.end(), x) - outputs.begin();
    editor_.SetOutput(producer, static_cast<size_t>(index), raw);
    return raw;
  }

  // The graph input `x` behind the Clip to its codes; itself where there is none, as for an input
  // of codes.
  ValueId ClampedInput(ValueId x) const {
    for (const int reader : editor_.Consumers(x)) {
      const Node& node = editor_.At(reader);
      const graph::Given* given = graph_.At(node.outputs[0]).given.get();
      if (node.op == "Clip" && given != nullptr && *given == *graph_.At(x).given) {
        return node.outputs[0];
      }
    }
    return x;
  }

  // x as the codes have it. Whoever reads x itself reads it so too: beside a quantized reader the
  // rounding is in the data anyhow, and the board keeps one tensor.
  ValueId RealValue(int n, ValueId x, const graph::Given& given) {
    graph::Value& value = editor_.Value(x);
    const int producer = editor_.Producer(x);
    if (value.given && *value.given == given) {
      return producer < 0 ? ClampedInput(x) : x;
    }
    if (value.given || (producer < 0 && editor_.IsOutput(editor_.At(n).outputs[0]))) {
      // A second scheme of one value, or an output that is an input cut to its codes.
      const std::pair<ValueId, std::vector<float>> key{
          x, {given.scale, static_cast<float>(given.zero_point)}};
      if (const auto known = others_.find(key); known != others_.end()) return known->second;
      const ValueId other =
          editor_.NewValue(value.name + "_requantized", graph::DataType::kFloat, *value.shape);
      AddClamp(editor_, n, x, other, given);
      return others_[key] = other;
    }
    if (producer < 0) {
      // An input is rounded to its codes by whoever fills it; FP16 has to end where they do.
      editor_.Give(x, given);
      const ValueId inside =
          editor_.NewValue(value.name + "_inside", graph::DataType::kFloat, *value.shape);
      AddClamp(editor_, n, x, inside, given);
      return inside;
    }
    const ValueId raw = Detach(producer, x, "_unrounded");
    AddClamp(editor_, n, raw, x, given);
    return x;
  }

  graph::Graph& graph_;
  Editor editor_;
  std::map<std::pair<ValueId, std::vector<float>>, ValueId> others_;
};

}  // namespace

int RemoveQuantize(graph::Graph& graph) {
  return Remover(graph).Run();
}

// Codes that come from outside: the input takes the real values, in the scheme of the first that
// dequantizes them.
int RemoveInputCodes(graph::Graph& graph) {
  Editor editor(graph);
  const std::vector<ValueId> inputs = graph.inputs;
  int rewrites = 0;
  for (const ValueId input : inputs) {
    const graph::DataType type = graph.At(input).type;
    if (type != graph::DataType::kInt8 && type != graph::DataType::kUInt8) continue;
    const std::vector<int> readers = editor.Consumers(input);
    if (readers.empty() || editor.IsOutput(input)) continue;
    std::vector<std::optional<Quantization>> own;
    for (const int reader : readers) {
      const Node& node = editor.At(reader);
      const bool dequantizes = node.op == "DequantizeLinear" && node.inputs[0] == input;
      own.push_back(dequantizes ? ReadQuantization(editor, node) : std::nullopt);
    }
    const auto first = std::find_if(own.begin(), own.end(), [](const auto& quantization) {
      return quantization && quantization->given;
    });
    if (first == own.end() || std::count(own.begin(), own.end(), std::nullopt) > 0) continue;
    const Quantization from = **first;
    Note(graph,
         fmt::format("input '{}' is {} in the model; the blob takes real values: {:.6g} * (code - "
                     "{}); try: set --scale and --mean to the same values",
                     graph.At(input).name, graph::Name(type), from.scales[0], from.zero_points[0]));
    editor.Value(input).type = graph::DataType::kFloat;
    editor.Give(input, *from.given);
    for (size_t i = 0; i < readers.size(); ++i) {
      if (*own[i] == from) {
        Replace(editor, editor.At(readers[i]).outputs[0], input);
      } else {
        Requantize(editor, readers[i], input, from, *own[i]);
      }
    }
    ++rewrites;
  }
  return editor.Finish() + rewrites;
}

}  // namespace octet::passes
