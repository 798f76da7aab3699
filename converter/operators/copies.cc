#include "converter/operators/copies.h"

#include "converter/operators/operator.h"

namespace octet::operators {

bool CopiesElements(const graph::Node& node) {
  if (node.op == "Resize" && node.String("mode", "nearest") != "nearest") return false;
  const Int8 kind = Int8Of(node);
  return kind == Int8::kKeepsScale || kind == Int8::kJoins;
}

}  // namespace octet::operators
