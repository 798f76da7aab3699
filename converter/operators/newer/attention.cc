// Attention-23 and -24, as ONNX Runtime computes it: scores are capped before the mask is added;
// the mask of is_causal begins behind the past; a row that is masked whole gives zeros.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "converter/operators/newer/parts.h"

namespace octet::operators {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();
// What stands for minus infinity where a mask is computed: a row of it has a Softmax still, and
// FP16 holds it beside any score.
constexpr float kOut = -30000;

// Queries [batch, heads, length, size]; keys and values [batch, shared, keys, size].
struct Sizes {
  int64_t batch, heads, shared, length, keys, size, value_size, past;
  bool three;  // [batch, length, heads * size] outside
};

// [batch, length, heads * size] to [batch, heads, length, size].
ValueId SplitHeads(Parts& parts, ValueId id, const char* attribute) {
  const Shape shape = parts.ShapeOf(id);
  if (shape.size() == 4) return id;
  const int64_t heads = parts.node().Int(attribute, 0);
  if (shape.size() != 3 || heads < 1 || shape[2] % heads != 0) {
    parts.Refuse(std::string("queries, keys and values must have 4 dimensions, or 3 with the "
                             "attribute ") +
                 attribute + "; export the model again");
  }
  const ValueId split = parts.Reshape(id, {shape[0], shape[1], heads, shape[2] / heads});
  return parts.Transpose(split, {0, 2, 1, 3});
}

// A mask that is known: numbers that are added to the scores, broadcast to [batch, heads, length,
// keys].
class KnownMask {
 public:
  bool IsThere() const { return !tensor_.floats.empty(); }
  const Tensor& tensor() const { return tensor_; }

  // f(batch, head, query, key); dims: which of them it depends on.
  template <typename F>
  void Add(const Shape& dims, F f) {
    const Shape before = IsThere() ? tensor_.shape : Shape(4, 1);
    Shape shape(4);
    for (size_t d = 0; d < 4; ++d) shape[d] = std::max(before[d], dims[d]);
    const Tensor old = tensor_;
    tensor_ = Tensor::Floats(shape, {});
    for (int64_t i = 0; i < graph::ElementCount(shape); ++i) {
      int64_t at[4], rest = i;
      for (size_t d = 4; d-- > 0; rest /= shape[d]) at[d] = rest % shape[d];
      float value = f(at[0], at[1], at[2], at[3]);
      if (!old.floats.empty()) {
        int64_t source = 0;
        for (size_t d = 0; d < 4; ++d) source = source * before[d] + at[d] % before[d];
        value += old.floats[static_cast<size_t>(source)];
      }
      tensor_.floats.push_back(value);
    }
  }

  // 0 for each row that is masked whole, else 1; such a row's numbers become 0. Nothing where there
  // is none.
  std::optional<Tensor> TakeEmptyRows() {
    if (!IsThere()) return std::nullopt;
    const Shape& shape = tensor_.shape;
    const auto keys = static_cast<size_t>(shape[3]);
    Tensor rows = Tensor::Floats({shape[0], shape[1], shape[2], 1}, {});
    bool any = false;
    for (size_t row = 0; row < tensor_.floats.size() / keys; ++row) {
      const auto begin = tensor_.floats.begin() + static_cast<std::ptrdiff_t>(row * keys);
      const auto end = begin + static_cast<std::ptrdiff_t>(keys);
      const bool empty = std::all_of(begin, end, [](float v) { return v == kMinusInfinity; });
      if (empty) std::fill(begin, end, 0.0f);
      any |= empty;
      rows.floats.push_back(empty ? 0.0f : 1.0f);
    }
    return any ? std::optional<Tensor>(rows) : std::nullopt;
  }

