#include "converter/operators/reading.h"

#include <algorithm>
#include <string_view>

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

struct Entry {
  std::string_view op;
  Reading reading;
  uint32_t inputs;  // that it is about, one bit each
};
constexpr uint32_t kFirst = 1, kSecond = 2, kThird = 4, kEvery = ~0u;
constexpr Entry kEntries[] = {
    {"Softmax", Reading::kRows, kFirst},
    {"LogSoftmax", Reading::kRows, kFirst},
    {"Exp", Reading::kExponential, kFirst},
    {"Sigmoid", Reading::kExponential, kFirst},
    {"ReduceLogSumExp", Reading::kLogSum, kFirst},
    {"Max", Reading::kMaximum, kEvery},
    {"MaxPool", Reading::kMaximum, kFirst},
    {"GlobalMaxPool", Reading::kMaximum, kFirst},
    {"ReduceMax", Reading::kMaximum, kFirst},
    {"TopK", Reading::kMaximum, kFirst},
    {"Min", Reading::kMinimum, kEvery},
    {"ReduceMin", Reading::kMinimum, kFirst},
    {"Add", Reading::kSum, kEvery},
    {"Sub", Reading::kMinuend, kFirst},
    {"Sub", Reading::kSubtrahend, kSecond},
    {"Mul", Reading::kProduct, kEvery},
    {"Div", Reading::kDividend, kFirst},
    {"Neg", Reading::kNegative, kFirst},
    {"Where", Reading::kPasses, kSecond | kThird},
    {"Concat", Reading::kPasses, kEvery},
    {"Cast", Reading::kPasses, kFirst},
    {"ScatterElements", Reading::kPasses, kFirst | kThird},
    {"ScatterND", Reading::kPasses, kFirst | kThird},
};

}  // namespace

Reading ReadingOf(const graph::Node& node, size_t input) {
  bool known = false;
  for (const Entry& entry : kEntries) {
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
