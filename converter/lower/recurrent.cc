// RNN, GRU and LSTM: one layer for all steps and directions. Its results are FP16 in every plan.
#include "converter/operators/recurrent.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "converter/lower/builder.h"
#include "converter/lower/node_fail.h"
#include "converter/lower/weights.h"
#include "runtime/format/recurrent.h"

namespace octet::lower {
namespace {

using operators::Cell;
using operators::Recurrent;

constexpr size_t kLine = blob::kChannelBlock;

const graph::Tensor* ConstantInput(Builder& builder, const graph::Node& node, size_t input,
                                   const char* name) {
  if (!HasInput(node, input)) return nullptr;
  const graph::Tensor* constant = builder.Constant(node.inputs[input]);
  if (constant != nullptr) return constant;
  const std::string& tensor = builder.graph().At(node.inputs[input]).name;
  NodeFail(node,
           "its {} '{}' is computed, and the board needs a constant; make it one: --bind {}=VALUE, "
           "or end the graph before this node: --cut-at",
           name, tensor, tensor);
}

blob::RecurrentFunction FunctionFor(const operators::CellFunction& f) {
  using Kind = operators::CellFunctionKind;
  using blob::Function;
  const auto of = [&](Function function) {
    return blob::RecurrentFunction{static_cast<uint32_t>(function), f.alpha, f.beta};
  };
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (f.kind) {
    case Kind::kAbsent:
      break;
    case Kind::kAffine:
      return of(Function::kScale);
    case Kind::kElu:
      return of(Function::kElu);
    case Kind::kHardSigmoid:
      return of(Function::kHardSigmoid);
    case Kind::kLeakyRelu:
      return of(Function::kLeakyRelu);
    case Kind::kRelu:
      return {static_cast<uint32_t>(Function::kClamp), 0, kInfinity};
    case Kind::kScaledTanh:
      return {blob::kScaledTanh, f.alpha, f.beta};
    case Kind::kSigmoid:
      return of(Function::kSigmoid);
    case Kind::kSoftplus:
      return of(Function::kSoftplus);
    case Kind::kSoftsign:
      return {blob::kSoftsign, 0, 0};
    case Kind::kTanh:
      return of(Function::kTanh);
    case Kind::kThresholdedRelu:
      return {blob::kThresholdedRelu, f.alpha, 0};
  }
  return of(Function::kIdentity);
}

// Below it are sums that one level of instructions flushes to zero.
float Flushed(double number) {
  return std::abs(number) < blob::kSmallestRecurrent ? 0.0f : static_cast<float>(number);
}

// The largest |h|, which a code of 8 bits has to hold.
float LargestState(Builder& builder, const graph::Node& node, const Recurrent& recurrent) {
  const quantize::TensorScheme& y = builder.SchemeOf(node.outputs[0]);
  float largest = std::max(-y.min, y.max);
  if (HasInput(node, operators::kRecurrentInitialH)) {
    const graph::ValueId id = node.inputs[operators::kRecurrentInitialH];
    if (const graph::Tensor* constant = builder.Constant(id)) {
      for (const float h : constant->floats) largest = std::max(largest, std::abs(h));
    } else {
      largest = std::max({largest, -builder.SchemeOf(id).min, builder.SchemeOf(id).max});
    }
  } else if (operators::HasUnitStates(recurrent)) {
    largest = std::min(largest, 1.0f);
  }
  return largest > blob::kSmallestRecurrent * 1e6f ? largest : 1.0f;
}

// The weights and channels of a layer, direction by direction.
class Packer {
 public:
  Packer(const blob::RecurrentParams& params, bool int8, float input_scale)
      : p_(params),
        int8_(int8),
        layout_(blob::LayoutOf(params, int8)),
        input_scale_(input_scale),
        hidden_scale_(int8 ? 1.0 / params.hidden_inverse : 1.0) {}

  // Of ONNX: w [gates * hidden][input], r [gates * hidden][hidden], b of both or null, p or null.
  void Add(const float* w, const float* r, const float* b, const float* p) {
    const size_t first = numbers_.size();
    numbers_.resize(first + layout_.lines * kLine);
    float* numbers = numbers_.data() + first;
    AddMatrix(w, p_.input, layout_.input_depth, input_scale_, numbers, 0);
    AddMatrix(r, p_.hidden, layout_.hidden_depth, hidden_scale_, numbers, 1);
    const size_t rows = size_t{layout_.gates} * p_.hidden;
    // The bias of R stands alone only where r scales it.
    for (uint32_t unit = 0; unit < layout_.units; ++unit) {
      const uint32_t gate = unit % layout_.gates;
      const bool apart = p_.cell == blob::RecurrentCell::kGruAfter && gate == 2;
      for (uint32_t i = 0; i < kLine; ++i) {
        const size_t row = RowOf(unit, i);
        if (b == nullptr || row == kNoRow) continue;
        const double of_w = b[row], of_r = b[rows + row];
        numbers[unit * kLine + i] = Flushed(apart ? of_w : of_w + of_r);
        numbers[(layout_.units + unit) * kLine + i] = apart ? Flushed(of_r) : 0.0f;
      }
    }
    if (p == nullptr) return;
    float* factors = numbers + layout_.units * (int8_ ? 6 : 2) * kLine;
    for (uint32_t channel = 0; channel < p_.hidden; ++channel) {
      for (uint32_t gate = 0; gate < 3; ++gate) {
        factors[(channel / kLine * 3 + gate) * kLine + channel % kLine] =
            Flushed(p[gate * p_.hidden + channel]);
      }
    }
  }

