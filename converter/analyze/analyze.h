// What every layer of the int8 plan loses, and why: FP32 and the simulated int8 plan side by side
// over pictures, tensor by tensor.
#ifndef OCTET_CONVERTER_ANALYZE_ANALYZE_H_
#define OCTET_CONVERTER_ANALYZE_ANALYZE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "converter/analyze/activation_record.h"
#include "converter/analyze/weight_figures.h"
#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/quantize/scheme.h"
#include "converter/recover/diagnosis.h"
#include "converter/simulate/simulator.h"

namespace octet::analyze {

// Flags of a layer (row C10 of the features): weights whose divergence is above, activations whose
// histograms overlap by less, and by so much less that the layer counts as sensitive.
inline constexpr double kFarWeights = 0.3, kLowOverlap = 0.8, kSensitiveOverlap = 0.7;
// Ranges are tracked beside mean +- so many standard deviations.
inline constexpr double kSigmas = 4;

struct LayerFigures {
  int node = -1;  // of the graph
  // Of the node; with the operators fused behind it; its result, behind functions that level off.
  std::string name, op, tensor;
  graph::Shape shape;
  bool int8 = true;
  ActivationRecord activations;  // of `tensor`
  // Share of noise that grew from its worst input to its result; 0 where it rounds nothing.
  double added = 0;
  // Of all calibration samples: extremes, and mean -+ kSigmas sigma cut to those.
  double seen_min = 0, seen_max = 0, sigma_low = 0, sigma_high = 0;
  double beyond_sigma = 0;  // share of numbers outside sigma_low .. sigma_high
  double range_ratio = 0;   // width of the codes' range by that of sigma_low .. sigma_high
  std::optional<WeightFigures> weights;
  std::string cause;  // in words; empty where nothing is lost or the layer is not int8
  recover::CauseKind cause_kind = recover::CauseKind::kNone;

  bool FarWeights() const { return weights && weights->kl > kFarWeights; }
  bool LowOverlap() const { return int8 && activations.Overlap() < kLowOverlap; }
  bool Sensitive() const { return int8 && activations.Overlap() < kSensitiveOverlap; }
};

// Where the scales of the tensors that int8 layers read and write come from.
struct Coverage {
  int64_t own = 0;         // chosen for it from what was seen
  int64_t shared = 0;      // of another tensor, whose numbers it moves or joins
  int64_t given = 0;       // by the model
  int64_t by_channel = 0;  // of own: those with a scale for each channel
  std::vector<std::string> missing;
  int64_t Total() const { return own + shared + given + static_cast<int64_t>(missing.size()); }
};

struct OutputFigures {
  std::string name;
  double snr_db = 0, cosine = 1;
};

struct Analysis {
  std::vector<LayerFigures> layers;  // in the order of execution
  std::vector<OutputFigures> outputs;
  Coverage coverage;
  int64_t pictures = 0;
};

// Simulates the int8 plan of `scheme`, corrections included, on these samples of the simulator's
// data. progress: after every picture, may be empty. The same for any number of threads.
Analysis Analyze(const simulate::Simulator& simulator,
                 const std::vector<std::optional<calibrate::Statistics>>& statistics,
                 const quantize::Scheme& scheme, const std::vector<int64_t>& samples,
                 const std::function<void(int64_t done, int64_t total)>& progress);

Coverage CoverageOf(const graph::Graph& graph, const quantize::Scheme& scheme);

// Indices of layers, those that add most noise first; of those that add as much, the noisier.
std::vector<size_t> WorstFirst(const Analysis& analysis);

}  // namespace octet::analyze

#endif  // OCTET_CONVERTER_ANALYZE_ANALYZE_H_
