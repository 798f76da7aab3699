#include "converter/operators/reading.h"

#include <algorithm>
#include <string_view>

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

struct ReadingEntry {
  std::string_view op;
  Reading reading;
  uint32_t inputs;  // that it is about, one bit each
};
constexpr uint32_t kInput0 = 1, kInput1 = 2, kInput2 = 4, kEveryInput = ~0u;
constexpr ReadingEntry kReadings[] = {
    {"Softmax", Reading::kRows, kInput0},
    {"LogSoftmax", Reading::kRows, kInput0},
    {"Exp", Reading::kExponential, kInput0},
    {"Sigmoid", Reading::kExponential, kInput0},
    {"ReduceLogSumExp", Reading::kLogSum, kInput0},
    {"Max", Reading::kMaximum, kEveryInput},
    {"MaxPool", Reading::kMaximum, kInput0},
    {"GlobalMaxPool", Reading::kMaximum, kInput0},
    {"ReduceMax", Reading::kMaximum, kInput0},
    {"TopK", Reading::kMaximum, kInput0},
    {"Min", Reading::kMinimum, kEveryInput},
    {"ReduceMin", Reading::kMinimum, kInput0},
    {"Add", Reading::kSum, kEveryInput},
    {"Sub", Reading::kMinuend, kInput0},
    {"Sub", Reading::kSubtrahend, kInput1},
    {"Mul", Reading::kProduct, kEveryInput},
    {"Div", Reading::kDividend, kInput0},
    {"Neg", Reading::kNegative, kInput0},
    {"Where", Reading::kPasses, kInput1 | kInput2},
    {"Concat", Reading::kPasses, kEveryInput},
    {"Cast", Reading::kPasses, kInput0},
    {"ScatterElements", Reading::kPasses, kInput0 | kInput2},
    {"ScatterND", Reading::kPasses, kInput0 | kInput2},
};

}  // namespace

Reading ReadingOf(const graph::Node& node, size_t input) {
  bool known = false;
  for (const ReadingEntry& entry : kReadings) {
    if (entry.op != node.op) continue;
    known = true;
    if ((entry.inputs >> std::min<size_t>(input, 31) & 1) == 0) continue;
    if (node.op == "TopK" && node.Int("largest", 1) == 0) return Reading::kAll;
    const bool carries = entry.reading >= Reading::kPasses;
    return carries && !node.activation.empty() ? Reading::kAll : entry.reading;
  }
  const bool moves = !known && Int8Of(node) == Int8::kKeepsScale;
  return moves && input == 0 && node.activation.empty() ? Reading::kPasses : Reading::kAll;
}

bool IsBeside(const graph::Node& node, size_t input) {
  return (node.op == "Pad" || node.op == "Conv" || node.op == "Gemm") && input == 2;
}

bool MakesMinusInfinity(const graph::Node& node) {
  return node.op == "Log";
}

}  // namespace octet::operators
