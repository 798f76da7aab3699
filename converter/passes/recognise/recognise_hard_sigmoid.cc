// HardSigmoid(x) = max(0, min(1, alpha * x + beta)), spelled Clip(x + c, 0, h) / h: alpha = 1 / h,
// beta = c / h (c = 3, h = 6 in MobileNetV3), and Clip(a * x + b, 0, 1).
#include "converter/passes/editor.h"
#include "converter/passes/product.h"
#include "converter/passes/read.h"

namespace octet::passes {

namespace {

void MakeHardSigmoid(Editor& editor, int n, ValueId x, float alpha, float beta) {
  editor.Become(n, "HardSigmoid", {x});
  editor.At(n).attributes["alpha"] = alpha;
  editor.At(n).attributes["beta"] = beta;
}

// s * Clip(x + c, 0, h) with s * h = 1.
bool FromProduct(Editor& editor, int n) {
  const auto product = ReadProduct(editor, editor.At(n));
  if (!product || product->factors.size() != 1) return false;
  const ValueId clipped = product->factors[0];
  const int clip = editor.IsPrivate(clipped) ? editor.ProducerIf(clipped, "Clip") : -1;
  if (clip < 0) return false;
  const auto bounds = ReadClipBounds(editor.graph(), editor.At(clip));
  if (!bounds || bounds->min != 0 || bounds->max <= 0) return false;
  if (!IsNear(product->constant, 1.0 / static_cast<double>(bounds->max))) return false;
  const ValueId sum = editor.At(clip).inputs[0];
  const auto offset = editor.IsPrivate(sum) ? ReadOffset(editor, sum) : std::nullopt;
  if (!offset) return false;
  MakeHardSigmoid(editor, n, offset->x, 1 / bounds->max, offset->c / bounds->max);
  return true;
}

// Clip(a * x + b, 0, 1), a > 0.
bool FromClip(Editor& editor, int n) {
  const auto bounds = ReadClipBounds(editor.graph(), editor.At(n));
  if (!bounds || bounds->min != 0 || bounds->max != 1 || !editor.At(n).activation.empty())
    return false;
  const ValueId sum = editor.At(n).inputs[0];
  const auto offset = editor.IsPrivate(sum) ? ReadOffset(editor, sum) : std::nullopt;
  if (!offset || !editor.IsPrivate(offset->x)) return false;
  const int mul = editor.ProducerIf(offset->x, "Mul");
  if (mul < 0) return false;
  const auto product = ReadProduct(editor, editor.At(mul));
  if (!product || product->factors.size() != 1 || product->constant <= 0) return false;
  // Behind a layer with weights factor and summand fold into those, and what is left is a clamp:
  // cheaper.
  const ValueId x = product->factors[0];
  for (const std::string_view layer :
       {"Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization"}) {
    if (editor.IsPrivate(x) && editor.ProducerIf(x, layer) >= 0) return false;
  }
  MakeHardSigmoid(editor, n, x, product->constant, offset->c);
  return true;
}

}  // namespace

int RecogniseHardSigmoid(graph::Graph& graph) {
  Editor editor(graph);
  editor.ForEach({"Mul"}, [&](int n) { return FromProduct(editor, n); });
  editor.ForEach({"Clip"}, [&](int n) { return FromClip(editor, n); });
  return editor.Finish();
}

}  // namespace octet::passes
