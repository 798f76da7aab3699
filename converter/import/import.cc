#include "converter/import/import.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "converter/import/attribute.h"
#include "converter/import/codes_to_real.h"
#include "converter/import/cut.h"
#include "converter/import/description.h"
#include "converter/import/inline_functions.h"
#include "converter/import/input_shapes.h"
#include "converter/import/integer_layers.h"
#include "converter/import/integer_pictures.h"
#include "converter/import/lift_old.h"
#include "converter/import/local_function.h"
#include "converter/import/model_file.h"
#include "converter/import/normalise.h"
#include "converter/import/plain_names.h"
#include "converter/import/quantized_types.h"
#include "converter/import/settle_flow.h"
#include "converter/import/slice_bounds.h"
#include "converter/import/states.h"
#include "converter/import/tensor.h"
#include "converter/metadata/record.h"
#include "converter/operators/newer/bounded_boxes.h"
#include "converter/operators/newer/class_offsets.h"
#include "converter/operators/newer/lift_new.h"
#include "converter/operators/operator.h"
#include "converter/operators/plugin.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using graph::Graph;
using graph::kNoValue;
using graph::Node;
using graph::Tensor;
using graph::Value;
using graph::ValueId;

// Four times what a blob can hold as layers: what is left over may be folded.
constexpr size_t kMostNodes = 1 << 15;

class Importer {
 public:
  Importer(onnx::ModelProto& model, std::filesystem::path folder, const ImportOptions& options)
      : model_(model),
        proto_(*model.mutable_graph()),
        folder_(std::move(folder)),
        options_(options) {}

  Graph Run() {
    graph_.opsets = ReadVersions(model_);
    graph_.metadata = options_.metadata;
    graph_.metadata.merge(PropertiesOf(model_));
    said_ = metadata::ReadRecord(graph_.metadata);
    graph_.notes = InlineFunctions(graph_.opsets.at(""), &model_);
    stays_ = SettleFlow(&model_, graph_.opsets.at(""),
                        [&](onnx::ModelProto& part) { return ReadPartOf(part); });
    MakeNamesPlain(&proto_);
    graph_.name = proto_.name();
    if (proto_.node_size() == 0 && !is_part_)
      Fail("the graph has no nodes; export the model again");
    if (proto_.output_size() == 0) Fail("the graph has no outputs; export the model again");
    slice_bounds_ = FindSliceBounds(proto_);
    ReadInitialisers();
    ReadInputs();
    for (onnx::NodeProto& node : *proto_.mutable_node()) ReadNode(node);
    if (graph_.nodes.size() > kMostNodes) {
      Fail("the graph has {} nodes, at most {} are read; split the model and convert its parts",
           graph_.nodes.size(), kMostNodes);
    }
    ConnectInputs();
    ReadOutputs();
    graph_.SortTopologically();
    if (!options_.cut_at.empty()) {
      std::vector<std::string> ends = options_.cut_at;  // states go on behind the cut
      for (const StateNames& state : FindStates(graph_, options_)) {
        if (std::find(ends.begin(), ends.end(), state.output) == ends.end() &&
            (state.asked || options_.cut_if_known)) {
          ends.push_back(state.output);
        }
      }
      CutAt(graph_, ends, options_.cut_if_known);
    }
    for (const Node& node : graph_.nodes) {
      if (const auto found = unread_.find(node.name); found != unread_.end()) {
        throw UserError(found->second);
      }
    }
    LiftOldForms(graph_);
    SettleQuantizedTypes(graph_);
    RewriteIntegerLayers(graph_);
    Normalise(graph_);
    ReadPicturesAsFloats(graph_);
    operators::BoundBoxes(graph_);
    operators::SeparateClasses(graph_);
    operators::LiftNewForms(graph_);
    CodesToReal(graph_);
    graph_.Compact();
    return std::move(graph_);
  }

 private:
  // Shape inference folds what depends on shapes alone. What cannot be read is refused where it
  // stands in the whole model.
  std::optional<KnownValues> ReadPartOf(onnx::ModelProto& part) const {
    ImportOptions options;
    for (const onnx::ValueInfoProto& input : part.graph().input()) {
      const auto chosen = options_.input_shapes.find(input.name());
      if (chosen != options_.input_shapes.end()) options.input_shapes.insert(*chosen);
    }
    try {
      Importer importer(part, folder_, options);
      importer.is_part_ = true;
      Graph graph = importer.Run();
      operators::InferShapes(graph);
      KnownValues values;
      for (Value& value : graph.values) values.try_emplace(value.name, std::move(value));
      return values;
    } catch (const UserError&) {
      return std::nullopt;
    }
  }

  // The one definition of a value; `by` says who makes it, for the error about a second one.
  ValueId Define(const std::string& name, const std::string& by, bool is_computed = false) {
    if (name.empty()) Fail("{} has no name; export the model again", by);
    const auto [found, added] = definitions_.emplace(name, Definition{kNoValue, by, is_computed});
    if (!added) {
      Fail("value '{}' is defined twice, by {} and by {}; export the model again", name,
           found->second.by, by);
    }
    Value value;
    value.name = name;
    found->second.id = graph_.AddValue(std::move(value));
    return found->second.id;
  }

