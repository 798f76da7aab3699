// Other outputs, or a part, of a model as its file has it: no import, no pass.
#ifndef OCTET_CONVERTER_EXPORT_MODEL_EDIT_H_
#define OCTET_CONVERTER_EXPORT_MODEL_EDIT_H_

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::exporting {

// Whether the file quantizes activations itself (QuantizeLinear and the like): its integers may be
// computed in more than one way.
bool IsQuantized(const std::filesystem::path& model);

// The values that nodes of a model's main graph compute, in the order of the nodes.
std::vector<std::string> ComputedValues(const std::filesystem::path& model);

// Reads the model with all its data inside: tensors in files beside it become part of it.
onnx::ModelProto ReadWhole(const std::filesystem::path& path);
// Makes these values of the main graph the outputs, in this order. Throws UserError for a name that
// nothing computes.
void SetOutputs(const std::vector<std::string>& names, onnx::ModelProto* model);

// The part of a model that computes one value from others.
struct Part {
  std::vector<std::string> inputs;  // values of `known`, and inputs of the model
  std::vector<int> nodes;           // of the main graph, in its order
};
// What computes `output` when the values of `known` that nodes up to number `last_known` make are
// given; -1: the model's inputs alone.
Part PartOf(const onnx::GraphProto& graph, const std::string& output, int last_known,
            const std::set<std::string>& known);
// Cuts the model down to the part. `shapes` has those of its inputs and its output.
void Extract(const Part& part, const std::string& output,
             const std::map<std::string, graph::Shape>& shapes, onnx::ModelProto* model);

// Writes the message; throws UserError.
void WriteModel(const onnx::ModelProto& model, const std::filesystem::path& path);

}  // namespace octet::exporting

#endif  // OCTET_CONVERTER_EXPORT_MODEL_EDIT_H_
