// Seeing through nested multiplications, so that one activation is recognised however its factors
// are grouped.
#ifndef OCTET_CONVERTER_PASSES_PRODUCT_H_
#define OCTET_CONVERTER_PASSES_PRODUCT_H_

#include <optional>
#include <utility>
#include <vector>

#include "converter/passes/editor.h"

namespace octet::passes {

// A Mul and the Muls whose only use it is, multiplied out.
struct Product {
  float constant = 1;            // product of all scalar constants
  std::vector<ValueId> factors;  // the rest, all of one shape
};

// Nullopt when the node is no plain float Mul, a constant among the factors is no scalar, or a
// factor broadcasts. Division by a constant must already be a multiplication.
std::optional<Product> ReadProduct(Editor& editor, const Node& root);

// x + c with a scalar constant c, unfused: its node, x and c.
struct Offset {
  ValueId x;
  float c;
};
std::optional<Offset> ReadOffset(Editor& editor, ValueId id);

// |a - b| <= tolerance * |b|: constants of a pattern are often rounded to a few digits in exports.
bool IsNear(float a, double b, double tolerance = 1e-4);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_PRODUCT_H_
