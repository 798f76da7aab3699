// The int8 plan of a blob as an ONNX model in Q/DQ form, which other runtimes load: the numbers of
// the blob, not those a second quantization would choose.
//
// Every value that the plan holds in int8 is followed by QuantizeLinear and DequantizeLinear with
// its scale and zero point; weights are the blob's codes behind a DequantizeLinear by channel,
// biases its integers behind one of int32; what runs in FP16 stays float. Scales by channel of
// activations (docs/decisions/0007) are folded into the weights on both sides: the value between is
// quantized with scale 1.
#ifndef OCTET_CONVERTER_EXPORT_QDQ_H_
#define OCTET_CONVERTER_EXPORT_QDQ_H_

#include <cstdint>
#include <string>
#include <vector>

#include "converter/graph/graph.h"
#include "runtime/format/view.h"

namespace octet::exporting {

struct QdqModel {
  std::vector<uint8_t> bytes;  // of the .onnx file
  int64_t int8_values = 0;     // that are rounded
  int64_t int8_layers = 0;     // whose weights are codes
  int64_t float_layers = 0;    // of those with weights
  // Entries of the blob's tables that come out by one step differently, because a scale that the
  // blob does not hold had to be found from them.
  int64_t differing_entries = 0;
};

// `graph` as the converter's passes leave it. Throws UserError where the blob (at `path`, for
// messages) was made of another model, or where something cannot be said in ONNX.
QdqModel ExportQdq(const graph::Graph& graph, const BlobView& blob, const std::string& path);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_QDQ_H_
