// HardSwish(x) = x * HardSigmoid(x) with alpha = 1/6, beta = 1/2, or x * Clip(x + 3, 0, 6) / 6 in
// any grouping.
#include "converter/passes/editor.h"
#include "converter/passes/product.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

// The x of a gate that, times x and the product's constant, is HardSwish(x); kNoValue for any other
// value.
ValueId GateInput(Editor& editor, ValueId gate, float constant) {
  if (!editor.IsPrivate(gate)) return graph::kNoValue;
  const int sigmoid = editor.ProducerIf(gate, "HardSigmoid");
  if (sigmoid >= 0) {
    const Node& node = editor.At(sigmoid);
    const bool matches = IsNear(node.Float("alpha", 0.2f), 1.0 / 6) &&
                         IsNear(node.Float("beta", 0.5f), 0.5) && IsNear(constant, 1);
    return matches ? node.inputs[0] : graph::kNoValue;
  }
  const int clip = editor.ProducerIf(gate, "Clip");
  if (clip < 0 || !IsNear(constant, 1.0 / 6)) return graph::kNoValue;
  const auto bounds = ReadClipBounds(editor.graph(), editor.At(clip));
  const ValueId sum = editor.At(clip).inputs[0];
  const auto offset = editor.IsPrivate(sum) ? ReadOffset(editor, sum) : std::nullopt;
  const bool matches = bounds && bounds->min == 0 && bounds->max == 6 && offset && offset->c == 3;
  return matches ? offset->x : graph::kNoValue;
}

}  // namespace

bool RecogniseHardSwish(Editor& editor, int n) {
  const auto product = ReadProduct(editor, editor.At(n));
  if (!product || product->factors.size() != 2) return false;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = product->factors[i];
    if (GateInput(editor, product->factors[1 - i], product->constant) != x) continue;
    editor.Become(n, "HardSwish", {x});
    return true;
  }
  return false;
}

}  // namespace octet::passes
