// A function that a model brings with it.
#ifndef OCTET_CONVERTER_IMPORT_LOCAL_FUNCTION_H_
#define OCTET_CONVERTER_IMPORT_LOCAL_FUNCTION_H_

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include <onnx/onnx_pb.h>

namespace octet::import {

// What tells functions apart. The domain ai.onnx is "".
struct FunctionKey {
  std::string domain, name, overload;
  auto operator<=>(const FunctionKey&) const = default;
};
FunctionKey KeyOf(const onnx::FunctionProto& function);
// Of the function that the node calls, if it calls one.
FunctionKey KeyOf(const onnx::NodeProto& call);

// The attributes that a call may leave out, by name, and their values. Throws UserError where they
// cannot be read.
std::map<std::string, onnx::AttributeProto> DefaultsOf(const onnx::FunctionProto& function);

// The opset in which the function's nodes are written; `otherwise` where it names none. Throws
// UserError for one that is not supported.
int64_t OpsetOf(const onnx::FunctionProto& function, int64_t otherwise);

// Nodes of another opset than the model's carry it with them.
void SetOpset(int64_t opset, onnx::NodeProto* node);
int64_t OpsetOf(const onnx::NodeProto& node, int64_t otherwise);
bool IsOpset(const onnx::AttributeProto& attribute);

}  // namespace octet::import

#endif  // OCTET_CONVERTER_IMPORT_LOCAL_FUNCTION_H_
