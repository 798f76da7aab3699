#include "converter/export/qdq.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <utility>

#include "converter/export/int8_plan.h"
#include "converter/export/layer_reader.h"
#include "converter/export/nodes.h"
#include "converter/export/onnx_writer.h"
#include "converter/export/real_channels.h"
#include "converter/lower/weights.h"
#include "converter/support/error.h"

namespace octet::exporting {
namespace {

using graph::kNoValue;
using graph::ValueId;

float AsFloat(double value) {
  return static_cast<float>(value);
}

class Exporter {
 public:
  Exporter(const graph::Graph& graph, const BlobView& blob, const std::string& path)
      : graph_(graph),
        path_(path),
        reader_(graph, blob, path),
        plan_(reader_.plan()),
        writer_(graph.name.empty() ? "octet" : graph.name),
        names_(graph.values.size()),
        read_names_(graph.values.size()),
        scales_(graph.values.size()) {}

  QdqModel Run() {
    CheckPorts();
    // The model's own names of inputs and outputs come first; what helps out gets others.
    for (const ValueId id : graph_.inputs) {
      const std::string name = writer_.Fresh(graph_.At(id).name);
      writer_.Input(name, graph_.At(id));
      Settle(id, name);
    }
    for (const ValueId id : graph_.outputs) {
      output_names_.push_back(writer_.Fresh(graph_.At(id).name));
    }
    for (const graph::Node& node : graph_.nodes) {
      if (IsWanted(node)) Write(node);
    }
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      const ValueId id = graph_.outputs[i];
      writer_.Nodes("Identity", output_names_[i], {NameOf(id)}, {output_names_[i]}, {});
      writer_.Output(output_names_[i], graph_.At(id));
    }
    if (result_.int8_layers != plan_.WeightedLayers()) {
      Fail(
          "{}: has {} int8 layers with weights, the model has {}: it was made from another model "
          "or "
          "by another release; convert the model again",
          path_, plan_.WeightedLayers(), result_.int8_layers);
    }
    result_.differing_entries = reader_.differing_entries();
    result_.bytes = writer_.Bytes();
    return std::move(result_);
  }

 private:
  // --- What the blob says of the graph.

  void CheckPorts() const {
    const blob::ModelRecord& model = *plan_.blob().model;
    if (model.state_count != 0) {
      Fail(
          "{}: its model has states, which are no inputs and outputs of the blob; export a blob "
          "that "
          "was converted without them",
          path_);
    }
    if (model.input_count != graph_.inputs.size() || model.output_count != graph_.outputs.size()) {
      Fail(
          "{}: has {} inputs and {} outputs, the model {} and {}; give the ONNX model it was made "
          "from",
          path_, model.input_count, model.output_count, graph_.inputs.size(),
          graph_.outputs.size());
    }
  }

  bool IsConstant(ValueId id) const { return graph_.Constant(id) != nullptr; }
  bool IsWanted(const graph::Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(), [this](ValueId id) {
      if (id == kNoValue || IsConstant(id)) return false;
      const auto v = static_cast<size_t>(id);
      return reader_.links().is_output[v] || !reader_.links().consumers[v].empty();
    });
  }

  // Where the node is a layer of its own, or executed by the one that computes its input.
  bool IsInt8(const graph::Node& node) const {
    for (const blob::LayerRecord* layer : plan_.LayersOf(node.name)) {
      if (layer->precision == blob::Precision::kInt8) return true;
    }
    return false;
  }

  // --- Names.

  const std::string& NameOf(ValueId id) {
    std::string& name = names_[static_cast<size_t>(id)];
    if (name.empty() && IsConstant(id)) {
      name = writer_.Constant(graph_.At(id).name, *graph_.Constant(id));
    }
    return name;
  }

  // As the node reads it.
  std::string Read(const graph::Node& node, ValueId id) {
    if (id == kNoValue) return "";
    const std::string& computed = NameOf(id);
    if (graph_.At(id).type != graph::DataType::kFloat || !IsInt8(node)) return computed;
    std::string& rounded = read_names_[static_cast<size_t>(id)];
    if (!rounded.empty()) return rounded;
    const blob::TensorRecord* record = plan_.ReadAs(graph_.At(id).name);
    if (record == nullptr || (plan_.ComputedAs(graph_.At(id).name) != nullptr && !IsConstant(id))) {
      return rounded = computed;
    }
    rounded = IsConstant(id) ? WriteConstant(id, *record)
                             : Round(computed, record->scale, record->zero_point, computed);
    return rounded;
  }

  std::string WriteConstant(ValueId id, const blob::TensorRecord& record) {
    const graph::Tensor& constant = *graph_.Constant(id);
    quantize::TensorScheme scheme;
    scheme.scale = record.scale;
    scheme.zero_point = record.zero_point;
    const std::vector<int8_t> codes = lower::QuantizeValues(constant.floats, scheme);
    const std::string& name = graph_.At(id).name;
    const std::string stored = writer_.Constant(
        name + "/codes", graph::Tensor::Integers(constant.shape, {codes.begin(), codes.end()},
                                                 graph::DataType::kInt8));
    const std::string zero =
        writer_.Constant(name + "/zero_point",
                         graph::Tensor::Integers({}, {record.zero_point}, graph::DataType::kInt8));
    return writer_.Node("DequantizeLinear",
                        {stored, writer_.Scalar(name + "/scale", record.scale), zero}, name);
  }

