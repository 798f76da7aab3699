// The error of one node that cannot be lowered: "node 'NAME' (OP): why".
#ifndef OCTET_CONVERTER_LOWER_NODE_FAIL_H_
#define OCTET_CONVERTER_LOWER_NODE_FAIL_H_

#include <string>
#include <utility>

#include <fmt/format.h>

#include "converter/graph/graph.h"
#include "converter/support/not_possible.h"

namespace octet::lower {

class NodeError : public NotPossible {
 public:
  NodeError(const graph::Node& node, const std::string& why, bool advises)
      : NotPossible(fmt::format("node '{}' ({}): {}", node.name, node.op, why), advises),
        why_(why) {}
  const std::string& why() const { return why_; }

 private:
  std::string why_;
};

template <typename... Args>
[[noreturn]] void NodeFail(const graph::Node& node, fmt::format_string<Args...> format,
                           Args&&... args) {
  throw NodeError(node, fmt::format(format, std::forward<Args>(args)...), Advises(format));
}

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_NODE_FAIL_H_