  Bytes weights() const { return weights_; }
  Bytes channels() const { return ToBytes(numbers_); }

 private:
  static constexpr size_t kNoRow = ~size_t{0};

  size_t RowOf(uint32_t unit, uint32_t i) const {
    const size_t channel = size_t{unit / layout_.gates} * kLine + i;
    return channel < p_.hidden ? unit % layout_.gates * size_t{p_.hidden} + channel : kNoRow;
  }

  // which: 0 W, 1 R.
  void AddMatrix(const float* matrix, uint32_t columns, uint32_t depth, double operand_scale,
                 float* numbers, uint32_t which) {
    for (uint32_t unit = 0; unit < layout_.units; ++unit) {
      std::vector<float> rows[kLine];
      for (uint32_t i = 0; i < kLine; ++i) {
        rows[i].resize(depth);
        const size_t row = RowOf(unit, i);
        if (row != kNoRow) std::copy_n(matrix + row * columns, columns, rows[i].begin());
      }
      if (int8_) {
        AddCodes(rows, depth, operand_scale, numbers, which, unit);
        continue;
      }
      std::vector<float> block;
      for (uint32_t k = 0; k < depth; ++k) {
        for (const std::vector<float>& row : rows) {
          block.push_back(static_cast<float>(row[k] * operand_scale));
        }
      }
      const Bytes halves = ToBytes(ToHalf(block));
      weights_.insert(weights_.end(), halves.begin(), halves.end());
    }
  }

  void AddCodes(const std::vector<float> (&rows)[kLine], uint32_t depth, double operand_scale,
                float* numbers, uint32_t which, uint32_t unit) {
    const size_t first = weights_.size();
    weights_.resize(first + size_t{depth} * kLine);
    for (uint32_t i = 0; i < kLine; ++i) {
      float largest = 0;
      for (const float w : rows[i]) largest = std::max(largest, std::abs(w));
      const double step = largest / 127.0;
      const float scale = Flushed(step * operand_scale);
      int32_t sum = 0;
      for (uint32_t k = 0; k < depth && scale != 0; ++k) {
        const auto code = static_cast<int32_t>(std::lround(rows[i][k] / step));
        weights_[first + (size_t{k / 4} * kLine + i) * 4 + k % 4] = static_cast<uint8_t>(code);
        sum += code;
      }
      numbers[((2 + which) * layout_.units + unit) * kLine + i] = scale;
      std::memcpy(&numbers[((4 + which) * layout_.units + unit) * kLine + i], &sum, sizeof(sum));
    }
  }

