// If with a condition that the conversion knows: the nodes of the chosen branch take its place.
#ifndef OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_
#define OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_

#include <functional>
#include <optional>
#include <string>

#include <onnx/onnx_pb.h>

namespace octet::import {

// The value of the one output of a model, a condition, where it does not depend on the numbers of
// the inputs: exporters compute it of shapes (squeeze of PyTorch) or write it down (training). The
// model is the caller's to change. Nullopt: it depends on them.
using Settle = std::function<std::optional<bool>(onnx::ModelProto& condition)>;

// Replaces each If of the main graph whose condition settles, also those inside chosen branches.
// Values and nodes of a branch get the If's name as prefix; its results the names of the If's
// outputs. An If that does not settle stays.
void SettleBranches(onnx::ModelProto* model, const Settle& settle);

// Renames all values of a graph and of the graphs inside its nodes.
void RenameValues(onnx::GraphProto* graph,
                  const std::function<std::string(const std::string&)>& renamed);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_SETTLE_BRANCHES_H_
