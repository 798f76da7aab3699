// Values whose channels (axis 1) belong together, because operators compute channel c of one from
// channel c of the other: what gives channels factors of their own, or removes some, has to do the
// same to all of a set.
#ifndef OCTET_CONVERTER_PASSES_CHANNEL_SETS_H_
#define OCTET_CONVERTER_PASSES_CHANNEL_SETS_H_

#include <optional>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::passes {

// Channels are axis 1, of pictures and of rows; 0 where the shape is not known or it is no float.
int64_t ChannelsOf(const graph::Value& value);

// A layer whose weights [outputs][depth][taps] and bias may be rewritten: a convolution, or a
// matrix [outputs, inputs], from axis 1 to axis 1.
struct ChannelLayer {
  size_t node = 0;
  size_t outputs = 0, depth = 0;       // depth = input channels of a group
  size_t taps = 1, group_outputs = 1;  // of one group
  size_t In(size_t o, size_t i) const { return o / group_outputs * depth + i; }
  bool IsDepthwise() const { return depth == 1 && group_outputs == 1 && outputs > 1; }
  bool IsGrouped() const { return group_outputs != outputs; }
};
// nullopt for other operators, weights or a bias that are computed, and those whose quantization
// the model brings along.
std::optional<ChannelLayer> AsChannelLayer(const graph::Graph& graph, size_t node);

// Neither omitted nor constant.
bool IsComputed(const graph::Graph& graph, graph::ValueId id);
// A constant operand with one number for each channel of the node's result.
bool IsByChannel(const graph::Graph& graph, const graph::Node& node, size_t input);
// [N, C, 1, 1] to [N, C].
bool IsChannelFlatten(const graph::Graph& graph, const graph::Node& node);
// Input `input` becomes a constant of its own. Throws where the codes of the old one are lost
// without a word: see graph::Constant.
void SetConstant(graph::Graph& graph, size_t node, size_t input, graph::Constant constant);

// Sets of values, each its own at first. A pinned set may not be changed; what the graph reads and
// writes is.
class ChannelSets {
 public:
  explicit ChannelSets(const graph::Graph& graph);

  size_t Root(graph::ValueId id);
  bool IsPinned(graph::ValueId id) { return pinned_[Root(id)]; }
  void Pin(graph::ValueId id);  // kNoValue: nothing
  void PinAll(const graph::Node& node);
  // One set from here on; pinned where the numbers of channels differ.
  void Unite(graph::ValueId a, graph::ValueId b);
  // Unite(), pinned where the ranks differ as well: what is broadcast to a higher rank has its
  // channels elsewhere.
  void Tie(graph::ValueId a, graph::ValueId b);

 private:
  const graph::Graph& graph_;
  std::vector<size_t> parent_;  // by value
  std::vector<bool> pinned_;
};

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_CHANNEL_SETS_H_
