// Where the int8 plan loses, and why: outputs and layers of a few simulated pictures.
#ifndef OCTET_CONVERTER_RECOVER_DIAGNOSIS_H_
#define OCTET_CONVERTER_RECOVER_DIAGNOSIS_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/images/dataset.h"
#include "converter/quantize/scheme.h"
#include "converter/simulate/simulator.h"

namespace octet::recover {

// An output is doubted below either: what stands 10 dB above its error has a third of it as noise;
// a cosine of 0.99 is 17 dB for an error in all directions alike.
inline constexpr double kDoubtfulDb = 10, kDoubtfulCosine = 0.99;

// Energies over the pictures.
struct ValueFigure {
  double signal = 0;
  double error = 0;   // of what the next layer reads
  double before = 0;  // of the same before it was rounded to 8 bits
  double cut = 0;     // of `error`, what the ends of the range cut off
};
struct OutputFigure {
  double signal = 0, error = 0, product = 0, power = 0;
  double Db() const;
  double Cosine() const;
};

// The same, of the numbers of one order of magnitude: bin i holds |x| in [2^(i - 32), 2^(i - 31)),
// the outer ones all beyond.
inline constexpr int kMagnitudes = 64, kMagnitudeOfOne = 32;
struct MagnitudeFigure {
  int64_t count = 0;
  double signal = 0, error = 0;
  double sums = 0;  // error of what exact weights make of the same 8-bit inputs
};
using Magnitudes = std::array<MagnitudeFigure, kMagnitudes>;

struct Diagnosis {
  std::vector<ValueFigure> values;              // by value id
  std::map<graph::ValueId, Magnitudes> pieces;  // of the values that outputs are made of
  std::vector<OutputFigure> outputs;            // in the order of the graph's
};

// Simulates the int8 plan, with its corrections, on the samples. also: sees the same values; may be
// empty.
Diagnosis Diagnose(const simulate::Simulator& simulator, const quantize::Scheme& scheme,
                   const std::vector<int64_t>& samples,
                   const simulate::Simulator::Watcher& also = {});

// Why a node loses, and so what may mend it.
enum class CauseKind : uint8_t {
  kNone,
  kCutRange,      // of its result
  kWideChannel,   // of an input or of its result, where all share a scale
  kCoarseSteps,   // 8 bits over a range far wider than most of its numbers
  kWeights,       // their rounding
  kCancellation,  // sums far smaller than what they are made of
  kInputs,        // it passes on what they have lost, or more
};
struct Cause {
  CauseKind kind = CauseKind::kNone;
  std::string text;  // a clause
};
Cause CauseAt(const graph::Graph& graph,
              const std::vector<std::optional<calibrate::Statistics>>& statistics,
              const quantize::Scheme& scheme, const Diagnosis& diagnosis, int node);

}  // namespace octet::recover

#endif  // OCTET_CONVERTER_RECOVER_DIAGNOSIS_H_
