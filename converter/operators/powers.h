// Functions through which a factor passes as another one: what scaling.h says of factors that stay
// as they are.
#ifndef OCTET_CONVERTER_OPERATORS_POWERS_H_
#define OCTET_CONVERTER_OPERATORS_POWERS_H_

#include <cstdint>

#include "converter/graph/graph.h"

namespace octet::operators {

enum class Power : uint8_t {
  kNone,
  kSquare,     // f(k x) = k^2 f(x)
  kRoot,       // f(k^2 x) = k f(x) for k > 0
  kLogarithm,  // f(k x) = f(x) + log k for k > 0
  kFunction,   // any, of which a plan has a table: the table takes the factor
};

// Of a node that computes it of its input 0, also by its constants and by what it reads: a power of
// 2 or of a half, a value times itself.
Power PowerOf(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_POWERS_H_
