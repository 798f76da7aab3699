#include "converter/operators/scaling.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "converter/operators/operator.h"

namespace octet::operators {
namespace {

// Inputs that carry the factor, one bit each.
constexpr uint32_t kAll = ~0u, kFirst = 1, kClip = 1 | 2 | 4, kPad = 1 | 4, kWhere = 2 | 4,
                   kScatter = 1 | 4;

struct Entry {
  std::string_view op;
  uint32_t inputs;
  bool by_channel;
};

constexpr Entry kHomogeneous[] = {
    {"Abs", kFirst, true},
    {"Add", kAll, true},
    {"AveragePool", kFirst, true},
    {"Clip", kClip, false},
    {"Concat", kAll, false},
    {"CumSum", kFirst, false},
    {"DepthToSpace", kFirst, false},
    {"Dropout", kFirst, true},
    {"Expand", kFirst, false},
    {"Flatten", kFirst, false},
    {"Gather", kFirst, false},
    {"GatherElements", kFirst, false},
    {"GatherND", kFirst, false},
    {"GlobalAveragePool", kFirst, true},
    {"GlobalMaxPool", kFirst, true},
    {"GridSample", kFirst, false},
    {"Identity", kFirst, true},
    {"LeakyRelu", kFirst, true},
    {"LpPool", kFirst, true},
    {"Max", kAll, true},
    {"MaxPool", kFirst, true},
    {"Mean", kAll, true},
    {"Min", kAll, true},
    {"Neg", kFirst, true},
    {"PRelu", kFirst, true},
    {"Pad", kPad, false},
    {"ReduceL1", kFirst, false},
    {"ReduceL2", kFirst, false},
    {"ReduceMax", kFirst, false},
    {"ReduceMean", kFirst, false},
    {"ReduceMin", kFirst, false},
    {"ReduceSum", kFirst, false},
    {"Relu", kFirst, true},
    {"Reshape", kFirst, false},
    {"Resize", kFirst, false},
    {"RoiAlign", kFirst, false},
    {"ScatterElements", kScatter, false},
    {"ScatterND", kScatter, false},
    {"Slice", kFirst, false},
    {"SpaceToDepth", kFirst, false},
    {"Split", kFirst, false},
    {"Squeeze", kFirst, false},
    {"Sub", kAll, true},
    {"Sum", kAll, true},
    {"Tile", kFirst, false},
    {"TopK", kFirst, false},
    {"Transpose", kFirst, false},
    {"Trilu", kFirst, false},
    {"Unsqueeze", kFirst, false},
    {"Upsample", kFirst, false},
    {"Where", kWhere, false},
};

constexpr std::string_view kBilinear[] = {"Conv", "ConvTranspose", "Gemm", "MatMul", "Mul"};
struct Normalization {
  std::string_view op;
  float epsilon;  // of the ONNX specification; negative: it has none
};
constexpr Normalization kInvariant[] = {
    {"GroupNormalization", 1e-5f}, {"InstanceNormalization", 1e-5f}, {"LayerNormalization", 1e-5f},
    {"LpNormalization", -1},       {"RMSNormalization", 1e-5f},
};
constexpr std::string_view kSilencing[] = {"Softmax", "LogSoftmax"};

const Entry* FindEntry(std::string_view op) {
  const auto* found = std::find_if(std::begin(kHomogeneous), std::end(kHomogeneous),
                                   [op](const Entry& entry) { return entry.op == op; });
  return found == std::end(kHomogeneous) ? nullptr : found;
}

const Normalization* FindNormalization(std::string_view op) {
  const auto* found = std::find_if(std::begin(kInvariant), std::end(kInvariant),
                                   [op](const Normalization& entry) { return entry.op == op; });
  return found == std::end(kInvariant) ? nullptr : found;
}

template <size_t N>
bool IsOneOf(const std::string_view (&names)[N], std::string_view op) {
  return std::find(std::begin(names), std::end(names), op) != std::end(names);
}

}  // namespace

Scaling ScalingOf(const graph::Node& node) {
  if (node.String("reduction", "none") == "mul") return Scaling::kNone;
  if (FindEntry(node.op) != nullptr) return Scaling::kHomogeneous;
  if (IsOneOf(kBilinear, node.op)) return Scaling::kBilinear;
  if (FindNormalization(node.op) != nullptr) return Scaling::kInvariant;
  if (node.op == "Div") return Scaling::kQuotient;
  // What only moves values, or picks among them.
  return Int8Of(node) == Int8::kKeepsScale ? Scaling::kHomogeneous : Scaling::kNone;
}

FusedScaling FusedScalingOf(const graph::Node& node) {
  if (node.activation.empty() || node.activation == "Relu") return FusedScaling::kPasses;
  return node.activation == "Clip" ? FusedScaling::kBounds : FusedScaling::kNone;
}

bool IsScaled(const graph::Node& node, size_t input) {
  const Entry* entry = FindEntry(node.op);
  if (entry == nullptr) return input == 0;
  return (entry->inputs == kAll || (input < 32 && entry->inputs >> input & 1));
}

bool KeepsChannelsApart(const graph::Node& node) {
  const Entry* entry = FindEntry(node.op);
  return entry != nullptr && entry->by_channel;
}

bool NormalizesEachChannel(const graph::Node& node) {
  return node.op == "InstanceNormalization";
}

bool ScalesLastAxis(const graph::Node& node) {
  return node.op == "LayerNormalization" || node.op == "RMSNormalization";
}

float EpsilonOf(const graph::Node& node) {
  const Normalization* entry = FindNormalization(node.op);
  return entry == nullptr || entry->epsilon < 0 ? 0 : node.Float("epsilon", entry->epsilon);
}

bool SilencesLargeNegatives(const graph::Node& node) {
  return IsOneOf(kSilencing, node.op);
}

}  // namespace octet::operators