  const blob::RecurrentParams& p_;
  const bool int8_;
  const blob::RecurrentLayout layout_;
  const double input_scale_, hidden_scale_;
  Bytes weights_;
  std::vector<float> numbers_;
};

bool IsRead(const Builder& builder, const graph::Node& node, size_t output) {
  if (output >= node.outputs.size() || node.outputs[output] == graph::kNoValue) return false;
  const auto id = static_cast<size_t>(node.outputs[output]);
  return !builder.links().consumers[id].empty() || builder.links().is_output[id];
}

// The results that something reads, one behind another in the layer's output.
void PlaceResults(Builder& builder, const graph::Node& node, blob::RecurrentParams* params,
                  std::vector<size_t>* read) {
  uint32_t* const places[] = {&params->y, &params->y_h, &params->y_c};
  int64_t end = 0;
  for (size_t i = 0; i < std::size(places); ++i) {
    *places[i] = blob::kNone;
    if (!IsRead(builder, node, i)) continue;
    *places[i] = static_cast<uint32_t>(end);
    end += graph::ElementCount(builder.ShapeOf(node.outputs[i]));
    read->push_back(i);
  }
  if (end > INT32_MAX) {
    NodeFail(node, "its results are too large; give a smaller --input-shape");
  }
}

// Copies of the parts of `packed`.
void SplitResults(Builder& builder, const graph::Node& node, int packed,
                  const std::vector<size_t>& read) {
  uint32_t begin = 0;
  for (const size_t i : read) {
    const int output = builder.Define(node.outputs[i], Layout::kRowMajor, blob::ElementType::kFp16);
    const auto count = static_cast<uint32_t>(builder.At(output).Elements());
    const uint32_t dims[4] = {1, 1, 1, count};
    const int flat = builder.Temporary(builder.At(output).name, blob::ElementType::kFp16, dims,
                                       &builder.At(output));
    blob::SliceParams params{{0, 0, 0, begin}, {1, 1, 1, 1}};
    builder.Emit(node, blob::Op::kSlice, blob::Precision::kFp16, {packed}, flat).Set(params);
    builder.Emit(node, blob::Op::kReshape, blob::Precision::kFp16, {flat}, output);
    begin += count;
  }
}

}  // namespace

void LowerRecurrent(Builder& builder, const graph::Node& node) {
  const Recurrent recurrent = operators::RecurrentOf(node);
  const graph::Tensor& w = *ConstantInput(builder, node, operators::kRecurrentW, "W");
  const graph::Tensor& r = *ConstantInput(builder, node, operators::kRecurrentR, "R");
  const graph::Tensor* b = ConstantInput(builder, node, operators::kRecurrentB, "B");
  const graph::Tensor* p = ConstantInput(builder, node, operators::kRecurrentP, "P");
  const graph::Shape& x = builder.ShapeOf(node.inputs[operators::kRecurrentX]);

  blob::RecurrentParams params{};
  params.cell = recurrent.cell == Cell::kRnn    ? blob::RecurrentCell::kRnn
                : recurrent.cell == Cell::kLstm ? blob::RecurrentCell::kLstm
                : recurrent.linear_before_reset ? blob::RecurrentCell::kGruAfter
                                                : blob::RecurrentCell::kGru;
  params.directions = static_cast<uint8_t>(recurrent.directions);
  params.reverse = recurrent.reverse;
  params.batch_first = recurrent.batch_first;
  params.initial_h = HasInput(node, operators::kRecurrentInitialH);
  params.initial_c = HasInput(node, operators::kRecurrentInitialC);
  params.lengths = HasInput(node, operators::kRecurrentLengths);
  params.peepholes = p != nullptr;
  params.input_forget = recurrent.cell == Cell::kLstm && recurrent.input_forget;
  params.steps = static_cast<uint32_t>(x[recurrent.batch_first ? 1 : 0]);
  params.batch = static_cast<uint32_t>(x[recurrent.batch_first ? 0 : 1]);
  params.input = static_cast<uint32_t>(x[2]);
  params.hidden = static_cast<uint32_t>(r.shape[2]);
  params.clip = recurrent.clip > 0 ? recurrent.clip : std::numeric_limits<float>::infinity();
  if (std::max(params.input, params.hidden) > blob::kMaxRecurrentDepth) {
    NodeFail(node,
             "each of its sums has {} products, and the board allows {}; end the graph before this "
             "node: --cut-at",
             std::max(params.input, params.hidden), blob::kMaxRecurrentDepth);
  }
  const blob::Precision precision = builder.PrecisionOf(node);
  const bool int8 = precision == blob::Precision::kInt8;
  if (int8) params.hidden_inverse = 127.0f / LargestState(builder, node, recurrent);

  std::vector<int> inputs{builder.Use(node.inputs[operators::kRecurrentX], Layout::kRowMajor,
                                      Builder::TypeOf(precision))};
  for (const size_t i : {operators::kRecurrentInitialH, operators::kRecurrentInitialC,
                         operators::kRecurrentLengths}) {
    if (!HasInput(node, i)) continue;
    inputs.push_back(builder.Use(node.inputs[i], Layout::kRowMajor, blob::ElementType::kFp16));
  }
  Packer packer(params, int8, builder.At(inputs[0]).scale);
  const auto part = [&](const graph::Tensor* tensor, int64_t d) {
    return tensor == nullptr ? nullptr
                             : tensor->floats.data() + tensor->Count() / recurrent.directions * d;
  };
  for (int64_t d = 0; d < recurrent.directions; ++d) {
    packer.Add(part(&w, d), part(&r, d), part(b, d), part(p, d));
  }
  std::vector<blob::RecurrentFunction> functions;
  for (const auto& f : recurrent.functions) functions.push_back(FunctionFor(f));

  std::vector<size_t> read;
  PlaceResults(builder, node, &params, &read);
  int output = -1;
  if (read.size() == 1) {
    output = builder.Define(node.outputs[read[0]], Layout::kRowMajor, blob::ElementType::kFp16);
  } else {
    int64_t count = 0;
    for (const size_t i : read) count += graph::ElementCount(builder.ShapeOf(node.outputs[i]));
    const uint32_t dims[4] = {1, 1, 1, static_cast<uint32_t>(count)};
    output = builder.Temporary(node.name, blob::ElementType::kFp16, dims, nullptr);
  }
  Layer& layer = builder.Emit(node, blob::Op::kRecurrent, precision, std::move(inputs), output);
  layer.weights = packer.weights();
  layer.channels = packer.channels();
  layer.extra = ToBytes(functions);
  layer.weight_count = static_cast<uint64_t>(w.Count() + r.Count());
  layer.macs = uint64_t{params.steps} * params.batch * layer.weight_count;
  layer.Set(params);
  if (read.size() > 1) SplitResults(builder, node, output, read);
}

}  // namespace octet::lower
