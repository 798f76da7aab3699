// The error of one node: "node 'NAME' (OP): why".
#ifndef OCTET_CONVERTER_OPERATORS_NODE_ERROR_H_
#define OCTET_CONVERTER_OPERATORS_NODE_ERROR_H_

#include <string>

#include <fmt/format.h>

#include "converter/graph/graph.h"
#include "converter/support/not_possible.h"

namespace octet::operators {

class NodeError : public NotPossible {
 public:
  NodeError(const graph::Node& node, const std::string& why, bool advises)
      : NotPossible(fmt::format("node '{}' ({}): {}", node.name, node.op, why), advises),
        why_(why) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NODE_ERROR_H_
