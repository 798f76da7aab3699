#include "converter/import/inline_branches.h"

#include <set>
#include <utility>
#include <vector>

#include "converter/import/model_part.h"
#include "converter/operators/flow_words.h"

namespace octet::import {

onnx::GraphProto* BranchOf(onnx::NodeProto* node, bool condition) {
  for (onnx::AttributeProto& attribute : *node->mutable_attribute()) {
    if (attribute.name() == (condition ? "then_branch" : "else_branch") && attribute.has_g()) {
      return attribute.mutable_g();
    }
  }
  return nullptr;
}

void InlineChosen(const onnx::NodeProto& node, const std::string& prefix, onnx::GraphProto branch,
                  Namer* namer, Inlined* to) {
  std::set<std::string> own;
  for (const onnx::NodeProto& inner : branch.node()) {
    own.insert(inner.output().begin(), inner.output().end());
  }
  Names names;
  // A result that is no node's own (a constant, a value from outside, one of two alike) is copied.
  std::vector<std::pair<std::string, std::string>> copies;
  for (int i = 0; i < branch.output_size(); ++i) {
    const std::string& inner = branch.output(i).name();
    if (node.output(i).empty()) continue;
    if (own.count(inner) == 0 || !names.emplace(inner, node.output(i)).second) {
      copies.emplace_back(inner, node.output(i));
    }
  }
  InlineGraph(std::move(branch), prefix, namer, &names, to);
  for (const auto& [from, copy] : copies) {
    to->nodes.push_back(CopyOf(NameOutside(names, from), copy, prefix + "copy_of_" + from));
  }
}

void InlineBoth(onnx::NodeProto* node, const std::string& prefix, Namer* namer, Inlined* to) {
  // Of rank 0, so that it gives the result no shape.
  const std::string condition = namer->Free(prefix + "condition");
  onnx::NodeProto squeeze = CopyOf(node->input(0), condition, condition);
  squeeze.set_op_type(operators::kDropsOnes);
  to->nodes.push_back(std::move(squeeze));
  std::vector<std::string> results[2];
  for (const bool chosen : {true, false}) {
    onnx::GraphProto branch = std::move(*BranchOf(node, chosen));
    std::vector<std::string> inner;
    for (const onnx::ValueInfoProto& output : branch.output()) inner.push_back(output.name());
    Names names;
    InlineGraph(std::move(branch), prefix + (chosen ? "then/" : "else/"), namer, &names, to);
    for (const std::string& name : inner) results[chosen].push_back(NameOutside(names, name));
  }
  for (int i = 0; i < node->output_size(); ++i) {
    if (node->output(i).empty()) continue;
    const auto at = static_cast<size_t>(i);
    onnx::NodeProto where = CopyOf(condition, node->output(i), prefix + "result");
    where.set_op_type(operators::kSelects);
    where.add_input(results[true][at]);
    where.add_input(results[false][at]);
    onnx::AttributeProto& branches = *where.add_attribute();
    branches.set_name("octet_branches");
    branches.set_type(onnx::AttributeProto::INT);
    branches.set_i(1);
    to->nodes.push_back(std::move(where));
  }
}

}  // namespace octet::import
