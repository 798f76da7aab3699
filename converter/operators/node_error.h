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
      : NotPossible(Place(node) + ": " + why, advises), place_(Place(node)), why_(why) {}

  static std::string Place(const graph::Node& node) {
    return fmt::format("node '{}' ({})", node.name, node.op);
  }
  const std::string& place() const { return place_; }
  const std::string& why() const { return why_; }

 private:
  std::string place_, why_;
};

}  // namespace octet::operators

#endif  // OCTET_CONVERTER_OPERATORS_NODE_ERROR_H_
