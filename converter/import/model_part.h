// The part of a model that computes one value.
#ifndef OCTET_CONVERTER_IMPORT_MODEL_PART_H_
#define OCTET_CONVERTER_IMPORT_MODEL_PART_H_

#include <functional>
#include <set>
#include <string>

#include <onnx/onnx_pb.h>

#include "converter/graph/graph.h"

namespace octet::import {

// Whether the node stands for a choice between two graphs.
bool IsIf(const onnx::NodeProto& node);

// Whether it stands for a graph that runs again while a condition holds.
bool IsLoop(const onnx::NodeProto& node);

// Whether it is an If, a Loop or a Scan that has a result.
bool IsFlow(const onnx::NodeProto& node);

// Nodes of a graph and of the graphs inside them.
int NodesIn(const onnx::GraphProto& graph);

// A node that copies a value.
onnx::NodeProto CopyOf(const std::string& from, const std::string& to, const std::string& name);

// Names that a node reads, with what the graphs inside it read of the graph around it, and more
// names, which do no harm.
void ReadNames(const onnx::NodeProto& node, std::set<std::string>* names);

// Whether numbers of the model may be codes: then the part that reads a value decides what it is.
bool MayHoldCodes(const onnx::GraphProto& graph);

// Whether a later part can have the value as an input or a constant in place of its nodes.
bool CanStandIn(const graph::Value& value);

// An input or a constant of the part in place of the nodes that compute the value.
void AddStandIn(const graph::Value& value, onnx::GraphProto* part);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_MODEL_PART_H_
