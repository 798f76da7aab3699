#include "converter/lower/names.h"

#include <iterator>

#include <fmt/format.h>

namespace octet::lower {

std::string OpName(blob::Op op) {
  switch (op) {
    case blob::Op::kConv:
      return "Conv";
    case blob::Op::kDepthwiseConv:
      return "DepthwiseConv";
    case blob::Op::kAdd:
      return "Add";
    case blob::Op::kMul:
      return "Mul";
    case blob::Op::kDiv:
      return "Div";
    case blob::Op::kUnary:
      return "Unary";
    case blob::Op::kMaxPool:
      return "MaxPool";
    case blob::Op::kAveragePool:
      return "AveragePool";
    case blob::Op::kConcat:
      return "Concat";
    case blob::Op::kSlice:
      return "Slice";
    case blob::Op::kTranspose:
      return "Transpose";
    case blob::Op::kPad:
      return "Pad";
    case blob::Op::kResizeNearest:
      return "ResizeNearest";
    case blob::Op::kResizeLinear:
      return "ResizeLinear";
    case blob::Op::kSoftmax:
      return "Softmax";
    case blob::Op::kReshape:
      return "Reshape";
    case blob::Op::kConvert:
      return "Convert";
    case blob::Op::kConstant:
      return "Constant";
    case blob::Op::kElementwise:
      return "Elementwise";
    case blob::Op::kCast:
      return "Cast";
    case blob::Op::kMove:
      return "Move";
    case blob::Op::kGather:
      return "Gather";
    case blob::Op::kGatherElements:
      return "GatherElements";
    case blob::Op::kScatter:
      return "Scatter";
    case blob::Op::kTopK:
      return "TopK";
    case blob::Op::kNonMaxSuppression:
      return "NonMaxSuppression";
    case blob::Op::kGatherNd:
      return "GatherNd";
    case blob::Op::kResample:
      return "Resample";
    case blob::Op::kGridSample:
      return "GridSample";
    case blob::Op::kRoiAlign:
      return "RoiAlign";
    case blob::Op::kReduce:
      return "Reduce";
    case blob::Op::kNormalize:
      return "Normalize";
    case blob::Op::kMatMul:
      return "MatMul";
    case blob::Op::kCumSum:
      return "CumSum";
    case blob::Op::kLrn:
      return "Lrn";
    case blob::Op::kAxisSoftmax:
      return "AxisSoftmax";
  }
  // Whose names this program need not know (runtime/kernels/plugin.h).
  return fmt::format("Op{:04X}", static_cast<uint16_t>(op));
}

const char* FunctionName(blob::Function function) {
  static const char* const kNames[] = {
      "",     "Clamp", "LeakyRelu",  "Sigmoid", "Silu", "HardSigmoid", "HardSwish", "Tanh",
      "Exp",  "Scale", "Reciprocal", "Sqrt",    "Log",  "Elu",         "Softplus",  "Mish",
      "Gelu", "Abs",   "Neg",        "Power",   "Erf",  "Floor",       "Ceil",      "Table"};
  return static_cast<uint8_t>(function) < std::size(kNames) ? kNames[static_cast<uint8_t>(function)]
                                                            : "?";
}

}  // namespace octet::lower
