// A model through the whole converter in memory: import, passes, calibration, scheme, lowering,
// plan, blob.
#ifndef OCTET_TESTS_CONVERTER_LOWER_CONVERT_IN_PROCESS_H_
#define OCTET_TESTS_CONVERTER_LOWER_CONVERT_IN_PROCESS_H_

#include <cstdint>
#include <vector>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/lower/program.h"
#include "converter/plan/plan.h"
#include "converter/quantize/scheme.h"
#include "converter/write/write.h"
#include "tests/support/blob_builder.h"
#include "tests/support/onnx_builder.h"

namespace octet::test {

// Samples of one model input, uniform in [-1, 1]; sample i is the same on every machine.
class RandomDataset : public images::Dataset {
 public:
  RandomDataset(graph::Shape shape, uint64_t seed, int64_t size)
      : shape_(std::move(shape)), seed_(seed), size_(size) {}
  int64_t size() const override { return size_; }
  graph::Tensor Load(int64_t i) const override;

 private:
  graph::Shape shape_;
  uint64_t seed_;
  int64_t size_;
};

struct Converted {
  graph::Graph original;  // as imported, shapes inferred
  graph::Graph graph;     // canonical
  quantize::Scheme scheme;
  std::vector<write::Plan> plans;  // int8, fp16, and with `mixed` mixed
  Blob blob;
  std::vector<RandomDataset> data;  // by input
};

struct ConvertVariant {
  bool winograd =
      false;  // transformed weights wherever the format allows them, int8: m = 2 and 4 in turn
  bool mixed = false;           // a third plan, in which every fourth node or so computes in FP16
  bool symmetric_only = false;  // as for a board without asymmetric activations
};

// Throws UserError as the program would. `samples` random inputs calibrate it.
Converted ConvertInProcess(const OnnxBuilder& model, uint64_t seed, int64_t samples,
                           const ConvertVariant& variant = {});

}  // namespace octet::test

#endif  // OCTET_TESTS_CONVERTER_LOWER_CONVERT_IN_PROCESS_H_
