// A plan before it has addresses: the blob's layers and tensors with their data, one Program a
// plan.
#ifndef OCTET_CONVERTER_LOWER_PROGRAM_H_
#define OCTET_CONVERTER_LOWER_PROGRAM_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "converter/quantize/scheme.h"
#include "converter/support/plan_id.h"
#include "runtime/format/blob.h"

namespace octet::lower {

using Bytes = std::vector<uint8_t>;

struct Tensor {
  std::string name;
  blob::ElementType type = blob::ElementType::kInt8;
  float scale = 1;
  int zero_point = 0;
  std::vector<quantize::ChannelScheme> channels;  // as quantize::TensorScheme has them
  uint32_t dims[4] = {1, 1, 1, 1};                // n, h, w, c

  uint64_t Elements() const { return uint64_t{dims[0]} * dims[1] * dims[2] * dims[3]; }
  uint64_t Size() const {
    return Elements() * (type == blob::ElementType::kInt8   ? 1
                         : type == blob::ElementType::kFp16 ? 2
                                                            : 4);
  }
};

// Of a tensor whose channels have schemes of their own, in the blob. They share it where a byte
// stands for 0 in all of them; where not, none of them has to be told.
inline int TensorZeroPoint(const std::vector<quantize::ChannelScheme>& channels) {
  return std::clamp(channels[0].zero_point, -128, 127);
}

// What the clamp or the table of an int8 layer computes, for whoever would compute it anew.
struct Activation {
  blob::Function function = blob::Function::kIdentity;
  float alpha = 0, beta = 0;
  float table_scale = 0;      // of the values that a convolution's table maps; 0 without one
  bool is_computable = true;  // by the runtime's function of that name
};

struct Layer {
  std::string name;
  blob::Op op = blob::Op::kReshape;
  blob::Precision precision = blob::Precision::kInt8;
  std::vector<int> inputs;
  int output = -1;
  uint64_t macs = 0;
  uint64_t weight_count = 0;  // unpadded elements, for the size figures
  Bytes weights, channels, table, extra;
  blob::Layout layout = blob::Layout::kNone;  // of `extra`
  blob::Arithmetic arithmetic = blob::Arithmetic::kFloat;
  uint8_t params[sizeof(blob::LayerRecord::params)] = {};
  std::string fused;  // operators executed inside this layer, for the inspector
  Activation activation;

  template <typename Params>
  void Set(const Params& value) {
    static_assert(sizeof(Params) <= sizeof(params) && std::is_trivially_copyable_v<Params>);
    std::memcpy(params, &value, sizeof(Params));
  }
  template <typename Params>
  Params Get() const {
    Params value;
    std::memcpy(&value, params, sizeof(Params));
    return value;
  }
};

// A unary layer with a table index for every channel.
inline bool HasChannelTables(const Layer& layer) {
  return layer.op == blob::Op::kUnary && layer.precision == blob::Precision::kInt8 &&
         !layer.extra.empty();
}

struct OutputPart {
  int tensor = -1;
  uint32_t base = 0;
  uint32_t strides[4] = {};
  blob::Function function = blob::Function::kIdentity;
  // Added behind the function: number i mod count to element i of the tensor; empty: nothing.
  std::vector<float> offsets;
};

struct ModelInput {
  int tensor = -1;
  uint32_t strides[4] =
      {};  // element (n,h,w,c) is source[sum(index * stride)] of the logical input
};

// Of the next frame `written` is `read`: tensors that are alike but for what is in them.
struct ModelState {
  int read = -1, written = -1;
  Bytes initial;  // of the tensor in the first frame; empty: zeros
};

struct Program {
  PlanId plan = PlanId::kInt8;
  blob::Precision precision = blob::Precision::kInt8;
  std::vector<Tensor> tensors;
  std::vector<Layer> layers;                     // execution order
  std::vector<ModelInput> inputs;                // in the order of the graph's
  std::vector<std::vector<OutputPart>> outputs;  // parts of every model output
  std::vector<ModelState> states;                // the graph's last inputs and outputs
};

template <typename T>
Bytes ToBytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_PROGRAM_H_
