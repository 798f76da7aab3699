#include "runtime/engine/operators.h"

#include "runtime/engine/selection.h"
#include "runtime/kernels/plugin.h"

namespace octet {
namespace {

const PluginOperator* FindPlugin(blob::Op op) {
  if ((uint16_t)op < blob::kFirstPluginOp) return nullptr;
  uint32_t count = 0;
  const PluginOperator* plugins = PluginOperators(&count);
  for (uint32_t i = 0; i < count; ++i) {
    if (plugins[i].op == op) return &plugins[i];
  }
  return nullptr;
}

}  // namespace

LayerView MakeLayerView(const BlobView& view, const PlanView& plan, uint32_t layer) {
  const blob::LayerRecord& record = plan.layers[layer];
  const Bytes& weights =
      record.precision == blob::Precision::kFp16 ? view.weights_f16 : view.weights_s8;
  return LayerView{&record,      plan.tensors,     plan.operands + record.first_operand,
                   weights.data, view.tables.data, weights.data};
}

// A switch, because a table would add the words to the program.
bool LayerIsLinked(const blob::LayerRecord& layer) {
  const bool fp16 = layer.precision == blob::Precision::kFp16;
  switch (layer.op) {
#define OCTET_OPERATOR(code, Name, ...)                                                      \
  case blob::Op::k##Name: {                                                                  \
    constexpr bool kHasInt8 = IsSelectedOperator(blob::Op::k##Name, blob::Precision::kInt8); \
    constexpr bool kHasFp16 = IsSelectedOperator(blob::Op::k##Name, blob::Precision::kFp16); \
    return fp16 ? kHasFp16 : kHasInt8;                                                       \
  }
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  return true;  // no operator at all: LayerCheck refuses it
}

bool LayerCheck(const BlobView& view, const PlanView& plan, uint32_t layer) {
  return LayerViewCheck(MakeLayerView(view, plan, layer));
}

bool LayerViewCheck(const LayerView& layer_view) {
  switch (layer_view.layer->op) {
#define OCTET_OPERATOR(code, Name, ...)                                                         \
  case blob::Op::k##Name:                                                                       \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return Check##Name##Layer(layer_view); \
    break;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(layer_view.layer->op);
  return plugin != nullptr && plugin->check(layer_view);
}

uint64_t LayerScratchBytes(const BlobView& view, const PlanView& plan, uint32_t layer, Isa level) {
  const LayerView layer_view = MakeLayerView(view, plan, layer);
  switch (layer_view.layer->op) {
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, ...)                         \
  case blob::Op::k##Name:                                                                   \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return Scratch(layer_view, level); \
    break;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(layer_view.layer->op);
  return plugin == nullptr ? 0 : plugin->scratch(layer_view);
}

uint64_t LayerKeptBytes(const LayerView& view, Isa level) {
  switch (view.layer->op) {
#define OCTET_KEEPING(Name)                                                                     \
  case blob::Op::k##Name:                                                                       \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return Kept##Name##Layer(view, level); \
    break;
#include "runtime/kernels/keeping.inc"
#undef OCTET_KEEPING
    default:
      break;
  }
  return 0;
}

void KeepLayer(const LayerView& view, Isa level, uint8_t* scratch, uint8_t* kept) {
  switch (view.layer->op) {
#define OCTET_KEEPING(Name)                              \
  case blob::Op::k##Name:                                \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) \
      Keep##Name##Layer(view, level, scratch, kept);     \
    break;
#include "runtime/kernels/keeping.inc"
#undef OCTET_KEEPING
    default:
      break;
  }
}

LayerCost LayerCostOf(const LayerView& view) {
  switch (view.layer->op) {
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, Cost, ...)   \
  case blob::Op::k##Name:                                                   \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return Cost(view); \
    break;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  return LayerCost{};
}

RunLayerFn LayerRun(blob::Op op) {
  switch (op) {
#define OCTET_OPERATOR(code, Name, ...)                                           \
  case blob::Op::k##Name:                                                         \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return Run##Name##Layer; \
    break;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(op);
  return plugin == nullptr ? nullptr : plugin->run;
}

const char* OpName(blob::Op op) {
  switch (op) {
#define OCTET_OPERATOR(code, Name, word, ...) \
  case blob::Op::k##Name:                     \
    return #word;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(op);
  return plugin == nullptr ? "unknown" : plugin->name;
}

Isa LayerKernelIsa(const LayerView& view, const KernelTable& kernels) {
  [[maybe_unused]] const bool fp16 = view.layer->precision == blob::Precision::kFp16;
  switch (view.layer->op) {
#define OCTET_NO_KERNEL Isa::kReference
#define OCTET_BY_PRECISION(int8, fp16_name) (fp16 ? kernels.fp16_name##_isa : kernels.int8##_isa)
#define OCTET_BY_LAYER(Level, int8, fp16_list) Level(view, kernels)
#define OCTET_OPERATOR(code, Name, word, int8, place, Scratch, Cost, level) \
  case blob::Op::k##Name:                                                   \
    if constexpr (IsSelectedOperator(blob::Op::k##Name)) return level;      \
    break;
#include "runtime/format/operators.inc"
#undef OCTET_OPERATOR
#undef OCTET_BY_LAYER
#undef OCTET_BY_PRECISION
#undef OCTET_NO_KERNEL
  }
  return Isa::kReference;
}

}  // namespace octet
