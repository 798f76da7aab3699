// ONNX Runtime beside this project's own FP32 executor: errors of import, passes and execution show
// as layers that differ.
#ifndef OCTET_CONVERTER_CLI_AGAINST_ORT_H_
#define OCTET_CONVERTER_CLI_AGAINST_ORT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "converter/graph/graph.h"
#include "converter/images/dataset.h"
#include "converter/judge/difference.h"
#include "converter/ort/ort.h"

namespace octet::cli {

using Datasets = std::vector<std::unique_ptr<images::Dataset>>;

// Two ways of adding the same floats differ in their last bits; more than this share of a value's
// range is another computation.
inline constexpr double kFp32Share = 1e-3;
// Samples whose every layer is compared: ONNX Runtime's values of all layers lie on disk meanwhile.
inline constexpr int64_t kLayerSamples = 2;

struct LayerAgreement {
  std::string value, op, node;
  // Picked by indices that were computed: which of two nearly equal numbers comes first is no
  // error.
  bool picked = false;
  judge::Agreement numbers;
  double magnitude = 0;  // the largest that ONNX Runtime has: where all are one number, no range
  // Of one sample: ONNX Runtime's values and this project's. The same infinity, or no number on
  // both sides, is no difference.
  void Add(std::vector<float> theirs, std::vector<float> ours);
  double Span() const;  // of which the share is taken
  bool Agrees() const;
};

// The file, and how it was imported.
struct OrtModel {
  std::string path;
  import::ImportOptions import;
};

// The graph's outputs for samples 0 to count - 1, as ONNX Runtime computes the file. Throws
// UserError where they have another number of elements.
ort::Results OutputsOfOrt(const OrtModel& model, const graph::Graph& graph, const Datasets& data,
                          int64_t count, int threads);

// Every float value that both the file and the graph name and that has as many elements in both,
// over the first samples, in the graph's order. Of a graph that was equalized the values between
// layers are others.
std::vector<LayerAgreement> CompareLayers(const OrtModel& model, const graph::Graph& graph,
                                          const Datasets& data, int64_t count, int threads);

// What octet verify reports of them; returns whether all agree. Of a model that is quantized itself
// they are told, not judged: a value half way between two codes is rounded either way.
bool AddLayers(const std::vector<LayerAgreement>& layers, bool quantized,
               const ort::Results& results, nlohmann::json* report);
// Of such a report: those that differ, the first of which is where to look; and how near the others
// are.
void PrintLayers(const nlohmann::json& report);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_AGAINST_ORT_H_
