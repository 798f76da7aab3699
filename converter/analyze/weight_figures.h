// What 8 bits make of a layer's weights.
//
// The divergence compares two histograms, P of the weights as they are and Q of their codes times
// scale. Each output channel is first divided by its own width r = median |w| / 0.6745, which is
// the standard deviation where weights are normal and which a few large ones do not move (weights
// of 0 apart, which every scale holds exactly). Channels of any size are one population then: bins
// of r / 4 from -4 r to 4 r, the outermost with all beyond.
//     KL(P || Q) = sum P_i ln(P_i / Q_i)
// where every bin of both starts with half a count (the prior of H. Jeffreys, "An invariant form
// for the prior probability in estimation problems", 1946), so that no bin is empty and few weights
// claim little. Steps
// finer than a bin leave every bin filled and KL below 0.1; from steps of 0.3 r on some bins get
// none, and KL passes 0.3: typical weights then stand 21 dB above their rounding, where 8 bits
// without large ones among them have 40.
#ifndef OCTET_CONVERTER_ANALYZE_WEIGHT_FIGURES_H_
#define OCTET_CONVERTER_ANALYZE_WEIGHT_FIGURES_H_

#include <cstddef>
#include <span>

namespace octet::analyze {

struct WeightFigures {
  double kl = 0;        // KL(P || Q), in nats
  double snr_db = 0;    // of all weights
  double worst_db = 0;  // of the channel that rounding hurts most
  size_t worst_channel = 0;
  size_t channels = 0;
  double zeros = 0;  // share of weights whose code is 0, though they are not
};

// Element k of channel c stands at c * channel_step + k * element_step, `depth` elements a channel.
struct WeightLayout {
  size_t channels = 0, depth = 0, channel_step = 1, element_step = 1;
};

WeightFigures CompareWeights(std::span<const float> exact, std::span<const float> rounded,
                             const WeightLayout& layout);

}  // namespace octet::analyze

#endif  // OCTET_CONVERTER_ANALYZE_WEIGHT_FIGURES_H_
