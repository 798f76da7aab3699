// What one layer reads in 8 bits and gives in FP32 at positions of many pictures, in random order.
#ifndef OCTET_CONVERTER_RECOVER_LAYER_RECORD_H_
#define OCTET_CONVERTER_RECOVER_LAYER_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/recover/layer_inputs.h"

namespace octet::recover {

class LayerRecord {
 public:
  // `rows` evenly spread over the positions of `pictures`, or all there are. An empty record for no
  // layer.
  LayerRecord() = default;
  LayerRecord(const LayerShape& layer, size_t rows, size_t pictures);

  // One picture's input, rounded already, and results without an activation. Several threads at
  // once may add different pictures.
  void Add(size_t picture, const graph::Tensor& input, const graph::Tensor& exact);

  const std::vector<LayerInputs>& inputs() const { return inputs_; }  // by group
  size_t rows() const { return rows_; }
  // [rows][outputs of all groups], to be worked on.
  std::vector<float>& results() { return results_; }
  const std::vector<float>& results() const { return results_; }

 private:
  LayerShape layer_;
  size_t rows_ = 0;
  std::vector<size_t> first_;   // by picture: row before the order is changed
  std::vector<size_t> places_;  // by such a row: where it lies
  std::vector<LayerInputs> inputs_;
  std::vector<float> results_;
};

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_LAYER_RECORD_H_
