// If with a condition that the conversion knows: the nodes of the chosen branch take its place.
#ifndef OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_
#define OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_

#include <functional>
#include <map>
#include <optional>
#include <string>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::import {

// What is known of the values of a model, by name.
using KnownValues = std::map<std::string, graph::Value>;

// Reads a model whose one output is a condition; the model is the callee's to change. Nullopt: it
// cannot be read. Where the output is no constant, the condition depends on the numbers of the
// inputs: else exporters compute it of shapes (squeeze of PyTorch) or write it down (training).
using ReadPart = std::function<std::optional<KnownValues>(onnx::ModelProto& part)>;

// Replaces each If of the main graph whose condition settles, also those inside chosen branches.
// Values and nodes of a branch get the If's name as prefix; its results the names of the If's
// outputs. An If that does not settle stays. Takes time in proportion to the model: what is known
// of a value is not asked for again. Throws UserError for an If that needs its own result.
void SettleBranches(onnx::ModelProto* model, const ReadPart& read);

// Renames all values of a graph and of the graphs inside its nodes.
void RenameValues(onnx::GraphProto* graph,
                  const std::function<std::string(const std::string&)>& renamed);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_
