// Scales of single channels, where they cost the board nothing or one table more.
//
// A convolution's result passes through one factor a channel anyway, and a depthwise convolution
// reads every channel alone, so that what stands between them may have a scale a channel; an
// activation between them then maps each channel by a table of its own. The same holds for what
// goes into any activation behind a convolution. Depthwise networks need it: channels of one
// tensor that differ a hundredfold in range leave the narrow ones two or three of 8 bits (M. Nagel
// et al., "Data-Free Quantization Through Weight Equalization and Bias Correction", 2019, shows the
// loss, and cures it for piecewise linear activations by moving factors between weights; tables
// take any activation).
//
// An InstanceNormalization takes each channel's own mean off and divides by its own deviation: a
// scale and a zero point a channel cost nothing there, and the narrow channels, which it widens,
// lose no more bits than the wide ones.
//
// Tables are 256 bytes each, so channels of similar range share one: at most kMostTables a layer,
// chosen by dynamic programming over the channels in order of range to make the sum of
// importance * step^2 smallest. A channel's importance is what the next dense weights make of an
// error in it. A table more has to make that sum smaller by kWorthwhile.
#ifndef OCTET_CONVERTER_QUANTIZE_CHANNEL_SCALES_H_
#define OCTET_CONVERTER_QUANTIZE_CHANNEL_SCALES_H_

#include <optional>
#include <vector>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

inline constexpr size_t kMostTables = 8;
inline constexpr double kWorthwhile = 1.3;  // for twice as many tables

// Sets `channels` of the tensors of `scheme` that gain by it, and clears it elsewhere. Precisions
// and ranges are taken as they stand.
void ChooseChannelScales(const graph::Graph& graph,
                         const std::vector<std::optional<calibrate::Statistics>>& statistics,
                         const Config& config, Scheme* scheme);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_CHANNEL_SCALES_H_
