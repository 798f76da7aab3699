// Mish(x) = x * tanh(softplus(x)).
#include "converter/passes/editor.h"
#include "converter/passes/product.h"

namespace octet::passes {

namespace {

ValueId MishInput(Editor& editor, ValueId gate) {
  const int tanh = editor.IsPrivate(gate) ? editor.ProducerIf(gate, "Tanh") : -1;
  if (tanh < 0 || !editor.IsPrivate(editor.At(tanh).inputs[0])) return graph::kNoValue;
  const int softplus = editor.ProducerIf(editor.At(tanh).inputs[0], "Softplus");
  return softplus < 0 ? graph::kNoValue : editor.At(softplus).inputs[0];
}

}  // namespace

bool RecogniseMish(Editor& editor, int n) {
  const auto product = ReadProduct(editor, editor.At(n));
  if (!product || product->factors.size() != 2 || product->constant != 1) return false;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = product->factors[i];
    if (MishInput(editor, product->factors[1 - i]) != x) continue;
    editor.Become(n, "Mish", {x});
    return true;
  }
  return false;
}

}  // namespace octet::passes
