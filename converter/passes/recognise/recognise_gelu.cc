// Gelu(x) = x / 2 * (1 + erf(x / sqrt(2))), its factors grouped in any way.
#include <cmath>

#include "converter/passes/editor.h"
#include "converter/passes/product.h"

namespace octet::passes {

namespace {

// The x of 1 + erf(x / sqrt(2)), kNoValue for any other value.
ValueId GeluInput(Editor& editor, ValueId gate) {
  const auto offset = editor.IsPrivate(gate) ? ReadOffset(editor, gate) : std::nullopt;
  if (!offset || offset->c != 1 || !editor.IsPrivate(offset->x)) return graph::kNoValue;
  const int erf = editor.ProducerIf(offset->x, "Erf");
  if (erf < 0 || !editor.IsPrivate(editor.At(erf).inputs[0])) return graph::kNoValue;
  const int mul = editor.ProducerIf(editor.At(erf).inputs[0], "Mul");
  if (mul < 0) return graph::kNoValue;
  const auto inner = ReadProduct(editor, editor.At(mul));
  const bool matches =
      inner && inner->factors.size() == 1 && IsNear(inner->constant, std::sqrt(0.5));
  return matches ? inner->factors[0] : graph::kNoValue;
}

}  // namespace

bool RecogniseGelu(Editor& editor, int n) {
  const auto product = ReadProduct(editor, editor.At(n));
  if (!product || product->factors.size() != 2 || product->constant != 0.5f) return false;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = product->factors[i];
    if (GeluInput(editor, product->factors[1 - i]) != x) continue;
    editor.Become(n, "Gelu", {x});
    return true;
  }
  return false;
}

}  // namespace octet::passes
