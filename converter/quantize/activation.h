// Functions of one variable behind a layer, which lowering turns into tables.
#ifndef OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_
#define OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_

#include "converter/graph/graph.h"
#include "converter/operators/unary.h"

namespace octet::quantize {

inline bool IsActivation(const graph::Node& node) {
  return operators::UnaryTraitsOf(node).activation;
}

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_
