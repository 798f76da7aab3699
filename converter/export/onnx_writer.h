// Puts an ONNX model together, one node after the other.
#ifndef OCTET_CONVERTER_EXPORT_ONNX_WRITER_H_
#define OCTET_CONVERTER_EXPORT_ONNX_WRITER_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::exporting {

// The newest opset in which a QuantizeLinear has no output_dtype: from 21 on ONNX Runtime 1.30 adds
// nodes of its own with one that contradicts their zero point, and then refuses the model.
inline constexpr int64_t kOpset = 20;

using Attributes = std::map<std::string, graph::Attribute>;

class OnnxWriter {
 public:
  explicit OnnxWriter(const std::string& name);

  // A name that nothing has yet: `wish`, or `wish` with a number behind it.
  std::string Fresh(const std::string& wish);
  void Input(const std::string& name, const graph::Value& value);
  void Output(const std::string& name, const graph::Value& value);
  // Constants; the result is the name.
  std::string Constant(const std::string& wish, const graph::Tensor& tensor);
  std::string Scalar(const std::string& wish, float value);
  // One a channel, of a [N, C, H, W] value.
  std::string PerChannel(const std::string& wish, const std::vector<float>& values);
  // A node of one result, whose name is returned; inputs "" are absent.
  std::string Node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::string& result, const Attributes& attributes = {});
  void Nodes(const std::string& op, const std::string& name, const std::vector<std::string>& inputs,
             const std::vector<std::string>& results, const Attributes& attributes);

  // The model needs this opset, 20 to 23, if it did not need a newer one before.
  void RequireOpset(int64_t version);
  const onnx::ModelProto& model() const { return model_; }
  std::vector<uint8_t> Bytes() const;

 private:
  onnx::ModelProto model_;
  std::set<std::string> names_, nodes_;
};

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_ONNX_WRITER_H_
