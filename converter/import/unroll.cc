#include "converter/import/unroll.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>
#include <utility>

#include "converter/import/local_function.h"
#include "converter/import/model_part.h"
#include "converter/operators/flow_words.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TensorProto;

constexpr const char* kExportAgain = "export the model again";

NodeProto NodeOf(const std::string& op, const std::vector<std::string>& inputs,
                 const std::string& output) {
  NodeProto node;
  node.set_op_type(op);
  node.set_name(output + "/" + op);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

AttributeProto* AddAttribute(NodeProto* node, const std::string& name,
                             AttributeProto::AttributeType type) {
  AttributeProto* attribute = node->add_attribute();
  attribute->set_name(name);
  attribute->set_type(type);
  return attribute;
}

void SetAxis(NodeProto* node, int64_t axis) {
  AddAttribute(node, "axis", AttributeProto::INT)->set_i(axis);
}

// A dimension of 1 in front of `axis`.
NodeProto Unsqueezed(const std::string& from, int64_t axis, const std::string& to) {
  NodeProto node = NodeOf(operators::kAddsOne, {from}, to);
  AddAttribute(&node, "axes", AttributeProto::INTS)->add_ints(axis);
  return node;
}

// rank: of the input of the body, where it says one; else 0.
TensorProto Whole(const std::string& name, TensorProto::DataType type, int64_t value, int rank) {
  TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(type);
  for (int i = 0; i < rank; ++i) tensor.add_dims(1);
  if (type == TensorProto::INT64) {
    tensor.add_int64_data(value);
  } else {
    tensor.add_int32_data(static_cast<int32_t>(value));
  }
  return tensor;
}

int RankOf(const onnx::ValueInfoProto& input) {
  return std::min(input.type().tensor_type().shape().dim_size(), 1);
}

const AttributeProto* Find(const NodeProto& node, const std::string& name) {
  for (const AttributeProto& attribute : node.attribute()) {
    if (attribute.name() == name) return &attribute;
  }
  return nullptr;
}

// One number for each of `count` values; absent: all 0.
std::vector<int64_t> Numbers(const NodeProto& node, const std::string& name, size_t count) {
  const AttributeProto* found = Find(node, name);
  if (found == nullptr || found->ints_size() == 0) return std::vector<int64_t>(count, 0);
  if (found->ints_size() != static_cast<int>(count)) {
    Fail("{} has {} numbers for {} values; {}", name, found->ints_size(), count, kExportAgain);
  }
  return {found->ints().begin(), found->ints().end()};
}

size_t ScanInputs(const NodeProto& node) {
  const AttributeProto* count = Find(node, "num_scan_inputs");
  const int64_t inputs = node.input_size();
  if (count == nullptr || count->i() < 1 || count->i() > inputs) {
    Fail("num_scan_inputs is {} of {} inputs; {}", count == nullptr ? 0 : count->i(), inputs,
         kExportAgain);
  }
  return static_cast<size_t>(count->i());
}

}  // namespace

const onnx::GraphProto* BodyOf(const NodeProto& node) {
  const AttributeProto* body = Find(node, "body");
  return body != nullptr && body->has_g() ? &body->g() : nullptr;
}

int FirstScanInput(const NodeProto& node) {
  return node.input_size() - static_cast<int>(ScanInputs(node));
}

Unroll::Unroll(const NodeProto& node, const std::string& prefix) : node_(node), prefix_(prefix) {
  const onnx::GraphProto* body = BodyOf(node);
  if (body == nullptr) Fail("it has no body; {}", kExportAgain);
  body_ = *body;
  for (AttributeProto& attribute : *node_.mutable_attribute()) attribute.clear_g();
}

// States come first among the inputs and outputs of the node, and rows after them.
void Unroll::ReadCarried(int first_input, size_t count) {
  const size_t extra_outputs = is_loop_ ? 1 : 0, extra_inputs = is_loop_ ? 2 : 0;
  const auto inputs = static_cast<size_t>(body_.input_size());
  const auto outputs = static_cast<size_t>(body_.output_size());
  const size_t rows = outputs - std::min(outputs, count + extra_outputs);
  if (inputs != count + extra_inputs + slices_.size() || outputs < count + extra_outputs ||
      static_cast<size_t>(node_.output_size()) > count + rows) {
    Fail("its body has {} inputs and {} outputs, which does not fit {} inputs and {} outputs; {}",
         inputs, outputs, node_.input_size(), node_.output_size(), kExportAgain);
  }
  for (size_t i = 0; i < count; ++i) {
    carried_.push_back(node_.input(first_input + static_cast<int>(i)));
    if (carried_.back().empty()) {
      Fail("its state {} has no first value; give it one of zeros", i);
    }
  }
  rows_.resize(rows);
}