 private:
  Tensor tensor_ = Tensor::Floats({0}, {});
};

Shape FourDimensions(Parts& parts, Shape shape) {
  if (shape.size() > 4 || shape.empty()) {
    parts.Refuse("the mask must have 1 to 4 dimensions; export the model again");
  }
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return shape;
}

void AddConstantMask(Parts& parts, const Tensor& mask, const Sizes& sizes, KnownMask* known) {
  const Shape from = FourDimensions(parts, mask.shape);
  // Attention-24: behind its end nothing is read.
  const bool is_short = from[3] != 1 && from[3] < sizes.keys;
  Shape dims = from;
  if (is_short) dims[3] = sizes.keys;
  known->Add(dims, [&](int64_t b, int64_t h, int64_t q, int64_t k) {
    if (is_short && k >= from[3]) return kMinusInfinity;
    const int64_t at =
        ((b % from[0] * from[1] + h % from[1]) * from[2] + q % from[2]) * from[3] + k % from[3];
    const auto i = static_cast<size_t>(at);
    if (mask.IsFloat()) return mask.floats[i];
    return mask.integers[i] != 0 ? 0.0f : kMinusInfinity;
  });
}

class Attention {
 public:
  explicit Attention(Parts& parts) : parts_(parts) {}

  void Lift() {
    ReadInputs();
    ReadMasks();
    const ValueId probabilities = Probabilities();
    ValueId out = parts_.Add("MatMul", {Shared(probabilities, sizes_.keys), values_});
    out = parts_.Reshape(out, {sizes_.batch, sizes_.heads, sizes_.length, sizes_.value_size});
    if (rows_ != kNoValue) out = parts_.Add("Mul", {out, rows_});
    if (sizes_.three) {
      out = parts_.Reshape(parts_.Transpose(out, {0, 2, 1, 3}),
                           {sizes_.batch, sizes_.length, sizes_.heads * sizes_.value_size});
    }
    parts_.Give(0, out);
    parts_.Give(1, keys_);
    parts_.Give(2, values_);
  }

 private:
  void ReadInputs() {
    sizes_.three = parts_.ShapeOf(parts_.Required(0)).size() == 3;
    queries_ = SplitHeads(parts_, parts_.Required(0), "q_num_heads");
    keys_ = SplitHeads(parts_, parts_.Required(1), "kv_num_heads");
    values_ = SplitHeads(parts_, parts_.Required(2), "kv_num_heads");
    sizes_.past = 0;
    if (parts_.HasInput(4) && parts_.HasInput(5)) {
      sizes_.past = parts_.ShapeOf(parts_.Input(4)).at(2);
      keys_ = parts_.Add("Concat", {parts_.Input(4), keys_}, {{"axis", int64_t{2}}});
      values_ = parts_.Add("Concat", {parts_.Input(5), values_}, {{"axis", int64_t{2}}});
    }
    const Shape q = parts_.ShapeOf(queries_), k = parts_.ShapeOf(keys_),
                v = parts_.ShapeOf(values_);
    if (k[1] < 1 || q[1] % k[1] != 0 || k[1] != v[1] || k[2] != v[2] || q[3] != k[3]) {
      parts_.Refuse("queries " + graph::ToString(q) + ", keys " + graph::ToString(k) +
                    " and values " + graph::ToString(v) +
                    " do not fit each other; export the model again");
    }
    sizes_ = {q[0], q[1], k[1], q[2], k[2], q[3], v[3], sizes_.past, sizes_.three};
  }

  // Rows of heads that share keys as rows of one product, for they need no copies of the keys.
  ValueId Shared(ValueId id, int64_t columns) {
    const int64_t rows = sizes_.heads / sizes_.shared * sizes_.length;
    return parts_.Reshape(id, {sizes_.batch, sizes_.shared, rows, columns});
  }

