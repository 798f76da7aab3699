#include "converter/lower/elementwise.h"

#include <algorithm>
#include <stdexcept>

#include "converter/lower/factors.h"
#include "converter/lower/node_fail.h"
#include "converter/operators/elementwise.h"

namespace octet::lower {
namespace {

using blob::Elementwise;

struct Named {
  std::string_view name;
  Elementwise function;
};
constexpr Named kFunctions[] = {
#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) \
  {#name, Elementwise::k##name},
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE
};

// Sub is Add with a negative factor.
bool HasInt8Rule(Elementwise function) {
  if (function == Elementwise::kSub) return true;
  constexpr bool kNone = false;
  [[maybe_unused]] constexpr bool kSum = true, kProduct = true, kQuotient = true, kTables = true,
                                  kSlope = true;
  constexpr bool kHas[] = {
#define OCTET_ELEMENTWISE(name, code, operands, result, half, integer, int8) int8,
#include "runtime/format/elementwise.inc"
#undef OCTET_ELEMENTWISE
  };
  return kHas[static_cast<size_t>(function)];
}

// Extents of `shape` in the order in which a tensor of `rank` dimensions stores them.
std::vector<uint32_t> StoredDims(graph::Shape shape, size_t rank, Layout layout) {
  shape.insert(shape.begin(), rank - std::min(rank, shape.size()), 1);
  if (rank > 4) return {shape.begin(), shape.end()};
  uint32_t dims[4];
  DimsOf(shape, layout, dims);
  return {std::begin(dims), std::end(dims)};
}

// Fills the view: dims of one element go, and neighbours that every operand has or lacks alike are
// one. False where more than the record holds are left.
bool SetView(const std::vector<uint32_t>& result,
             const std::vector<std::vector<uint32_t>>& operands, blob::ElementwiseParams* params) {
  uint32_t rank = 0;
  uint32_t last_mask = ~0u;
  for (size_t d = 0; d < result.size(); ++d) {
    if (result[d] == 1) continue;
    uint32_t mask = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k][d] == 1) mask |= 1u << k;
    }
    if (mask == last_mask) {
      params->dims[rank - 1] *= result[d];
      continue;
    }
    if (rank == blob::kMaxElementwiseRank) return false;
    for (size_t k = 0; k < operands.size(); ++k) {
      params->stretched[k] |= static_cast<uint8_t>((mask >> k & 1) << rank);
    }
    params->dims[rank++] = result[d];
    last_mask = mask;
  }
  if (rank == 0) params->dims[rank++] = 1;
  params->rank = static_cast<uint8_t>(rank);
  return true;
}

void SetInt8Rule(Builder& builder, Elementwise function, const std::vector<Operand>& operands,
                 int output, FactorBits bits, blob::ElementwiseParams* p, Bytes* table) {
  const auto tensor = [&](size_t k) -> const Tensor& { return builder.At(operands[k].tensor); };
  const Tensor& to = builder.At(output);
  const double a = tensor(0).scale, b = operands.size() > 1 ? tensor(1).scale : 1, out = to.scale;
  const auto add_table = [&](size_t k) {
    const Bytes entries = UnaryTable(FunctionOf{}, tensor(k), to);
    table->insert(table->end(), entries.begin(), entries.end());
  };
  switch (function) {
    case Elementwise::kSub:
      p->function = Elementwise::kAdd;
      return SetAddFactors(a / out, -b / out, bits, p);
    case Elementwise::kAdd:
      return SetAddFactors(a / out, b / out, bits, p);
    case Elementwise::kMul:
      return SetMulFactor(a * b / out, p);
    case Elementwise::kDiv:
      return SetDivFactor(a / (b * out), p);
    case Elementwise::kMin:
    case Elementwise::kMax:
      add_table(0);
      return add_table(1);
    case Elementwise::kWhere:
      add_table(1);
      return add_table(2);
    case Elementwise::kPRelu:
      add_table(0);
      return SetMulFactor(a * b / out, p);
    default:
      throw std::logic_error("an elementwise function without an int8 rule");
  }
}

// The value wrapped into the 8 bits its type has, where the operator may leave them.
void Narrow(Builder& builder, const graph::Node& node, Operand value, Layout layout, int output) {
  const graph::Shape shape = value.shape;
  const bool is_signed = builder.graph().At(node.outputs[0]).type == graph::DataType::kInt8;
  const auto step = [&](Elementwise function, int32_t operand, int to) {
    EmitElementwise(builder, node, function, {value, ScalarOperand(builder, node, operand)}, shape,
                    layout, to);
    value.tensor = to;
  };
  const auto temporary = [&] {
    const Tensor like = builder.At(output);
    return builder.Temporary(like.name, like.type, like.dims, nullptr);
  };
  if (is_signed) step(Elementwise::kAdd, 128, temporary());
  step(Elementwise::kBitwiseAnd, 255, is_signed ? temporary() : output);
  if (is_signed) step(Elementwise::kSub, 128, output);
}