Unroll Unroll::OfLoop(const NodeProto& node, std::optional<int64_t> most,
                      const std::string& prefix) {
  Unroll unroll(node, prefix);
  unroll.is_loop_ = true;
  unroll.steps_ = most;
  unroll.condition_ = node.input_size() > 1 ? node.input(1) : "";
  unroll.ReadCarried(2, static_cast<size_t>(std::max(node.input_size() - 2, 0)));
  unroll.SplitBody();
  return unroll;
}

Unroll Unroll::OfScan(const NodeProto& node, const std::vector<graph::Shape>& shapes,
                      const std::string& prefix) {
  Unroll unroll(node, prefix);
  const size_t count = ScanInputs(node);
  const int first = FirstScanInput(node);
  const std::vector<int64_t> axes = Numbers(node, "scan_input_axes", count);
  const std::vector<int64_t> directions = Numbers(node, "scan_input_directions", count);
  for (size_t i = 0; i < count; ++i) {
    const auto rank = static_cast<int64_t>(shapes[i].size());
    const int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    const std::string& from = node.input(first + static_cast<int>(i));
    if (axis < 0 || axis >= rank) {
      Fail("axis {} of '{}' {} does not exist; {}", axes[i], from, graph::ToString(shapes[i]),
           kExportAgain);
    }
    const int64_t length = shapes[i][static_cast<size_t>(axis)];
    unroll.slices_.push_back({from, axis, length, directions[i] != 0});
    if (length != unroll.slices_[0].length) {
      Fail("'{}' has {} steps and '{}' {}; {}", unroll.slices_[0].from, unroll.slices_[0].length,
           from, length, kExportAgain);
    }
  }
  unroll.steps_ = unroll.slices_[0].length;
  unroll.ReadCarried(0, static_cast<size_t>(first));
  const size_t rows = unroll.rows_.size();
  const std::vector<int64_t> row_axes = Numbers(node, "scan_output_axes", rows);
  const std::vector<int64_t> row_directions = Numbers(node, "scan_output_directions", rows);
  for (size_t i = 0; i < rows; ++i) {
    unroll.rows_[i].axis = row_axes[i];
    unroll.rows_[i].backwards = row_directions[i] != 0;
  }
  unroll.SplitBody();
  return unroll;
}

std::optional<int64_t> Unroll::Left() const {
  return steps_ ? std::optional(std::max<int64_t>(*steps_ - done_, 0)) : std::nullopt;
}

int Unroll::NodesOfAStep() const {
  return NodesIn(body_) + static_cast<int>(slices_.size() + rows_.size());
}

// Constants, and nodes that read nothing of a step. A loop's condition is true in each step that
// runs.
void Unroll::SplitBody() {
  std::set<std::string> inside, same;
  for (const onnx::ValueInfoProto& input : body_.input()) inside.insert(input.name());
  for (const NodeProto& node : body_.node()) {
    inside.insert(node.output().begin(), node.output().end());
  }
  if (is_loop_) {
    const std::string& name = body_.input(1).name();
    same.insert(name);
    *fixed_.add_initializer() = Whole(name, TensorProto::BOOL, 1, RankOf(body_.input(1)));
  }
  for (TensorProto& tensor : *body_.mutable_initializer()) {
    if (inside.count(tensor.name()) == 0) *fixed_.add_initializer() = std::move(tensor);
  }
  body_.clear_initializer();
  fixed_.mutable_sparse_initializer()->Swap(body_.mutable_sparse_initializer());
  google::protobuf::RepeatedPtrField<NodeProto> nodes;
  nodes.Swap(body_.mutable_node());
  for (NodeProto& node : nodes) {
    std::set<std::string> read;
    ReadNames(node, &read);
    const bool is_same = std::all_of(read.begin(), read.end(), [&](const std::string& name) {
      return inside.count(name) == 0 || same.count(name) != 0;
    });
    if (is_same) same.insert(node.output().begin(), node.output().end());
    *(is_same ? fixed_ : body_).add_node() = std::move(node);
  }
}

void Unroll::Step(Namer* namer, Inlined* to) {
  if (done_ == 0) InlineGraph(std::move(fixed_), prefix_, namer, &names_, to);
  const std::string at = prefix_ + std::to_string(done_) + "/";
  Names names = names_;
  int input = 0;
  if (is_loop_) {
    const std::string counter = namer->Free(at + "step");
    to->constants.push_back(Whole(counter, TensorProto::INT64, done_, RankOf(body_.input(0))));
    names[body_.input(0).name()] = counter;
    input = 2;  // the condition is the same in all steps
  }
  for (const std::string& value : carried_) names[body_.input(input++).name()] = value;
  for (const Slices& slices : slices_) {
    const std::string index = namer->Free(at + "index"), slice = namer->Free(at + "slice");
    const int64_t place = slices.backwards ? slices.length - 1 - done_ : done_;
    to->constants.push_back(Whole(index, TensorProto::INT64, place, 0));
    NodeProto gather = NodeOf(operators::kTakesSlice, {slices.from, index}, slice);
    SetAxis(&gather, slices.axis);
    to->nodes.push_back(std::move(gather));
    names[body_.input(input++).name()] = slice;
  }
  InlineGraph(body_, at, namer, &names, to);
  int output = 0;
  if (is_loop_) condition_ = NameOutside(names, body_.output(output++).name());
  for (std::string& value : carried_) value = NameOutside(names, body_.output(output++).name());
  for (Rows& rows : rows_) rows.names.push_back(NameOutside(names, body_.output(output++).name()));
  ++done_;
}

