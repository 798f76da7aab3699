// What `octet inspect` says of the numbers that are added to outputs.
#ifndef OCTET_CONVERTER_CLI_INSPECT_OFFSETS_H_
#define OCTET_CONVERTER_CLI_INSPECT_OFFSETS_H_

#include <string>

#include <nlohmann/json.hpp>

#include "runtime/format/view.h"

namespace octet::cli {

// Of a plan's outputs that have offsets: name, how many there are, the least and the largest.
nlohmann::json OffsetsJson(const BlobView& view, const blob::PlanRecord& plan);

// A line for each of them; empty where there are none.
std::string OffsetsText(const nlohmann::json& offsets);

}  // namespace octet::cli

#endif  // OCTET_CONVERTER_CLI_INSPECT_OFFSETS_H_