bool LeavesItsType(Elementwise function) {
  switch (function) {
    case Elementwise::kAdd:
    case Elementwise::kSub:
    case Elementwise::kMul:
    case Elementwise::kDiv:
    case Elementwise::kPow:
    case Elementwise::kShiftLeft:
    case Elementwise::kBitwiseNot:
    case Elementwise::kAbs:
    case Elementwise::kNeg:
      return true;
    default:
      return false;
  }
}

Layout LayoutFor(const Builder& builder, const std::vector<graph::ValueId>& inputs, size_t rank,
                 Layout natural) {
  if (rank != 4) return Layout::kRowMajor;
  for (graph::ValueId input : inputs) {
    if (builder.Constant(input) == nullptr && builder.ShapeOf(input).size() == rank) {
      return builder.Existing(input);
    }
  }
  return natural;
}

}  // namespace

Elementwise ElementwiseNamed(std::string_view name) {
  for (const Named& entry : kFunctions) {
    if (entry.name == name) return entry.function;
  }
  throw std::logic_error("no elementwise function " + std::string(name));
}

Operand ScalarOperand(Builder& builder, const graph::Node& node, int32_t value) {
  const int tensor =
      builder.Temporary(node.name + "/constant", blob::ElementType::kInt32, {1, 1, 1, 1}, nullptr);
  builder.Emit(node, blob::Op::kConstant, blob::Precision::kFp16, {}, tensor).extra =
      ToBytes(std::vector<int32_t>{value});
  return {tensor, {}};
}

void EmitElementwise(Builder& builder, const graph::Node& node, Elementwise function,
                     const std::vector<Operand>& operands, const graph::Shape& shape, Layout layout,
                     int output, const FunctionOf& activation) {
  blob::ElementwiseParams params{};
  params.function = function;
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  std::vector<std::vector<uint32_t>> dims;
  std::vector<int> inputs;
  for (const Operand& operand : operands) {
    dims.push_back(StoredDims(operand.shape, shape.size(), layout));
    inputs.push_back(operand.tensor);
  }
  if (!SetView(StoredDims(shape, shape.size(), layout), dims, &params)) {
    NodeFail(node,
             "its operands alternate between broadcast and full over more than {} "
             "dimensions; reshape them in the model",
             blob::kMaxElementwiseRank);
  }
  const bool int8 = builder.At(operands.back().tensor).type == blob::ElementType::kInt8;
  Bytes table;
  if (int8) {
    if (!ClampOf(activation, builder.At(output), &params.clamp_lo, &params.clamp_hi)) {
      NodeFail(node, "activation {} cannot be fused behind {}", node.activation, node.op);
    }
    // Codes that the model says are taken to the last one.
    const bool given = builder.graph().At(node.outputs[0]).given != nullptr;
    SetInt8Rule(builder, function, operands, output, given ? FactorBits::k31 : FactorBits::k16,
                &params, &table);
  } else if (builder.At(output).type == blob::ElementType::kFp16) {
    params.activation = activation.function;
    params.alpha = activation.alpha;
    params.beta = activation.beta;
  }
  Layer& layer =
      builder.Emit(node, blob::Op::kElementwise,
                   int8 ? blob::Precision::kInt8 : blob::Precision::kFp16, inputs, output);
  layer.fused = node.activation;
  layer.table = std::move(table);
  layer.Set(params);
}

void LowerAs(Builder& builder, const graph::Node& node, Elementwise function,
             std::vector<graph::ValueId> inputs) {
  if (inputs.empty()) inputs = node.inputs;
  const graph::ValueId result = node.outputs[0];
  const graph::Shape& shape = builder.ShapeOf(result);
  const Layout layout = LayoutFor(builder, inputs, shape.size(), builder.Natural(result));
  const bool int8 = builder.PrecisionOf(node) == blob::Precision::kInt8 && HasInt8Rule(function);
  const blob::ElementType type = int8 ? blob::ElementType::kInt8 : blob::ElementType::kFp16;
  std::vector<Operand> operands;
  for (graph::ValueId input : inputs) {
    const int tensor = shape.size() > 4 ? builder.Use(input, Layout::kRowMajor, type)
                                        : builder.UseBroadcast(input, shape.size(), layout, type);
    operands.push_back({tensor, builder.ShapeOf(input)});
  }
  const int output = builder.Define(result, layout, type);
  const graph::DataType wanted = builder.graph().At(result).type;
  const bool narrow = wanted == graph::DataType::kInt8 || wanted == graph::DataType::kUInt8;
  if (!narrow || !LeavesItsType(function)) {
    return EmitElementwise(builder, node, function, operands, shape, layout, output,
                           ActivationFunction(node));
  }
  const Tensor like = builder.At(output);
  const int wide = builder.Temporary(like.name + "/wide", like.type, like.dims, nullptr);
  EmitElementwise(builder, node, function, operands, shape, layout, wide);
  Narrow(builder, node, {wide, shape}, layout, output);
}

void LowerElementwise(Builder& builder, const graph::Node& node) {
  LowerAs(builder, node, ElementwiseNamed(operators::ElementwiseFunctionOf(node)));
}

}  // namespace octet::lower
