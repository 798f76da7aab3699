// A Pad of the spatial dimensions goes into the pads of the layer behind it, its only consumer:
// Conv, padded with zeros: its own padding is the same.
// AveragePool, padded with zeros: they count, so count_include_pad = 1; own padding that does not
// count must be none.
// MaxPool, padded with -inf, or with zeros where the input is never negative: own padding never
// wins either.
// Every window of a pool must meet the image (runtime/format/FORMAT.md asks for pads narrower than
// the window). With ceil_mode windows may hang over the end, and what counts there differs: left
// alone.
#include <algorithm>
#include <limits>

#include "converter/passes/editor.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

bool IsNeverNegative(const Editor& editor, ValueId id) {
  const int producer = editor.Producer(id);
  if (producer < 0) return false;
  const Node& node = editor.At(producer);
  if (!node.activation.empty()) {
    return node.activation == "Relu" || node.activation == "Sigmoid" ||
           node.activation == "HardSigmoid" || (node.activation == "Clip" && node.alpha >= 0);
  }
  if (node.op == "Relu" || node.op == "Sigmoid" || node.op == "HardSigmoid") return true;
  const auto bounds = node.op == "Clip" ? ReadClipBounds(editor.graph(), node) : std::nullopt;
  return bounds && bounds->min >= 0;
}

bool MeetsTheImage(const SpatialAttributes& window) {
  const size_t rank = window.kernel.size();
  for (size_t i = 0; i < rank; ++i) {
    const int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    if (window.pads[i] >= reach || window.pads[i + rank] >= reach) return false;
  }
  return true;
}

// `window` has the pads of both.
bool MayMerge(const Editor& editor, const Node& pad, const PadSpec& spec, const Node& layer,
              const SpatialAttributes& window) {
  if (layer.op == "Conv") return spec.value == 0;
  if (layer.Int("ceil_mode", 0) != 0) return false;
  if (layer.op == "AveragePool") {
    const std::vector<int64_t> own = layer.Ints("pads");
    const bool has_own = std::any_of(own.begin(), own.end(), [](int64_t p) { return p != 0; });
    return spec.value == 0 && MeetsTheImage(window) &&
           (!has_own || layer.Int("count_include_pad", 0) == 1);
  }
  const bool is_lowest = spec.value <= std::numeric_limits<float>::lowest();
  return MeetsTheImage(window) && layer.outputs.size() == 1 &&
         (is_lowest || (spec.value == 0 && IsNeverNegative(editor, pad.inputs[0])));
}

}  // namespace

bool MergePad(Editor& editor, int n) {
  const Node& pad = editor.At(n);
  const int64_t rank = editor.Rank(pad.inputs[0]);
  const auto spec = ReadPad(editor.graph(), pad, rank);
  const int consumer = editor.OnlyConsumer(pad.outputs[0], {"Conv", "AveragePool", "MaxPool"});
  if (!spec || !spec->constant_mode || consumer < 0 || rank < 3) return false;
  Node& layer = editor.At(consumer);
  if (layer.inputs[0] != pad.outputs[0]) return false;
  const std::vector<int64_t> kernel = layer.Ints("kernel_shape");
  const size_t spatial = static_cast<size_t>(rank - 2);
  auto window = ReadSpatialAttributes(layer, kernel);
  if (kernel.size() != spatial || !window) return false;
  for (size_t axis = 0; axis < spec->begin.size(); ++axis) {
    const int64_t begin = spec->begin[axis], end = spec->end[axis];
    if (begin < 0 || end < 0 || (axis < 2 && (begin != 0 || end != 0))) return false;
    if (axis < 2) continue;
    window->pads[axis - 2] += begin;
    window->pads[axis - 2 + spatial] += end;
  }
  if (!MayMerge(editor, pad, *spec, layer, *window)) return false;
  layer.attributes["pads"] = window->pads;
  if (layer.op == "AveragePool") layer.attributes["count_include_pad"] = int64_t{1};
  editor.SetInput(consumer, 0, pad.inputs[0]);
  editor.Remove(n);
  return true;
}

}  // namespace octet::passes
