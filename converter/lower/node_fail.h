// The error of one node that cannot be lowered: "node 'NAME' (OP): why".
#ifndef OCTET_CONVERTER_LOWER_NODE_FAIL_H_
#define OCTET_CONVERTER_LOWER_NODE_FAIL_H_

#include <utility>

#include <fmt/format.h>

#include "converter/operators/node_error.h"

namespace octet::lower {

template <typename... Args>
[[noreturn]] void NodeFail(const graph::Node& node, fmt::format_string<Args...> format,
                           Args&&... args) {
  throw operators::NodeError(node, fmt::format(format, std::forward<Args>(args)...),
                             Advises(format));
}

}  // namespace octet::lower

#endif  // OCTET_CONVERTER_LOWER_NODE_FAIL_H_
