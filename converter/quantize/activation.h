// Functions of one variable behind a layer, which lowering turns into tables.
#ifndef OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_
#define OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_

#include <algorithm>
#include <string_view>

#include "converter/graph/graph.h"

namespace octet::quantize {

inline bool IsActivation(const graph::Node& node) {
  static constexpr std::string_view kActivations[] = {
      "Silu", "Sigmoid", "HardSigmoid", "HardSwish", "Mish",
      "Gelu", "Tanh",    "Elu",         "LeakyRelu", "Softplus"};
  return std::find(std::begin(kActivations), std::end(kActivations), node.op) !=
         std::end(kActivations);
}

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_ACTIVATION_H_