  void ReadMasks() {
    const ValueId mask = parts_.Input(3);
    const Tensor* constant = mask == kNoValue ? nullptr : parts_.Constant(mask);
    if (constant != nullptr) {
      AddConstantMask(parts_, *constant, sizes_, &known_);
    } else if (mask != kNoValue) {
      computed_ = mask;
      const Shape shape = FourDimensions(parts_, parts_.ShapeOf(mask));
      if (shape[3] != 1 && shape[3] != sizes_.keys) {
        parts_.Refuse("a computed mask must have a number for each key; export the model again");
      }
      computed_ = parts_.Reshape(computed_, shape);
    }
    if (parts_.node().Int("is_causal", 0) != 0) {
      known_.Add({1, 1, sizes_.length, sizes_.keys}, [&](int64_t, int64_t, int64_t q, int64_t k) {
        return k <= q + sizes_.past ? 0.0f : kMinusInfinity;
      });
    }
    if (parts_.HasInput(6)) {
      const auto counts = parts_.KnownIntegers(parts_.Input(6), "nonpad_kv_seqlen");
      known_.Add({static_cast<int64_t>(counts.size()), 1, 1, sizes_.keys},
                 [&](int64_t b, int64_t, int64_t, int64_t k) {
                   return k < counts[static_cast<size_t>(b)] ? 0.0f : kMinusInfinity;
                 });
    }
    if (computed_ == kNoValue || !parts_.IsBool(computed_)) {
      const auto rows = known_.TakeEmptyRows();
      if (rows) rows_ = parts_.Floats(*rows);
      return;
    }
    // What may be read at all is what both masks allow.
    if (known_.IsThere()) {
      Tensor allowed = Tensor::Integers(known_.tensor().shape, {}, graph::DataType::kBool);
      for (float v : known_.tensor().floats)
        allowed.integers.push_back(v == kMinusInfinity ? 0 : 1);
      computed_ = parts_.Add("And", {computed_, parts_.Floats(allowed)});
    }
    const ValueId numbers = parts_.Add("Where", {computed_, parts_.Float(1), parts_.Float(0)});
    rows_ = parts_.Add("ReduceMax", {numbers, parts_.Integers({-1})}, {{"keepdims", int64_t{1}}});
  }

  // Scores as [batch, heads, length, keys], with what the model asks of them on the way.
  ValueId Probabilities() {
    const Node& node = parts_.node();
    const float scale = node.Float("scale", 1 / std::sqrt(static_cast<float>(sizes_.size)));
    if (scale != 1) queries_ = parts_.Add("Mul", {queries_, parts_.Float(scale)});
    ValueId scores = parts_.Add(
        "MatMul", {Shared(queries_, sizes_.size), parts_.Transpose(keys_, {0, 1, 3, 2})});
    scores = parts_.Reshape(scores, {sizes_.batch, sizes_.heads, sizes_.length, sizes_.keys});
    const int64_t wanted = node.Int("qk_matmul_output_mode", 0);
    if (wanted == 0) parts_.Give(3, scores);
    const float cap = node.Float("softcap", 0);
    if (cap != 0) {
      const ValueId part = parts_.Add("Mul", {scores, parts_.Float(1 / cap)});
      scores = parts_.Add("Mul", {parts_.Add("Tanh", {part}), parts_.Float(cap)});
    }
    if (wanted == 1) parts_.Give(3, scores);
    if (computed_ != kNoValue && parts_.IsBool(computed_)) {
      scores = parts_.Add("Where", {computed_, scores, parts_.Float(kOut)});
    } else {
      if (known_.IsThere()) scores = parts_.Add("Add", {scores, parts_.Floats(known_.tensor())});
      if (computed_ != kNoValue) scores = parts_.Add("Add", {scores, computed_});
    }
    if (wanted == 2) parts_.Give(3, scores);
    const ValueId out = parts_.Add("Softmax", {scores}, {{"axis", int64_t{-1}}});
    if (wanted == 3) parts_.Give(3, out);
    return out;
  }

  Parts& parts_;
  Sizes sizes_{};
  KnownMask known_;
  ValueId queries_ = kNoValue, keys_ = kNoValue, values_ = kNoValue;
  ValueId computed_ = kNoValue;  // a mask that comes with the sample
  ValueId rows_ = kNoValue;      // 0 for rows that are masked whole
};

}  // namespace

void LiftAttention(Parts& parts) {
  Attention(parts).Lift();
}

}  // namespace octet::operators
