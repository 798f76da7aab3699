#include "converter/import/inline_functions.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "converter/import/settle_branches.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

// Far above what exporters write; a few nested functions may ask for any number.
constexpr int kMostNodes = 1 << 20;
constexpr int kDeepest = 32;

using Key = std::pair<std::string, std::string>;  // domain, name

std::string Domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

class Inliner {
 public:
  explicit Inliner(onnx::ModelProto* model) : model_(model) {
    for (const onnx::FunctionProto& function : model->functions()) {
      functions_[{Domain(function.domain()), function.name()}] = &function;
    }
  }

  void Run() {
    google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
    nodes.Swap(model_->mutable_graph()->mutable_node());
    for (onnx::NodeProto& node : nodes) Emit(std::move(node), 0);
    for (onnx::NodeProto& node : result_) *model_->mutable_graph()->add_node() = std::move(node);
  }

 private:
  void Emit(onnx::NodeProto node, int depth) {
    const auto found = functions_.find({Domain(node.domain()), node.op_type()});
    if (found == functions_.end()) {
      if (static_cast<int>(result_.size()) >= kMostNodes) {
        Fail("its functions expand to more than {} nodes; export the model with functions inlined",
             kMostNodes);
      }
      result_.push_back(std::move(node));
      return;
    }
    if (depth >= kDeepest) {
      Fail(
          "function '{}' calls itself, or more than {} functions are nested; export the model with "
          "functions inlined",
          node.op_type(), kDeepest);
    }
    Expand(node, *found->second, depth);
  }

  void Expand(const onnx::NodeProto& call, const onnx::FunctionProto& function, int depth) {
    const std::string prefix =
        (call.name().empty() ? call.op_type() + "_" + std::to_string(++calls_) : call.name()) + "/";
    std::map<std::string, std::string> names{{"", ""}};
    for (int i = 0; i < function.input_size(); ++i) {
      names[function.input(i)] = i < call.input_size() ? call.input(i) : "";
    }
    for (int i = 0; i < function.output_size(); ++i) {
      if (i < call.output_size() && !call.output(i).empty()) {
        names[function.output(i)] = call.output(i);
      }
    }
    const auto named = [&](const std::string& name) {
      return names.try_emplace(name, prefix + name).first->second;
    };
    for (const onnx::NodeProto& inner : function.node()) {
      onnx::NodeProto node = inner;
      node.set_name(prefix + (inner.name().empty() ? inner.op_type() : inner.name()));
      for (int i = 0; i < node.input_size(); ++i) node.set_input(i, named(inner.input(i)));
      for (int i = 0; i < node.output_size(); ++i) node.set_output(i, named(inner.output(i)));
      node.clear_attribute();
      for (const onnx::AttributeProto& attribute : inner.attribute()) {
        if (attribute.ref_attr_name().empty()) {
          onnx::AttributeProto& added = *node.add_attribute();
          added = attribute;
          // The graphs of an If read the function's values by name.
          if (added.has_g()) RenameValues(added.mutable_g(), named);
          continue;
        }
        // Left out at the call: the operator's default.
        for (const onnx::AttributeProto& given : call.attribute()) {
          if (given.name() != attribute.ref_attr_name()) continue;
          *node.add_attribute() = given;
          node.mutable_attribute(node.attribute_size() - 1)->set_name(attribute.name());
        }
      }
      Emit(std::move(node), depth + 1);
    }
  }

  onnx::ModelProto* model_;
  std::map<Key, const onnx::FunctionProto*> functions_;
  std::vector<onnx::NodeProto> result_;
  int calls_ = 0;
};

}  // namespace

void InlineFunctions(onnx::ModelProto* model) {
  if (model->functions_size() > 0) Inliner(model).Run();
}

}  // namespace octet::import
