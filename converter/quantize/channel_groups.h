// Channels that share a scale, and how much an error in a channel matters.
#ifndef OCTET_CONVERTER_QUANTIZE_CHANNEL_GROUPS_H_
#define OCTET_CONVERTER_QUANTIZE_CHANNEL_GROUPS_H_

#include <vector>

#include "converter/calibrate/calibrate.h"
#include "converter/graph/graph.h"

namespace octet::quantize {

// By value id and channel: the sum of squares of the weights by which the next dense layers take
// the channel; 1 where something else reads it. Empty for values that are no [1, C, H, W].
std::vector<std::vector<double>> ChannelImportance(const graph::Graph& graph);

// The group of every channel, numbered from 0; at most `most` of them, and no more than pay.
std::vector<size_t> GroupChannels(const std::vector<calibrate::Range>& ranges,
                                  const std::vector<double>& importance, size_t most,
                                  double worthwhile);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_CHANNEL_GROUPS_H_
