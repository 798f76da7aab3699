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
  return LayerView{&record, plan.tensors, plan.operands + record.first_operand, weights.data,
                   view.tables.data};
}

bool LayerIsLinked(const blob::LayerRecord& layer) {
  for (const OperatorWords& words : kOperatorWords) {
    if (words.op == layer.op) return IsSelectedOperator(layer.op, layer.precision);
  }
  return true;  // no operator at all: LayerCheck refuses it
}

bool LayerCheck(const BlobView& view, const PlanView& plan, uint32_t layer) {
  const LayerView layer_view = MakeLayerView(view, plan, layer);
  switch (layer_view.layer->op) {
#define OCTET_OPERATOR(op, Name, Scratch)                                           \
  case blob::Op::op:                                                                \
    if constexpr (IsSelectedOperator(blob::Op::op)) return Check##Name(layer_view); \
    break;
#include "runtime/kernels/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(layer_view.layer->op);
  return plugin != nullptr && plugin->check(layer_view);
}

uint64_t LayerScratchBytes(const BlobView& view, const PlanView& plan, uint32_t layer, Isa level) {
  const LayerView layer_view = MakeLayerView(view, plan, layer);
  switch (layer_view.layer->op) {
#define OCTET_OPERATOR(op, Name, Scratch)                                              \
  case blob::Op::op:                                                                   \
    if constexpr (IsSelectedOperator(blob::Op::op)) return Scratch(layer_view, level); \
    break;
#include "runtime/kernels/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(layer_view.layer->op);
  return plugin == nullptr ? 0 : plugin->scratch(layer_view);
}

RunLayerFn LayerRun(blob::Op op) {
  switch (op) {
#define OCTET_OPERATOR(op, Name, Scratch)                             \
  case blob::Op::op:                                                  \
    if constexpr (IsSelectedOperator(blob::Op::op)) return Run##Name; \
    break;
#include "runtime/kernels/operators.inc"
#undef OCTET_OPERATOR
  }
  const PluginOperator* plugin = FindPlugin(op);
  return plugin == nullptr ? nullptr : plugin->run;
}

const char* OpName(blob::Op op) {
  using blob::Op;
  switch (op) {
    case Op::kConv:
      return "conv";
    case Op::kDepthwiseConv:
      return "depthwise_conv";
    case Op::kAdd:
      return "add";
    case Op::kMul:
      return "mul";
    case Op::kDiv:
      return "div";
    case Op::kUnary:
      return "unary";
    case Op::kMaxPool:
      return "max_pool";
    case Op::kAveragePool:
      return "average_pool";
    case Op::kConcat:
      return "concat";
    case Op::kSlice:
      return "slice";
    case Op::kTranspose:
      return "transpose";
    case Op::kPad:
      return "pad";
    case Op::kResizeNearest:
      return "resize_nearest";
    case Op::kResizeLinear:
      return "resize_linear";
    case Op::kSoftmax:
      return "softmax";
    case Op::kReshape:
      return "reshape";
    case Op::kConvert:
      return "convert";
    case Op::kConstant:
      return "constant";
    case Op::kElementwise:
      return "elementwise";
    case Op::kCast:
      return "cast";
    case Op::kMove:
      return "move";
    case Op::kGather:
      return "gather";
    case Op::kGatherElements:
      return "gather_elements";
    case Op::kScatter:
      return "scatter";
    case Op::kTopK:
      return "top_k";
    case Op::kNonMaxSuppression:
      return "non_max_suppression";
    case Op::kGatherNd:
      return "gather_nd";
    case Op::kResample:
      return "resample";
    case Op::kGridSample:
      return "grid_sample";
    case Op::kRoiAlign:
      return "roi_align";
    case Op::kReduce:
      return "reduce";
    case Op::kNormalize:
      return "normalize";
    case Op::kMatMul:
      return "matmul";
    case Op::kCumSum:
      return "cumsum";
    case Op::kLrn:
      return "lrn";
    case Op::kAxisSoftmax:
      return "axis_softmax";
  }
  const PluginOperator* plugin = FindPlugin(op);
  return plugin == nullptr ? "unknown" : plugin->name;
}

Isa LayerKernelIsa(const LayerView& view, const KernelTable& kernels) {
  using blob::Op;
  const blob::LayerRecord& layer = *view.layer;
  const bool fp16 = layer.precision == blob::Precision::kFp16;
  switch (layer.op) {
    case Op::kConv: {
      const uint32_t groups = ParamsOf<blob::ConvParams>(view).groups;
      if (!GroupsFitKernels(groups, InputOf(view, 0).dims[3], OutputOf(view).dims[3], fp16)) {
        return Isa::kReference;
      }
      return fp16 ? kernels.conv_f16_isa : kernels.conv_s8_isa;
    }
    case Op::kDepthwiseConv:
      return fp16 ? kernels.depthwise_conv_f16_isa : kernels.depthwise_conv_s8_isa;
    case Op::kAdd:
      return fp16 ? kernels.add_f16_isa : kernels.add_s8_isa;
    case Op::kMul:
      return fp16 ? kernels.mul_f16_isa : kernels.mul_s8_isa;
    case Op::kDiv:
      return fp16 ? kernels.div_f16_isa : kernels.div_s8_isa;
    case Op::kUnary:
      if (HasChannelTables(layer)) return kernels.channel_table_s8_isa;
      return fp16 ? kernels.unary_f16_isa : kernels.table_s8_isa;
    case Op::kMaxPool:
      return fp16 ? kernels.max_pool_f16_isa : kernels.max_pool_s8_isa;
    case Op::kAveragePool:
      return fp16 ? kernels.average_pool_f16_isa : kernels.average_pool_s8_isa;
    case Op::kResizeLinear:
      return fp16 ? kernels.resize_linear_f16_isa : kernels.resize_linear_s8_isa;
    case Op::kSoftmax:
      return fp16 ? kernels.softmax_f16_isa : kernels.softmax_s8_isa;
    case Op::kAxisSoftmax:
      return fp16 ? kernels.axis_softmax_f16_isa : kernels.axis_softmax_s8_isa;
    case Op::kNormalize:
      return fp16 ? kernels.normalize_f16_isa : kernels.normalize_s8_isa;
    case Op::kMatMul:
      return fp16 ? kernels.matmul_f16_isa : kernels.matmul_s8_isa;
    case Op::kReduce:
      return OutputOf(view).type == blob::ElementType::kFp16 ? kernels.reduce_f16_isa
                                                             : Isa::kReference;
    case Op::kConvert:
      return OutputOf(view).type == blob::ElementType::kFp16 ? kernels.convert_f16_isa
                                                             : kernels.convert_s8_isa;
    case Op::kElementwise:
      return fp16 ? kernels.elementwise_f16_isa : kernels.elementwise_s8_isa;
    case Op::kTranspose:
    case Op::kMove:
      return kernels.copy_plane_isa;
    default:
      return Isa::kReference;
  }
}

}  // namespace octet