void Unroll::Finish(Namer* namer, Inlined* to) const {
  const int states = static_cast<int>(carried_.size());
  for (int i = 0; i < node_.output_size(); ++i) {
    const std::string& result = node_.output(i);
    if (result.empty()) continue;
    if (i < states) {
      const std::string& value = carried_[static_cast<size_t>(i)];
      to->nodes.push_back(CopyOf(value, result, result + "/copy"));
      continue;
    }
    Rows rows = rows_[static_cast<size_t>(i - states)];
    if (rows.names.empty()) {
      Fail("it runs no step, so that its output '{}' is empty; export the model without it",
           result);
    }
    if (rows.backwards) std::reverse(rows.names.begin(), rows.names.end());
    const bool is_one = rows.names.size() == 1;
    std::vector<std::string> joined;
    for (const std::string& row : rows.names) {
      joined.push_back(is_one ? result : namer->Free(result + "/row"));
      to->nodes.push_back(Unsqueezed(row, rows.axis, joined.back()));
    }
    if (is_one) continue;
    NodeProto concat = NodeOf(operators::kJoinsSlices, joined, result);
    SetAxis(&concat, rows.axis);
    to->nodes.push_back(std::move(concat));
  }
}

void ClampTripCount(onnx::TensorProto* tensor) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (tensor->data_type() != onnx::TensorProto::INT64) return;
  int64_t count = 0;
  if (tensor->int64_data_size() == 1) {
    count = tensor->int64_data(0);
  } else if (tensor->raw_data().size() == sizeof(count)) {
    std::memcpy(&count, tensor->raw_data().data(), sizeof(count));
  }
  if (count <= kMost) return;
  tensor->clear_raw_data();
  tensor->clear_int64_data();
  tensor->add_int64_data(kMost);
}

void SplitBatchOfScan(const NodeProto& node, int64_t batch, const std::string& prefix, Namer* namer,
                      Inlined* to) {
  if (node.input_size() < 2 || !node.input(0).empty()) {
    Fail("it has lengths of sequences; export the model with opset 9 or newer");
  }
  std::vector<std::vector<std::string>> results(static_cast<size_t>(node.output_size()));
  for (int64_t sample = 0; sample < batch; ++sample) {
    const std::string at = fmt::format("{}sample_{}/", prefix, sample);
    NodeProto scan = node;
    scan.set_name(at + "Scan");
    scan.clear_input();
    scan.clear_output();
    scan.clear_attribute();
    SetOpset(9, &scan);
    for (const AttributeProto& attribute : node.attribute()) {
      if (IsOpset(attribute)) continue;
      AttributeProto& added = *scan.add_attribute();
      added = attribute;
      if (attribute.name() == "directions") added.set_name("scan_input_directions");
    }
    const std::string index = namer->Free(at + "index");
    to->constants.push_back(Whole(index, TensorProto::INT64, sample, 0));
    for (int i = 1; i < node.input_size(); ++i) {
      scan.add_input(namer->Free(at + "input"));
      to->nodes.push_back(
          NodeOf(operators::kTakesSlice, {node.input(i), index}, scan.input(i - 1)));
    }
    for (int i = 0; i < node.output_size(); ++i) {
      scan.add_output(node.output(i).empty() ? "" : namer->Free(at + "output"));
    }
    to->nodes.push_back(scan);
    for (int i = 0; i < node.output_size(); ++i) {
      if (scan.output(i).empty()) continue;
      results[static_cast<size_t>(i)].push_back(namer->Free(at + "row"));
      to->nodes.push_back(Unsqueezed(scan.output(i), 0, results[static_cast<size_t>(i)].back()));
    }
  }
  for (int i = 0; i < node.output_size(); ++i) {
    if (node.output(i).empty()) continue;
    NodeProto concat =
        NodeOf(operators::kJoinsSlices, results[static_cast<size_t>(i)], node.output(i));
    SetAxis(&concat, 0);
    to->nodes.push_back(std::move(concat));
  }
}

}  // namespace octet::import