  void SetConstant(ValueId id, Tensor tensor) {
    Value& value = graph_.At(id);
    value.type = tensor.type;
    value.shape = tensor.shape;
    value.constant = graph::Constant::Real(std::move(tensor));
  }

  Narrowing NarrowingOf(const std::string& value) const {
    return slice_bounds_.count(value) != 0 ? Narrowing::kSaturate : Narrowing::kRefuse;
  }

  void ReadInitialisers() {
    if (proto_.sparse_initializer_size() > 0) {
      Fail("initialiser '{}' is sparse, which is not supported; store it dense",
           proto_.sparse_initializer(0).values().name());
    }
    for (onnx::TensorProto& tensor : *proto_.mutable_initializer()) {
      const std::string what = fmt::format("initialiser '{}'", tensor.name());
      const ValueId id = Define(tensor.name(), what);
      SetConstant(id, ReadTensor(tensor, what, folder_, NarrowingOf(tensor.name())));
    }
  }

  void ReadInputs() {
    std::set<std::string> unused;
    for (const auto& [name, shape] : options_.input_shapes) unused.insert(name);
    std::vector<std::string> names;
    for (const onnx::ValueInfoProto& input : proto_.input()) {
      // Before IR 4 every initialiser was listed as an input too; since then it is a default. Ours
      // are constants both times.
      const auto defined = definitions_.find(input.name());
      if (defined != definitions_.end() && graph_.Constant(defined->second.id) != nullptr) {
        if (IsState(input.name())) KeepDefault(defined->second.id);
        continue;
      }
      ReadInput(input);
      names.push_back(input.name());
      unused.erase(input.name());
    }
    if (!unused.empty()) {
      Fail("--input-shape names '{}', which is not an input of the model; its inputs are: {}",
           *unused.begin(), fmt::join(names, ", "));
    }
    if (names.empty() && !is_part_)
      Fail("the graph has no inputs, so it has nothing to compute; export the model again");
  }

  bool IsState(const std::string& input) const {
    return std::any_of(options_.states.begin(), options_.states.end(),
                       [&input](const auto& state) { return state.first == input; });
  }

  // A state that begins with the value of an initialiser.
  void KeepDefault(ValueId id) {
    Value& value = graph_.At(id);
    graph_.defaults[value.name] = *graph_.Constant(id);
    value.constant = {};
    graph_.inputs.push_back(id);
  }

  void ReadInput(const onnx::ValueInfoProto& input) {
    const std::string what = fmt::format("input '{}'", input.name());
    if (!input.type().has_tensor_type()) {
      Fail(
          "{}: not a tensor (sequences, maps and optionals are not supported); export the model "
          "with tensor inputs",
          what);
    }
    const int element_type = input.type().tensor_type().elem_type();
    const auto type = ToDataType(element_type);
    if (!type) {
      Fail("{}: element type {} is not supported; {}", what, ElementName(element_type),
           element_type == onnx::TensorProto::STRING
               ? "make numbers of text before the model, and export the model from there"
               : "convert the model to float");
    }
    const auto chosen = options_.input_shapes.find(input.name());
    graph::Shape shape = FixInputShape(
        input, chosen == options_.input_shapes.end() ? nullptr : &chosen->second, said_);
    const ValueId id = Define(input.name(), what);
    graph_.At(id).type = *type;
    graph_.At(id).shape = std::move(shape);
    graph_.inputs.push_back(id);
  }

  // Exporters leave names out, and some repeat them.
  std::string UniqueNodeName(const onnx::NodeProto& node) {
    std::string name = node.name();
    if (name.empty()) {
      name = node.op_type() + "_" + (node.output_size() > 0 ? node.output(0) : "");
    }
    std::string unique = name;
    // Each name counts on from where it was, so that many nodes of one name take no longer.
    for (int64_t& i = repeats_[name]; !node_names_.insert(unique).second;) {
      unique = fmt::format("{}_{}", name, ++i + 1);
    }
    return unique;
  }

  // Where the graph can end in front of a node: at a value that other nodes compute.
  std::string CutBefore(const onnx::NodeProto& node) const {
    for (const std::string& name : node.input()) {
      const auto found = definitions_.find(name);
      if (found != definitions_.end() && found->second.is_computed) {
        return fmt::format(", or end the graph before it: --cut-at '{}'", name);
      }
    }
    return {};
  }

