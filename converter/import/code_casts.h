// What a Cast does to numbers that become codes.
#ifndef OCTET_CONVERTER_IMPORT_CODE_CASTS_H_
#define OCTET_CONVERTER_IMPORT_CODE_CASTS_H_

#include <string>

#include "converter/import/code_nodes.h"

namespace octet::import {

// False for what rounds, and for integers as far as the operators alone tell.
bool MayBeFraction(const graph::Graph& graph, const graph::Links& links, graph::ValueId id);

// Real numbers cut off towards 0. Nodes are named after `name`.
graph::ValueId Truncated(CodeNodes& nodes, const std::string& name, graph::ValueId real,
                         graph::DataType to);

// Codes of one type, as real numbers, as the same bits of another type of as many bits. Throws
// UserError naming node `name` where the types have not.
graph::ValueId Wrapped(CodeNodes& nodes, const std::string& name, graph::ValueId codes,
                       graph::DataType from, graph::DataType to);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_CODE_CASTS_H_
