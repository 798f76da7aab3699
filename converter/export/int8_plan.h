// The int8 plan of a blob by the names of layers and tensors, with its weights as ONNX orders them.
#ifndef OCTET_CONVERTER_EXPORT_INT8_PLAN_H_
#define OCTET_CONVERTER_EXPORT_INT8_PLAN_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "runtime/format/view.h"

namespace octet::exporting {

// A layer's numbers: acc = bias + sum(weight * (code - zero point of the input)), and acc * factor
// counts steps of the result. The fold of the zero point into the bias is undone.
struct LayerNumbers {
  int64_t outputs = 0, depth = 0;
  std::vector<int8_t> codes;    // [outputs][depth], in the order of the graph's constant
  std::vector<int64_t> bias;    // [outputs]
  std::vector<double> factors;  // [outputs]
};

class Int8Plan {
 public:
  // Of the first plan that is int8. Throws NotPossible where there is none, or where the blob was
  // written without names.
  Int8Plan(const BlobView& blob, const std::string& path);

  const BlobView& blob() const { return blob_; }
  const blob::TensorRecord& Tensor(uint32_t index) const { return plan_.tensors[index]; }
  const blob::TensorRecord& InputOf(const blob::LayerRecord& layer) const {
    return Tensor(plan_.operands[layer.first_operand]);
  }
  const blob::TensorRecord& OutputOf(const blob::LayerRecord& layer) const {
    return Tensor(layer.output);
  }

  // Layers that compute with int8 weights.
  int64_t WeightedLayers() const;
  // The layers that bear a node's name, in order of execution.
  std::vector<const blob::LayerRecord*> LayersOf(const std::string& node) const;
  // Of these the one with weights; null: none.
  const blob::LayerRecord* WeightedLayerOf(const std::string& node) const;
  // The int8 tensor that holds a value as it was computed; null where it was computed in another
  // type.
  const blob::TensorRecord* ComputedAs(const std::string& value) const;
  // An int8 form of the value that its int8 readers take; null: none.
  const blob::TensorRecord* ReadAs(const std::string& value) const;

  // `weights`: the constant of a Conv [O, I / group, h, w] or a Gemm [O, K].
  LayerNumbers NumbersOf(const blob::LayerRecord& layer, const graph::Tensor& weights,
                         int64_t groups) const;
  // The 256 entries of a table; of a layer with several the one with this number.
  std::span<const int8_t> TableOf(const blob::LayerRecord& layer, size_t number) const;
  // Number of the table of each channel of a layer with several.
  std::span<const uint8_t> TableIndexOf(const blob::LayerRecord& layer) const;

 private:
  std::string NameOf(const blob::TensorRecord& tensor) const {
    return StringAt(blob_, tensor.name);
  }

  BlobView blob_;
  PlanView plan_{};
  std::map<std::string, std::vector<const blob::LayerRecord*>> layers_;
  std::map<std::string, const blob::TensorRecord*> computed_, converted_;
};

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_INT8_PLAN_H_