  // Operator, domain, opset and attributes.
  void ReadKind(onnx::NodeProto& proto, const std::string& where, Node* node) const {
    if (node->domain == "com.microsoft" && IsIntegerLayer(node->op)) node->domain.clear();
    const operators::Plugin* plugin = operators::FindPlugin(node->op);
    if (plugin != nullptr && plugin->domain == node->domain) node->domain.clear();
    if (!node->domain.empty()) {
      Fail("{}: domain '{}' is not supported, only ai.onnx; {}{}", where, node->domain,
           node->domain == "com.microsoft" ? "use the model from before ONNX Runtime optimized it"
                                           : "export the model with standard operators",
           CutBefore(proto));
    }
    node->since_opset = OpsetOf(proto, graph_.opsets.at(""));
    for (const std::string& output : proto.output()) {
      if (const auto stays = stays_.find(output); stays != stays_.end()) {
        Fail("{}: {}", where, stays->second);
      }
    }
    for (onnx::AttributeProto& attribute : *proto.mutable_attribute()) {
      if (IsOpset(attribute)) continue;
      const Narrowing narrowing = AttributeNarrowing(proto, attribute.name());
      node->attributes[attribute.name()] = ReadAttribute(attribute, where, folder_, narrowing);
    }
  }

  void ReadNode(onnx::NodeProto& proto) {
    Node node;
    node.name = UniqueNodeName(proto);
    node.op = proto.op_type();
    node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    const std::string where = fmt::format("node '{}' ({})", node.name, node.op);
    const bool has_output = std::any_of(proto.output().begin(), proto.output().end(),
                                        [](const std::string& name) { return !name.empty(); });
    if (!has_output) Fail("{}: has no outputs; export the model again", where);
    try {
      ReadKind(proto, where, &node);
      if (node.op == "Constant") {
        SetConstant(Define(proto.output(0), where, true), ConstantValue(node, where));
        return;
      }
    } catch (const UserError& error) {
      // What is cut off need not be read.
      if (options_.cut_at.empty()) throw;
      unread_.emplace(node.name, error);
    }

    int outputs = proto.output_size();
    while (proto.output(outputs - 1).empty()) --outputs;
    for (int i = 0; i < outputs; ++i) {
      const std::string& output = proto.output(i);
      // An output left out before one that is there still gets a value, which nothing uses: later
      // stages see no holes.
      node.outputs.push_back(output.empty() ? graph_.AddValue({}) : Define(output, where, true));
    }
    input_names_.emplace_back(proto.input().begin(), proto.input().end());
    graph_.nodes.push_back(std::move(node));
  }

  Narrowing AttributeNarrowing(const onnx::NodeProto& node, const std::string& key) const {
    if (node.op_type() == "Constant") return NarrowingOf(node.output(0));
    const bool is_bound = (node.op_type() == "Slice" && (key == "starts" || key == "ends")) ||
                          (node.op_type() == "Shape" && (key == "start" || key == "end"));
    return is_bound ? Narrowing::kSaturate : Narrowing::kRefuse;
  }

  void ConnectInputs() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = graph_.nodes[i];
      for (const std::string& name : input_names_[i]) {
        if (name.empty()) {
          node.inputs.push_back(kNoValue);
          continue;
        }
        const auto found = definitions_.find(name);
        if (found == definitions_.end()) {
          Fail("node '{}' ({}): reads '{}', which no node computes; export the model again",
               node.name, node.op, name);
        }
        node.inputs.push_back(found->second.id);
      }
      while (!node.inputs.empty() && node.inputs.back() == kNoValue) node.inputs.pop_back();
    }
  }

  void ReadOutputs() {
    for (const onnx::ValueInfoProto& output : proto_.output()) {
      const auto found = definitions_.find(output.name());
      if (found == definitions_.end()) {
        Fail("output '{}' is not computed by any node; export the model again", output.name());
      }
      if (output.has_type() && output.type().value_case() != onnx::TypeProto::VALUE_NOT_SET &&
          !output.type().has_tensor_type()) {
        Fail("output '{}' is not a tensor; export the model with tensor outputs", output.name());
      }
      if (graph_.IsOutput(found->second.id)) {
        Fail("output '{}' is listed twice; export the model again", output.name());
      }
      graph_.outputs.push_back(found->second.id);
    }
  }

  struct Definition {
    ValueId id;
    std::string by;
    bool is_computed;  // by a node
  };

  onnx::ModelProto& model_;
  onnx::GraphProto& proto_;
  std::filesystem::path folder_;
  const ImportOptions& options_;
  Graph graph_;
  metadata::Record said_;
  std::map<std::string, Definition> definitions_;
  std::set<std::string> node_names_;
  std::map<std::string, std::string> stays_;  // why control flow stays, by its outputs
  std::map<std::string, UserError> unread_;   // nodes that cannot be read, and why
  std::map<std::string, int64_t> repeats_;
  std::set<std::string> slice_bounds_;
  std::vector<std::vector<std::string>> input_names_;  // by node of the graph
  bool is_part_ = false;  // computes what control flow needs: may be a constant alone
};

}  // namespace

Graph ImportOnnx(const std::filesystem::path& path, const ImportOptions& options) {
  try {
    const std::unique_ptr<onnx::ModelProto> model = ReadModelFile(path);
    BindInputs(options.bound, options.input_shapes, model.get());
    ImportOptions others = options;  // what is bound is no input any more
    for (const auto& [name, value] : options.bound) others.input_shapes.erase(name);
    others.bound.clear();
    return Importer(*model, path.parent_path(), others).Run();
  } catch (const UserError& error) {
    FailIn(path, error);
  }
}

}  // namespace octet::import
