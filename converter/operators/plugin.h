// Operators of others: a program that defines Plugins() itself and links octet::converter converts
// models that use them (docs/plugins.md, examples/plugin). Their layers have codes from
// blob::kFirstPluginOp on, and a runtime needs the other half, runtime/kernels/plugin.h.
#ifndef OCTET_CONVERTER_OPERATORS_PLUGIN_H_
#define OCTET_CONVERTER_OPERATORS_PLUGIN_H_

#include <span>
#include <string_view>

#include "converter/operators/operator.h"

namespace octet::lower {
class Builder;
}

namespace octet::operators {

struct Plugin {
  std::string_view domain;  // of the ONNX operator; none of ONNX's own
  Operator record;          // its name differs from those of operators.inc
  // Emits the layers of a node; converter/lower/builder.h says how. Throws by lower::NodeFail for
  // what cannot run, before calibration too.
  void (*lower)(lower::Builder& builder, const graph::Node& node);
};

// The archive has an empty definition (no_plugins.cc), which one in the program replaces: nothing
// is registered at run time.
std::span<const Plugin> Plugins();

// Null for an operator of nobody's.
const Plugin* FindPlugin(std::string_view op);

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_PLUGIN_H_
