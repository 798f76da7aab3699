// The activations that can stand behind a layer's result; see graph::Node::activation.
#ifndef OCTET_CONVERTER_PASSES_ACTIVATION_H_
#define OCTET_CONVERTER_PASSES_ACTIVATION_H_

#include <optional>
#include <string>

#include "converter/graph/graph.h"

namespace octet::passes {

struct Activation {
  std::string name;
  float alpha = 0, beta = 0;
};

// The activation a float node computes from its first input, with parameters in the order of
// Node::alpha and beta; nullopt for any other operator, and for parameters that are not constant.
std::optional<Activation> ReadActivation(const graph::Graph& graph, const graph::Node& node);

}  // namespace octet::passes

#endif  // OCTET_CONVERTER_PASSES_ACTIVATION_H_
