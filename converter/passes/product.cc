#include "converter/passes/product.h"

#include <cmath>

#include "converter/passes/read.h"

namespace octet::passes {

namespace {

// A scalar that leaves the rank of what it meets alone.
std::optional<float> NeutralScalar(const Editor& editor, const graph::Graph& graph, ValueId id,
                                   int64_t rank) {
  return editor.Rank(id) <= rank ? ConstantScalar(graph, id) : std::nullopt;
}

// More factors are none of the functions that are looked for; a chain may have any number.
constexpr int kMostProducts = 16;

bool Collect(Editor& editor, const Node& mul, const Shape& shape, int most, Product* product) {
  if (most == 0) return false;
  for (const ValueId id : mul.inputs) {
    if (editor.IsConstant(id)) {
      const auto scalar =
          NeutralScalar(editor, editor.graph(), id, static_cast<int64_t>(shape.size()));
      if (!scalar) return false;
      product->constant *= *scalar;
      continue;
    }
    const Shape& own = editor.ShapeOf(id);
    if (own != shape) return false;
    const int inner = editor.IsPrivate(id) ? editor.ProducerIf(id, "Mul") : -1;
    if (inner < 0) {
      product->factors.push_back(id);
    } else if (!Collect(editor, editor.At(inner), shape, most - 1, product)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Product> ReadProduct(Editor& editor, const Node& root) {
  if (root.op != "Mul" || !root.activation.empty() || !editor.IsFloat(root.outputs[0]))
    return std::nullopt;
  const Shape& shape = editor.ShapeOf(root.outputs[0]);
  Product product;
  if (!Collect(editor, root, shape, kMostProducts, &product)) {
    return std::nullopt;
  }
  return product;
}

std::optional<Offset> ReadOffset(Editor& editor, ValueId id) {
  const int add = editor.ProducerIf(id, "Add");
  if (add < 0) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const ValueId x = editor.At(add).inputs[1 - i];
    if (editor.IsConstant(x)) continue;
    const auto c = NeutralScalar(editor, editor.graph(), editor.At(add).inputs[i], editor.Rank(x));
    if (c) return Offset{x, *c};
  }
  return std::nullopt;
}

bool IsNear(float a, double b, double tolerance) {
  return std::fabs(static_cast<double>(a) - b) <= tolerance * std::fabs(b);
}

}  // namespace octet::passes
