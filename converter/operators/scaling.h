// How an operator answers when what it reads is multiplied by a factor: the algebra that moves
// powers of two through a graph (quantize/half_range.h).
#ifndef OCTET_CONVERTER_OPERATORS_SCALING_H_
#define OCTET_CONVERTER_OPERATORS_SCALING_H_

#include <cstddef>
#include <cstdint>

#include "converter/graph/graph.h"

namespace octet::operators {

enum class Scaling : uint8_t {
  kNone,         // nothing is known: no factor passes
  kHomogeneous,  // f(k x, k y) = k f(x, y) for k > 0 over the inputs that `IsScaled` names
  kBilinear,     // input 0 times input 1, plus input 2 where there is one
  kQuotient,     // input 0 over input 1
  kInvariant,    // f(k x) = f(x) in input 0, once `epsilon` is multiplied by k^2
};

// The word of an operator in operators.inc; plugins choose one too.
struct Scales {
  static constexpr uint32_t kAllInputs = ~0u;

  Scaling scaling = Scaling::kNone;
  uint32_t inputs = 1;      // that carry the factor, one bit each
  bool by_channel = false;  // KeepsChannelsApart, NormalizesEachChannel
  bool multiplies_last_axis = false;
  bool silences_large_negatives = false;
  float epsilon = 0;  // of the ONNX specification; 0: it has none
};
namespace scales {
inline constexpr Scales kNone{}, kFirst{Scaling::kHomogeneous},
    kFirstByChannel{Scaling::kHomogeneous, 1, true},
    kAll{Scaling::kHomogeneous, Scales::kAllInputs},
    kAllByChannel{Scaling::kHomogeneous, Scales::kAllInputs, true},
    kClip{Scaling::kHomogeneous, 1 | 2 | 4}, kPad{Scaling::kHomogeneous, 1 | 4},
    kWhere{Scaling::kHomogeneous, 2 | 4}, kScatter{Scaling::kHomogeneous, 1 | 4},
    kProduct{Scaling::kBilinear}, kQuotient{Scaling::kQuotient},
    kNormalized{.scaling = Scaling::kInvariant, .epsilon = 1e-5f},
    kNormalizedByChannel{.scaling = Scaling::kInvariant, .by_channel = true, .epsilon = 1e-5f},
    kNormalizedRows{.scaling = Scaling::kInvariant, .multiplies_last_axis = true, .epsilon = 1e-5f},
    kUnitLength{.scaling = Scaling::kInvariant}, kShares{.silences_large_negatives = true};
}  // namespace scales

Scaling ScalingOf(const graph::Node& node);

// The activation fused behind a node.
enum class FusedScaling : uint8_t {
  kPasses,  // none, or homogeneous in every channel
  kBounds,  // homogeneous once alpha and beta are scaled as well
  kNone,
};
FusedScaling FusedScalingOf(const graph::Node& node);

// Whether input i of a homogeneous operator is one of those that carry the factor (a bound of Clip
// does, a slope of PRelu does not).
bool IsScaled(const graph::Node& node, size_t input);

// Whether a homogeneous operator computes every channel (axis 1) from the same channel of its
// inputs, so that each may have a factor of its own where all shapes have as many.
bool KeepsChannelsApart(const graph::Node& node);

// An invariant operator that takes mean and size off every channel (axis 1) of a sample by itself:
// it does not see a factor and an offset of each.
bool NormalizesEachChannel(const graph::Node& node);

// An invariant operator that ends by multiplying with input 1, and by adding input 2 where there is
// one: a number for each place from attribute `axis` on.
bool ScalesLastAxis(const graph::Node& node);

// Of an invariant operator: what it adds to the variance; 0 where it adds nothing.
float EpsilonOf(const graph::Node& node);

// Whether the operator maps all numbers below some bound to 0 of its result, minus infinity
// included.
bool SilencesLargeNegatives(const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_SCALING_H_
