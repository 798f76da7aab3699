// The quantization of a graph: a scale and zero point for every activation, a precision for every
// node.
#ifndef OCTET_CONVERTER_QUANTIZE_SCHEME_H_
#define OCTET_CONVERTER_QUANTIZE_SCHEME_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"
#include "converter/quantize/ledger.h"
#include "converter/quantize/origin.h"
#include "runtime/format/blob.h"

namespace octet::quantize {

struct ChannelScheme {
  float scale = 1;
  int zero_point = 0;
};

// real = scale * (q - zero_point), q in [-128, 127].
struct TensorScheme {
  float scale = 1;
  int zero_point = 0;
  float min = 0, max = 0;  // the real range it covers
  Origin origin;
  // By channel (axis 1) where channels have schemes of their own (channel_scales.h), else empty.
  std::vector<ChannelScheme> channels;
};

// How many output channels of int8 weights share one scale: none, 16 neighbours, all.
enum class WeightScheme : uint8_t { kPerChannel, kGroup, kPerTensor };
inline constexpr int64_t kWeightGroup = 16;

// Weights that stand in for a node's own where it runs in int8: multiples of `scales`.
struct RoundedWeights {
  std::vector<float> values;  // in the order of the node's own
  std::vector<float> scales;  // by output channel
};

struct Scheme {
  std::vector<std::optional<TensorScheme>> tensors;  // by value id
  std::vector<blob::Precision> precision;            // by node: what the ledger decides (Want)
  Ledger ledger;                                     // who wants which precision, and why
  // By node: added to the biases of an int8 layer, one value an output channel; may be empty.
  std::vector<std::vector<float>> bias_correction;
  // By node: added to all biases of a layer that writes logits of scores, in int8 and FP16 alike
  // (convert/scores.h); may be empty. No simulation knows of it.
  std::vector<float> bias_shift;
  // By value id, empty where 0: FP16 holds real * 2^-exponent, one for all or one a channel
  // (half_range.h). May be shorter than the values are many.
  std::vector<std::vector<int>> half_exponents;
  // By node, may be empty: kPerChannel then.
  std::vector<WeightScheme> weight_schemes;
  // By node, null where the layer keeps its own; may be empty. FP16 layers keep theirs in any case.
  std::vector<std::shared_ptr<const RoundedWeights>> weights;
  bool symmetric_only = false;  // every zero point is 0, those of constants too
  std::vector<std::string> warnings;

  // Writes an entry of one node into the ledger, and what the ledger then decides into `precision`.
  void Want(Entry entry);
};

enum class Constraint : uint8_t {
  kNone,
  kPrefer,
  kObey
};  // C13: how binding `precision:` requests are

// Entries in the order of the file, later ones on top. Under kObey two that differ at a layer are
// refused, unless the later one names it exactly.
// One `layers:` or `tensors:` entry of the YAML file; the name may hold * wildcards.
struct LayerOverride {
  std::string name;
  std::optional<blob::Precision> precision;
  std::optional<Constraint> constraint = std::nullopt;  // of its own; else the file's
  std::optional<WeightScheme> weights = {};
};
struct TensorOverride {
  std::string name;
  std::optional<float> min, max;
  std::optional<bool> symmetric;
  std::optional<calibrate::Method> method;
};

// What a board's whitelist lists. Without one, groups have to be asked for.
struct AllowedWeights {
  bool per_channel = true, group = false;  // per_tensor always, as a special case of either
};

struct Config {
  calibrate::Method method = calibrate::Method::kAuto;
  double percentile = 99.99;
  bool symmetric = false;               // default scheme of activations
  bool symmetric_only = false;          // the board has no other, whatever else is asked for
  bool channel_scales = true;           // see channel_scales.h
  std::optional<WeightScheme> weights;  // see weight_schemes.h
  AllowedWeights allowed_weights;
  std::optional<bool> equalization;  // unset: where layers share scales (passes/equalize.h)
  bool rounding = true;              // see converter/recover/rounding.h
  bool bias_correction = true;       // see converter/recover/bias_correction.h
  bool judged_ranges = true;         // see converter/recover/choose_ranges.h
  bool fp16_stretches = true;        // see converter/assign/stretches.h
  std::optional<bool> fp16_tail;     // unset: measured, see converter/convert/search.h
  bool constant_parts = true;        // see converter/convert/constant_parts.h
  bool int8_everywhere = false;      // --int8-everywhere
  std::string overflow;              // not empty: what FP16 layers of the plan pass 65504 with
  std::optional<Entry> tail = {};    // what decided fp16_tail, where it was measured
  std::vector<Entry> measured = {};  // what measuring wants of single nodes
  // What the rounding of values that the model leaves real may add to a result that it rounds: the
  // standard deviation, in steps of the result (coarse_inputs.h, recover/code_choice.h).
  double coarse_steps = 0.5;
  Constraint constraint = Constraint::kPrefer;
  std::vector<LayerOverride> layers;
  std::vector<TensorOverride> tensors;
  // By value id, may be shorter: what measuring chose where nobody asked for another.
  std::vector<std::optional<calibrate::Method>> methods;

  // Nothing runs in FP16 but what has to, or what is asked for by name.
  bool StaysInt8() const { return int8_everywhere || !overflow.empty(); }
};

// Reads the YAML file of --config; unknown keys and wrong types are UserErrors naming file, line
// and key.
Config ReadConfig(const std::string& path);

// Chooses scales from the statistics. Deterministic.
Scheme AssignScheme(const graph::Graph& graph,
                    const std::vector<std::optional<calibrate::Statistics>>& statistics,
                    const Config& config);

// The affine parameters that cover [min, max] (0 is always representable exactly).
TensorScheme Affine(float min, float max, bool symmetric);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_SCHEME_H_
