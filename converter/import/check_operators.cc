#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/ranges.h>

#include "converter/import/import.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

struct Hint {
  std::string_view op;
  std::string_view way_round;
};

constexpr std::string_view kPostProcessing =
    "export the model without its post-processing and decode on the board";
constexpr std::string_view kTensors =
    "export the model with tensors in place of sequences (Split, Concat)";
constexpr std::string_view kTheTensor =
    "export the model without optional values: read the tensor itself";
constexpr std::string_view kStatic = "export the float model and let the conversion quantize it";

constexpr Hint kHints[] = {
    {"NonMaxSuppression", kPostProcessing},
    {"NonZero", kPostProcessing},
    {"MaxRoiPool", kPostProcessing},
    {"TopK", kPostProcessing},
    {"Unique", kPostProcessing},
    {"Compress", kPostProcessing},
    {"SequenceAt", kTensors},
    {"SequenceConstruct", kTensors},
    {"SequenceEmpty", kTensors},
    {"SequenceInsert", kTensors},
    {"SplitToSequence", kTensors},
    {"ConcatFromSequence", kTensors},
    {"Optional", kTheTensor},
    {"OptionalGetElement", kTheTensor},
    {"OptionalHasElement", kTheTensor},
    {"ConvInteger", kStatic},
    {"MatMulInteger", kStatic},
    // Removed from ONNX, or never in it.
    {"Affine", "ONNX removed it: use Mul and Add of constants"},
    {"ATen", "it calls PyTorch: export with operator_export_type ONNX"},
    {"ConstantFill", "ONNX removed it: use ConstantOfShape"},
    {"Crop", "ONNX removed it: use Slice"},
    {"DynamicSlice", "ONNX removed it: use Slice"},
    {"GivenTensorFill", "ONNX removed it: use an initialiser or Constant"},
    {"GRUUnit", "ONNX removed it: use GRU, unrolled over a fixed number of steps"},
    {"ImageScaler", "ONNX removed it: use Mul and Add of constants, or --scale, --mean and --std"},
    {"ParametricSoftplus", "ONNX removed it: use Softplus between Mul of constants"},
    {"Scale", "ONNX removed it: use Mul of a constant"},
    {"ScaledTanh", "ONNX removed it: use Tanh between Mul of constants"},
    {"RandomNormal", "replace it by a constant"},
    {"RandomNormalLike", "replace it by a constant"},
    {"RandomUniform", "replace it by a constant"},
    {"RandomUniformLike", "replace it by a constant"},
    {"Multinomial", "export the model without its sampling"},
    {"ImageDecoder", "feed decoded images; the blob carries the preprocessing"},
    {"StringNormalizer", "process text before the model"},
    {"TfIdfVectorizer", "process text before the model"},
};

std::string_view WayRound(std::string_view op) {
  for (const Hint& hint : kHints) {
    if (hint.op == op) return hint.way_round;
  }
  return "replace it by supported operators before the export";
}

}  // namespace

void CheckOperators(const graph::Graph& graph) {
  // The first node of each unknown operator, in the order of the graph, and how many there are.
  std::vector<const graph::Node*> first;
  std::map<std::string_view, size_t> counts;
  for (const graph::Node& node : graph.nodes) {
    if (node.domain.empty() && operators::Find(node.op) != nullptr) continue;
    if (counts[node.op]++ == 0) first.push_back(&node);
  }
  if (first.empty()) return;

  std::vector<std::string> parts;
  for (const graph::Node* node : first) {
    const size_t more = counts[node->op] - 1;
    parts.push_back(fmt::format(
        "node '{}'{}: operator {} (opset {}, domain {}) is not supported; {}", node->name,
        more > 0 ? fmt::format(" and {} more", more) : "", node->op, node->since_opset,
        node->domain.empty() ? "ai.onnx" : node->domain, WayRound(node->op)));
  }
  Fail("{}", fmt::join(parts, "; "));
}

}  // namespace octet::import
