#include "converter/import/local_function.h"

#include <algorithm>

#include "converter/import/import.h"
#include "converter/support/error.h"

namespace octet::import {
namespace {

using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

// ONNX 1.13 and 1.16 brought these fields. Debian 12 has the schema of ONNX 1.12, which keeps them
// as fields that it does not know.
constexpr int kFunctionDefaults = 11, kFunctionOverload = 13, kNodeOverload = 8;

// No exporter writes it: names of attributes are identifiers.
constexpr const char* kOpset = "octet opset";

std::string Domain(const std::string& domain) {
  return domain == "ai.onnx" ? "" : domain;
}

// The last one counts, as protobuf says of fields that are not repeated.
std::string TextOf(const UnknownFieldSet& fields, int number) {
  std::string text;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() == number && field.type() == UnknownField::TYPE_LENGTH_DELIMITED) {
      text = field.length_delimited();
    }
  }
  return text;
}

void CheckOpset(int64_t opset, const std::string& function) {
  if (opset >= kOldestOpset && opset <= kNewestOpset) return;
  Fail("function '{}': opset {} is not supported, only {} to {}; export the model with opset 13",
       function, opset, kOldestOpset, kNewestOpset);
}

}  // namespace

FunctionKey KeyOf(const onnx::FunctionProto& function) {
  return {Domain(function.domain()), function.name(),
          TextOf(function.unknown_fields(), kFunctionOverload)};
}

FunctionKey KeyOf(const onnx::NodeProto& call) {
  return {Domain(call.domain()), call.op_type(), TextOf(call.unknown_fields(), kNodeOverload)};
}

std::map<std::string, onnx::AttributeProto> DefaultsOf(const onnx::FunctionProto& function) {
  std::map<std::string, onnx::AttributeProto> defaults;
  const UnknownFieldSet& fields = function.unknown_fields();
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() != kFunctionDefaults) continue;
    onnx::AttributeProto attribute;
    if (field.type() != UnknownField::TYPE_LENGTH_DELIMITED ||
        !attribute.ParseFromString(field.length_delimited())) {
      Fail("function '{}': the defaults of its attributes cannot be read; export the model again",
           function.name());
    }
    std::string name = attribute.name();
    defaults[std::move(name)] = std::move(attribute);
  }
  return defaults;
}

int64_t OpsetOf(const onnx::FunctionProto& function, int64_t otherwise) {
  for (const onnx::OperatorSetIdProto& set : function.opset_import()) {
    if (!Domain(set.domain()).empty()) continue;
    CheckOpset(set.version(), function.name());
    return set.version();
  }
  return otherwise;
}

void SetOpset(int64_t opset, onnx::NodeProto* node) {
  onnx::AttributeProto& attribute = *node->add_attribute();
  attribute.set_name(kOpset);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(opset);
}

bool IsOpset(const onnx::AttributeProto& attribute) {
  return attribute.name() == kOpset;
}

int64_t OpsetOf(const onnx::NodeProto& node, int64_t otherwise) {
  const auto& attributes = node.attribute();
  const auto found = std::find_if(attributes.begin(), attributes.end(), IsOpset);
  // A file may hold the attribute too.
  if (found == attributes.end()) return otherwise;
  CheckOpset(found->i(), node.op_type());
  return found->i();
}

}  // namespace octet::import
