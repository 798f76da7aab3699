// Products of two computed tensors: operands stay where they are, whatever their layout, and the
// layer reads them through strides.
#include <algorithm>

#include "converter/lower/builder.h"
#include "converter/lower/node_fail.h"
#include "converter/lower/weights.h"
#include "converter/operators/matmul.h"
#include "runtime/format/axes_params.h"

namespace octet::lower {
namespace {

struct Factor {
  int tensor;
  std::vector<int64_t> strides;  // of its logical dimensions
};

Factor UseFactor(Builder& builder, graph::ValueId id, blob::ElementType type) {
  const int producer = builder.links().producer[static_cast<size_t>(id)];
  const graph::Node* node =
      producer < 0 ? nullptr : &builder.graph().nodes[static_cast<size_t>(producer)];
  if (node != nullptr && LoweringOf(node->op) == LowerTranspose && IsReadTurned(builder, *node)) {
    const Factor source = UseFactor(builder, node->inputs[0], type);
    Factor turned = {source.tensor, {}};
    for (int64_t axis : PermutationOf(*node, source.strides.size())) {
      turned.strides.push_back(source.strides[static_cast<size_t>(axis)]);
    }
    return turned;
  }
  const Layout layout = builder.Constant(id) != nullptr ? Layout::kRowMajor : builder.Existing(id);
  return {builder.Use(id, layout, type), ArenaStrides(builder.ShapeOf(id), layout)};
}

// Batch dimensions of the result with the steps of both operands, neighbours merged where they lie
// one behind the other in both.
struct Batch {
  int64_t size, a, b;
};
std::vector<Batch> MergedBatch(const std::vector<Batch>& dimensions) {
  std::vector<Batch> merged;
  for (const Batch& d : dimensions) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().a == d.a * d.size && merged.back().b == d.b * d.size) {
      merged.back() = {merged.back().size * d.size, d.a, d.b};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

// The step of batch dimension `d` of `rank`, 0 where the operand lacks it or stretches it.
int64_t BatchStep(const graph::Shape& shape, const std::vector<int64_t>& strides, size_t d,
                  size_t rank) {
  const size_t own = shape.size() < 2 ? 0 : shape.size() - 2;
  if (d + own < rank) return 0;
  const size_t at = d + own - rank;
  return shape[at] == 1 ? 0 : strides[at];
}

bool IsProduct(const Builder& builder, const graph::Node& node) {
  if (LoweringOf(node.op) != LowerMatMul || builder.IsInteger(node.outputs[0])) return false;
  return builder.Constant(node.inputs[0]) == nullptr && builder.Constant(node.inputs[1]) == nullptr;
}

}  // namespace

bool IsReadTurned(const Builder& builder, const graph::Node& transpose) {
  constexpr size_t kMostRank = std::size(blob::MatMulParams{}.batch) + 2;
  const graph::Node* reader = builder.OnlyReader(transpose.outputs[0]);
  return reader != nullptr && IsProduct(builder, *reader) &&
         builder.Constant(transpose.inputs[0]) == nullptr &&
         builder.ShapeOf(transpose.inputs[0]).size() <= kMostRank;
}

void LowerMatMul(Builder& builder, const graph::Node& node) {
  const graph::Tensor* matrix = builder.Constant(node.inputs[1]);
  if (matrix != nullptr && matrix->shape.size() == 2 &&
      builder.Constant(node.inputs[0]) == nullptr) {
    return LowerGemm(builder, node);
  }
  if (builder.graph().At(node.outputs[0]).type != graph::DataType::kFloat) {
    NodeFail(node, "only floating point matrices are supported");
  }
  const graph::Shape &a_shape = builder.ShapeOf(node.inputs[0]),
                     &b_shape = builder.ShapeOf(node.inputs[1]);
  const operators::MatMulShape shape = operators::ShapeOfMatMul(node, a_shape, b_shape);
  const blob::Precision precision = shape.depth <= int64_t{blob::kMaxMatMulDepthS8}
                                        ? builder.PrecisionOf(node)
                                        : blob::Precision::kFp16;
  const blob::ElementType type = Builder::TypeOf(precision);
  const Factor a = UseFactor(builder, node.inputs[0], type);
  const Factor b = UseFactor(builder, node.inputs[1], type);

  blob::MatMulParams params{};
  params.rows = static_cast<uint32_t>(shape.rows);
  params.columns = static_cast<uint32_t>(shape.columns);
  params.depth = static_cast<uint32_t>(shape.depth);
  std::vector<Batch> batch;
  for (size_t d = 0; d < shape.batch.size(); ++d) {
    batch.push_back({shape.batch[d], BatchStep(a_shape, a.strides, d, shape.batch.size()),
                     BatchStep(b_shape, b.strides, d, shape.batch.size())});
  }
  batch = MergedBatch(batch);
  if (batch.size() > std::size(params.batch)) {
    NodeFail(node, "{} batch dimensions that cannot be merged, at most {} are supported",
             batch.size(), std::size(params.batch));
  }
  batch.insert(batch.begin(), std::size(params.batch) - batch.size(), {1, 0, 0});
  for (size_t d = 0; d < batch.size(); ++d) {
    params.batch[d] = static_cast<uint32_t>(batch[d].size);
    params.a_strides[d] = static_cast<uint32_t>(batch[d].a);
    params.b_strides[d] = static_cast<uint32_t>(batch[d].b);
  }
  // A vector is a row on the left and a column on the right.
  params.a_strides[3] =
      a_shape.size() < 2 ? 0 : static_cast<uint32_t>(a.strides[a_shape.size() - 2]);
  params.a_strides[4] = static_cast<uint32_t>(a.strides.back());
  params.b_strides[3] =
      static_cast<uint32_t>(b.strides[b_shape.size() < 2 ? 0 : b_shape.size() - 2]);
  params.b_strides[4] = b_shape.size() < 2 ? 0 : static_cast<uint32_t>(b.strides.back());

  const int output = builder.Define(node.outputs[0], Layout::kRowMajor, type);
  params.clamp_lo = -128;
  params.clamp_hi = 127;
  if (precision == blob::Precision::kInt8) {
    const double factor = static_cast<double>(builder.At(a.tensor).scale) *
                          builder.At(b.tensor).scale / builder.At(output).scale;
    params.pre_shift = static_cast<uint8_t>(PreShiftFor(factor));
    const Multiplier m = MakeMultiplier(factor, params.pre_shift);
    params.multiplier = m.multiplier;
    params.shift = m.shift;
  }
  Layer& layer = builder.Emit(node, blob::Op::kMatMul, precision, {a.tensor, b.tensor}, output);
  layer.macs = static_cast<uint64_t>(graph::ElementCount(shape.batch) * shape.rows * shape.columns *
                                     shape.depth);
  layer.Set(params);
}

}  // namespace octet::lower