  std::string Round(const std::string& input, float scale, int zero_point,
                    const std::string& wish) {
    ++result_.int8_values;
    return WriteRounding(input, scale, zero_point, wish, &writer_);
  }

  // `name` holds the value before it is rounded.
  void Settle(ValueId id, const std::string& name) {
    const blob::TensorRecord* record = graph_.At(id).type == graph::DataType::kFloat
                                           ? plan_.ComputedAs(graph_.At(id).name)
                                           : nullptr;
    if (record != nullptr && record->per_channel != 0) {
      Fail(
          "{}: tensor '{}' has scales by channel that cannot be recovered; convert the model with "
          "`channel_scales: false` in --config",
          path_, graph_.At(id).name);
    }
    names_[static_cast<size_t>(id)] =
        record == nullptr ? name : Round(name, record->scale, record->zero_point, name);
  }

  // --- Nodes.

  void Write(const graph::Node& node) {
    const blob::LayerRecord* layer = plan_.WeightedLayerOf(node.name);
    if (layer != nullptr && layer->precision == blob::Precision::kInt8) {
      return WriteWeighted(node, *layer);
    }
    result_.float_layers += layer != nullptr;
    const blob::TensorRecord* record = node.inputs.empty() || node.inputs[0] == kNoValue
                                           ? nullptr
                                           : plan_.ComputedAs(graph_.At(node.inputs[0]).name);
    if (record != nullptr && record->per_channel != 0 && !IsInt8(node)) {
      reader_.FailOther(node, "scales by channel go to a layer that cannot have them, ");
    }
    std::vector<std::string> inputs, results;
    for (const ValueId id : node.inputs) inputs.push_back(Read(node, id));
    if (node.op == "InstanceNormalization" && record != nullptr && record->per_channel != 0) {
      // Takes off where each channel lies, which is not known here.
      inputs[0] = WriteProduct(inputs[0], scales_[static_cast<size_t>(node.inputs[0])], false);
    }
    for (const ValueId id : node.outputs) {
      results.push_back(id == kNoValue ? "" : writer_.Fresh(graph_.At(id).name));
    }
    WriteNode(graph_, node, inputs, results, &writer_);
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId id = node.outputs[i];
      if (id == kNoValue) continue;
      if (i == 0) results[0] = WriteActivation(node, results[0], results[0] + "/act", &writer_);
      const std::vector<double>& scales = scales_[static_cast<size_t>(id)];
      if (scales.empty()) {
        Settle(id, results[i]);
      } else {
        SettleNormalised(id, WriteProduct(results[i], scales, true));
      }
    }
  }

  // Each channel times its scale, or divided by it.
  std::string WriteProduct(const std::string& name, const std::vector<double>& scales,
                           bool divided) {
    std::vector<float> factors;
    for (const double scale : scales) factors.push_back(AsFloat(divided ? 1 / scale : scale));
    return writer_.Node("Mul", {name, writer_.PerChannel(name + "/channel_scales", factors)},
                        name + (divided ? "/steps" : "/real"));
  }

  // `name` counts steps of each channel: one scheme serves all.
  void SettleNormalised(ValueId id, const std::string& name) {
    const blob::TensorRecord& record = *plan_.ComputedAs(graph_.At(id).name);
    names_[static_cast<size_t>(id)] = Round(name, 1, record.zero_point, name);
  }

  // --- Layers with weights.

  void WriteWeighted(const graph::Node& node, const blob::LayerRecord& layer) {
    ++result_.int8_layers;
    const LayerNumbers numbers = reader_.NumbersOf(node, layer);
    const ValueId result = node.outputs[0];
    const blob::TensorRecord &in = plan_.InputOf(layer), &out = plan_.OutputOf(layer);
    // Scales as the blob has them, and what the values are worth.
    const double in_step = in.per_channel != 0 ? 1 : static_cast<double>(in.scale);
    const std::vector<double> steps =
        reader_.StepsOf(node, layer, numbers, scales_[static_cast<size_t>(node.inputs[0])]);
    const bool by_channel = out.per_channel != 0 && layer.table.offset == blob::kNone;
    const double out_step = by_channel ? 1
                            : layer.table.offset != blob::kNone
                                ? reader_.ScaleBeforeTable(node, layer, steps)
                                : static_cast<double>(out.scale);
    const std::string sum = WriteSum(node, numbers, in_step, out_step);
    const std::string name = by_channel && !node.activation.empty()
                                 ? writer_.Node("Relu", {sum}, sum + "/act")
                                 : WriteActivation(node, sum, sum + "/act", &writer_);
    if (layer.table.offset != blob::kNone) {
      blob::ConvParams params;
      std::memcpy(&params, &layer.params, sizeof(params));
      names_[static_cast<size_t>(result)] =
          Round(name, AsFloat(out_step), params.table_zero_point, name);
      return;
    }
    if (!by_channel) return Settle(result, name);
    SettleNormalised(result, name);
    WriteRealChannels(node, numbers, steps, out.zero_point);
  }

  // Convolution or matrix of codes; its result is worth `out_step` a step.
  std::string WriteSum(const graph::Node& node, const LayerNumbers& numbers, double in_step,
                       double out_step) {
    const graph::Shape& shape = graph_.Constant(node.inputs[1])->shape;
    std::vector<float> scales, bias_scales;
    for (const double factor : numbers.factors) {
      scales.push_back(AsFloat(std::max(factor * out_step / in_step, kNoScale)));
      bias_scales.push_back(AsFloat(static_cast<double>(scales.back()) * in_step));
    }
    const std::string& base = node.name;
    const std::vector<int64_t> codes(numbers.codes.begin(), numbers.codes.end());
    const std::string weights = WriteCodes(
        base + "/weights", graph::Tensor::Integers(shape, codes, graph::DataType::kInt8), scales);
    const std::string bias = WriteCodes(
        base + "/bias",
        graph::Tensor::Integers({numbers.outputs}, numbers.bias, graph::DataType::kInt32),
        bias_scales);
    const std::string result = writer_.Fresh(graph_.At(node.outputs[0]).name);
    WriteNode(graph_, node, {Read(node, node.inputs[0]), weights, bias}, {result}, &writer_);
    return result;
  }

  std::string WriteCodes(const std::string& wish, const graph::Tensor& codes,
                         const std::vector<float>& scales) {
    const auto count = static_cast<int64_t>(scales.size());
    const std::string zero = writer_.Constant(
        wish + "/zero_point",
        graph::Tensor::Integers({count}, std::vector<int64_t>(scales.size(), 0), codes.type));
    return writer_.Node(
        "DequantizeLinear",
        {writer_.Constant(wish + "/codes", codes),
         writer_.Constant(wish + "/scale", graph::Tensor::Floats({count}, scales)), zero},
        wish, {{"axis", int64_t{0}}});
  }

  // Behind a result whose channels have schemes of their own: either depthwise layers read it as it
  // is, or an activation with tables by channel, for which the real value is made of it.
  void WriteRealChannels(const graph::Node& node, const LayerNumbers& numbers,
                         const std::vector<double>& steps, int zero_point) {
    const ValueId id = node.outputs[0];
    scales_[static_cast<size_t>(id)] = steps;
    const graph::Node* reader = reader_.ReaderOf(id);
    const std::vector<const blob::LayerRecord*> layers =
        reader == nullptr ? std::vector<const blob::LayerRecord*>() : plan_.LayersOf(reader->name);
    if (layers.empty() || layers[0]->op != blob::Op::kUnary) return;
    lower::FunctionOf function;
    if (!lower::UnaryFunction(graph_, *reader, &function)) {
      reader_.FailOther(*reader, "has tables where the model has no activation, ");
    }
    const graph::Tensor* bias = node.inputs.size() > 2 && node.inputs[2] != kNoValue
                                    ? graph_.Constant(node.inputs[2])
                                    : nullptr;
    std::vector<ResultChannel> channels;
    for (size_t c = 0; c < steps.size(); ++c) {
      const double code =
          std::floor(static_cast<double>(numbers.bias[c]) * numbers.factors[c] + 0.5) + zero_point;
      channels.push_back({steps[c], bias == nullptr ? 0 : static_cast<double>(bias->floats[c]),
                          static_cast<int>(std::clamp(code, -128.0, 127.0))});
    }
    RealChannels real = RealChannelsOf(plan_, *layers[0], function, channels, zero_point);
    reader_.Count(*reader, real.worst, real.differing);
    std::string& name = names_[static_cast<size_t>(id)];
    const std::string scaled = WriteProduct(name, real.scales, false);
    name = writer_.Node("Add", {scaled, writer_.PerChannel(scaled + "/offsets", real.offsets)},
                        scaled + "/channels");
    if (plan_.OutputOf(*layers[0]).per_channel != 0) {
      scales_[static_cast<size_t>(reader->outputs[0])] = std::move(real.behind_scales);
    }
  }

  const graph::Graph& graph_;
  const std::string& path_;
  LayerReader reader_;
  const Int8Plan& plan_;
  OnnxWriter writer_;
  std::vector<std::string> names_;       // by value: what holds it, rounded where it is int8
  std::vector<std::string> read_names_;  // by value: as int8 layers read it
  // By value with scales by channel: the real worth of a step of each.
  std::vector<std::vector<double>> scales_;
  std::vector<std::string> output_names_;
  QdqModel result_;
};

}  // namespace

QdqModel ExportQdq(const graph::Graph& graph, const BlobView& blob, const std::string& path) {
  return Exporter(graph, blob, path).Run();
}

}  // namespace octet::exporting
