#include "converter/lower/names.h"

#include <iterator>

#include <fmt/format.h>

namespace octet::lower {

std::string OpName(blob::Op op) {
  switch (op) {
#define OCTET_OPERATOR(code, Name, ...) \
  case blob::Op::k##Name:               \
    return #Name;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  // Whose names this program need not know (runtime/kernels/plugin.h).
  return fmt::format("Op{:04X}", static_cast<uint16_t>(op));
}

std::string OperatorWord(blob::Op op, blob::Precision precision) {
  const bool is_int8 = precision == blob::Precision::kInt8;
  switch (op) {
#define OCTET_OPERATOR(code, Name, word, int8, ...) \
  case blob::Op::k##Name:                           \
    return is_int8 ? #int8 "_s8" : #word "_f16";
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  return fmt::format("op{:04x}_{}", static_cast<uint16_t>(op), is_int8 ? "s8" : "f16");
}

const char* FunctionName(blob::Function function) {
  static const char* const kNames[] = {
      "",     "Clamp", "LeakyRelu",  "Sigmoid", "Silu", "HardSigmoid", "HardSwish", "Tanh",
      "Exp",  "Scale", "Reciprocal", "Sqrt",    "Log",  "Elu",         "Softplus",  "Mish",
      "Gelu", "Abs",   "Neg",        "Power",   "Erf",  "Floor",       "Ceil",      "Table"};
  static_assert(std::size(kNames) == blob::kFunctionCount + 1, "a name for each blob::Function");
  return static_cast<uint8_t>(function) < std::size(kNames) ? kNames[static_cast<uint8_t>(function)]
                                                            : "?";
}

const char* WhyNotInt8(const blob::LayerRecord& layer, blob::ElementType output) {
  if (layer.op == blob::Op::kConvert) return "conversion";
  if (output == blob::ElementType::kInt32) return "integers";
  return layer.precision == blob::Precision::kInt8 ? "" : "chosen";
}

}  // namespace octet::lower
