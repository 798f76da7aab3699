// Names of models, plans and layers as values of labels.
#ifndef OCTET_PORTS_LINUX_METRICS_NAME_H_
#define OCTET_PORTS_LINUX_METRICS_NAME_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace octet::port {

using MetricName = std::array<char, 128>;  // with its end

// A name that is longer keeps its last characters, where those of layers differ; what is not
// printable ASCII becomes '?'.
void SetName(std::string_view text, MetricName* name);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_NAME_H_
