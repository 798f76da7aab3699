#include "converter/import/attribute.h"

#include <utility>

#include "converter/support/error.h"

namespace octet::import {
namespace {

using onnx::AttributeProto;

// The earliest writers left the type out; the field in use tells it.
AttributeProto::AttributeType TypeOf(const AttributeProto& attribute) {
  if (attribute.has_type()) return attribute.type();
  if (attribute.has_f()) return AttributeProto::FLOAT;
  if (attribute.has_i()) return AttributeProto::INT;
  if (attribute.has_s()) return AttributeProto::STRING;
  if (attribute.has_t()) return AttributeProto::TENSOR;
  if (attribute.has_g()) return AttributeProto::GRAPH;
  if (attribute.floats_size() > 0) return AttributeProto::FLOATS;
  if (attribute.ints_size() > 0) return AttributeProto::INTS;
  return AttributeProto::UNDEFINED;
}

}  // namespace

graph::Attribute ReadAttribute(AttributeProto& attribute, const std::string& where,
                               const std::filesystem::path& folder, Narrowing narrowing) {
  const std::string what = fmt::format("{}, attribute '{}'", where, attribute.name());
  if (!attribute.ref_attr_name().empty()) {
    Fail(
        "{}: refers to a function's attribute, which is not supported; export with functions "
        "inlined",
        what);
  }
  switch (TypeOf(attribute)) {
    case AttributeProto::INT:
      return Narrow(attribute.i(), narrowing, what);
    case AttributeProto::FLOAT:
      return attribute.f();
    case AttributeProto::STRING:
      return attribute.s();
    case AttributeProto::INTS: {
      std::vector<int64_t> values(attribute.ints().begin(), attribute.ints().end());
      for (int64_t& value : values) value = Narrow(value, narrowing, what);
      return values;
    }
    case AttributeProto::FLOATS:
      return std::vector<float>(attribute.floats().begin(), attribute.floats().end());
    case AttributeProto::STRINGS: {
      if (attribute.name() != "activations") {
        Fail("{}: lists of strings are not supported; export the model again", what);
      }
      std::string lines;
      for (const std::string& line : attribute.strings()) lines += line + '\n';
      return lines;
    }
    case AttributeProto::TENSOR:
      return ReadTensor(*attribute.mutable_t(), what, folder, narrowing);
    case AttributeProto::GRAPH:
    case AttributeProto::GRAPHS:
      Fail("{}: subgraphs are not supported; export the model with fixed control flow", what);
    case AttributeProto::SPARSE_TENSOR:
    case AttributeProto::SPARSE_TENSORS:
      Fail("{}: sparse tensors are not supported; store the tensor as dense", what);
    default:
      Fail("{}: attribute type {} is not supported; export the model again", what,
           static_cast<int>(TypeOf(attribute)));
  }
}

graph::Tensor ConstantValue(const graph::Node& node, const std::string& where) {
  const auto length = [](const auto& list) {
    return graph::Shape{static_cast<int64_t>(list.size())};
  };
  for (const auto& [key, attribute] : node.attributes) {
    if (key == "value") {
      if (const graph::Tensor* tensor = std::get_if<graph::Tensor>(&attribute)) return *tensor;
    } else if (key == "value_float") {
      return graph::Tensor::Floats({}, {node.Float(key, 0.0f)});
    } else if (key == "value_int") {
      return graph::Tensor::Integers({}, {node.Int(key, 0)});
    } else if (key == "value_floats") {
      return graph::Tensor::Floats(length(node.FloatList(key)), node.FloatList(key));
    } else if (key == "value_ints") {
      return graph::Tensor::Integers(length(node.Ints(key)), node.Ints(key));
    }
  }
  Fail("{}: has no numbers (value, value_float(s) or value_int(s)); export the model again", where);
}

}  // namespace octet::import
