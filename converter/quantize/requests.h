// What the configuration asks of single nodes.
#ifndef OCTET_CONVERTER_QUANTIZE_REQUESTS_H_
#define OCTET_CONVERTER_QUANTIZE_REQUESTS_H_

#include <optional>
#include <string>

#include "converter/quantize/scheme.h"

namespace octet::quantize {

// What the configuration asks of a node: the last entry that names it and is not to be ignored.
struct Request {
  blob::Precision precision = blob::Precision::kInt8;
  Constraint constraint = Constraint::kPrefer;  // kPrefer or kObey
  std::string pattern = {};                     // the entry's name
};
std::optional<Request> RequestOf(const Config& config, const graph::Node& node);

// UserError where a name fits no node, or entries must be obeyed and cannot all be.
void RequireAgreement(const graph::Graph& graph, const Config& config);

}  // namespace octet::quantize

#endif  // OCTET_CONVERTER_QUANTIZE_REQUESTS_H_
