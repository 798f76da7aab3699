// SiLU(x) = x * Sigmoid(x).
#include "converter/passes/editor.h"
#include "converter/passes/product.h"

namespace octet::passes {

bool RecogniseSilu(Editor& editor, int n) {
  const auto product = ReadProduct(editor, editor.At(n));
  if (!product || product->factors.size() != 2 || product->constant != 1) return false;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = product->factors[i], gate = product->factors[1 - i];
    const int sigmoid = editor.HasOneUse(gate) ? editor.RoundedProducerIf(gate, "Sigmoid") : -1;
    if (sigmoid < 0 || editor.At(sigmoid).inputs[0] != x) continue;
    // Where the model rounds the gate to codes, the rounding is part of the function.
    const graph::GivenCodes given = editor.Value(gate).given;
    editor.Become(n, "Silu", {x});
    if (given) {
      editor.At(n).attributes["gate_scale"] = given->scale;
      editor.At(n).attributes["gate_zero_point"] = int64_t{given->zero_point};
      editor.Forgo(gate);
    }
    return true;
  }
  return false;
}

}  // namespace octet::passes
