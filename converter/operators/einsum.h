// An Einsum equation taken apart: one letter for every dimension, an ellipsis as digits.
#ifndef OCTET_CONVERTER_OPERATORS_EINSUM_H_
#define OCTET_CONVERTER_OPERATORS_EINSUM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "converter/graph/graph.h"

namespace octet::operators {

struct Einsum {
  std::vector<std::string> terms;  // a letter for every dimension of every operand
  std::string output;
  std::map<char, int64_t> sizes;  // of every letter, broadcast dimensions of an ellipsis included
};

// Throws UserError naming the node where equation and shapes do not fit.
Einsum ReadEinsum(const graph::Node& node, const std::vector<graph::Shape>& shapes);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_EINSUM_H_
