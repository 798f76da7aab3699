// The steps of graphs from kAttentionSeeds on: what transformers are made of, in the forms that
// exporters write. Rows of a rank 3 value [1, n, c] are tokens.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/converter/lower/random_graph.h"

namespace octet::test {

void RandomGraph::AttentionStep() {
  switch (Pick(0, 9)) {
    case 0:
    case 1:
    case 2:
      return Attend();
    case 3:
    case 4:
      return FeedForward();
    case 5:
      return NormaliseTokens();
    case 6:
      return Windows();
    case 7:
      return SelectTokens();
    case 8:
      return SampleByTokens();
    default:
      return Convolution();
  }
}

OnnxValue RandomGraph::Filled(const Dims& shape, const std::vector<float>& values) {
  return model_.Initializer(model_.Unique("filled"), shape, values);
}

OnnxValue RandomGraph::Drawn(const Dims& shape, float deviation) {
  return model_.Random(model_.Unique("drawn"), shape, deviation);
}

// A recent one, or patches of a picture.
RandomGraph::Entry RandomGraph::Tokens() {
  constexpr int64_t kMost = 64;
  for (int64_t i = Last(); i >= std::max<int64_t>(0, Last() - 2); --i) {
    const Entry& entry = entries_[static_cast<size_t>(i)];
    if (entry.shape.size() == 3 && entry.shape[1] <= kMost) return entry;
  }
  const Entry in = Image();
  ConvOptions options;
  options.channels = 2 * Pick(2, 12);
  options.kernel = options.kernel_width = 1;
  while (in.shape[2] / options.kernel * (in.shape[3] / options.kernel) > kMost) ++options.kernel;
  options.kernel = std::min({options.kernel, in.shape[2], in.shape[3]});
  options.kernel_width = options.stride = options.kernel;
  const int64_t rows = in.shape[2] / options.kernel, columns = in.shape[3] / options.kernel;
  OnnxValue patches = in.value.WithChannels(in.shape[1]).Conv(options);
  patches = patches.Reshape({1, options.channels, rows * columns}).Transpose({0, 2, 1});
  Push("Tokens", patches, {1, rows * columns, options.channels});
  if (Chance(60)) {
    const Entry& tokens = entries_.back();
    Push("Places", tokens.value.Add(Drawn(tokens.shape, 0.3f)), Dims(tokens.shape));
  }
  return entries_.back();
}

OnnxValue RandomGraph::Linear(const OnnxValue& in, int64_t inputs, int64_t outputs) {
  OnnxValue result = in.WithChannels(inputs).MatMul(outputs);
  return Chance(70) ? result.Add(Drawn({outputs}, 0.1f)) : result;
}

// Over the last axis; opset 18 reads axes from an input.
OnnxValue RandomGraph::MeanOfRows(const OnnxValue& in) {
  return model_.opset() < 18 ? in.Op("ReduceMean", {{"axes", Ints({-1})}, {"keepdims", Int(1)}})
                             : in.Op("ReduceMean", {{"keepdims", Int(1)}}, {Whole({1}, {-1})});
}

// Of rows of `width` numbers, without weights: written out, or as one operator.
OnnxValue RandomGraph::UnitRows(const OnnxValue& in, int64_t width) {
  const OnnxValue epsilon = Filled({}, {0.05f});
  switch (width < 2 ? 0 : Pick(0, 3)) {
    case 0: {
      const OnnxValue square = Chance(50) ? in.Mul(in) : in.Op("Pow", {}, {Filled({}, {2}).name()});
      return in.Div(MeanOfRows(square).Add(epsilon).Op("Sqrt"));
    }
    case 1: {
      const OnnxValue centred = in.Sub(MeanOfRows(in));
      return centred.Div(MeanOfRows(centred.Mul(centred)).Add(epsilon).Op("Sqrt"));
    }
    case 2:
      return in.Op("LayerNormalization", {{"epsilon", 0.05f}},
                   {Filled({width}, std::vector<float>(static_cast<size_t>(width), 1)).name()});
    default:
      if (model_.opset() < 23)
        return in.Mul(MeanOfRows(in.Mul(in)).Add(epsilon).Op("Sqrt").Op("Reciprocal"));
      return in.Op("RMSNormalization", {{"epsilon", 0.05f}}, {Drawn({width}, 1).name()});
  }
}

// What a block reads: numbers of a few units, however many blocks came before.
OnnxValue RandomGraph::Settled(const Entry& in) {
  return Chance(70) ? UnitRows(in.value, in.shape.back()) : Bounded(in, -1, 1).value;
}

// Rotates pairs of numbers, which lie half a head apart, by angles of their own: [1, h, n, d].
OnnxValue RandomGraph::Rotated(const OnnxValue& in, int64_t rows, int64_t width) {
  std::vector<float> cosines, sines;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t i = 0; i < width; ++i) {
      const double angle =
          static_cast<double>(r) / std::pow(10.0, static_cast<double>(i % (width / 2)));
      cosines.push_back(static_cast<float>(std::cos(angle)));
      sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  const OnnxValue first = in.Slice({0}, {width / 2}, {3}),
                  second = in.Slice({width / 2}, {width}, {3});
  const OnnxValue turned = second.Op("Neg").Concat(first, 3);
  const Dims shape{1, 1, rows, width};
  return in.Mul(Filled(shape, cosines)).Add(turned.Mul(Filled(shape, sines)));
}

// What a query does not see. Each sees the first row.
OnnxValue RandomGraph::Masked(const OnnxValue& scores, const Entry& keys, int64_t queries) {
  const int64_t rows = keys.shape[1];
  const bool causal = Chance(50);
  std::vector<float> added;
  std::vector<int64_t> seen;
  const float far = Chance(50) ? -std::numeric_limits<float>::infinity() : -1e9f;
  for (int64_t q = 0; q < queries; ++q) {
    for (int64_t k = 0; k < rows; ++k) {
      const bool hidden = k > 0 && (causal ? k > q : Chance(30));
      added.push_back(hidden ? far : 0);
      seen.push_back(hidden ? 0 : 1);
    }
  }
  const Dims shape{1, 1, queries, rows};
  switch (Pick(0, 3)) {
    case 0:
      return scores.Add(Filled(shape, added));
    case 1: {
      const OnnxValue bits = model_.Initializer(model_.Unique("seen"), shape, seen);
      return bits.Op("Cast", {{"to", Int(9)}})
          .Op("Where", {}, {scores.name(), Filled({}, {far}).name()});
    }
    case 2: {  // keys that are small in this picture
      discontinuous_ = true;
      const OnnxValue size = MeanOfRows(keys.value).Reshape({1, 1, 1, rows});
      const OnnxValue small = size.Op("Less", {}, {Filled({}, {-0.2f}).name()});
      return small.Op("Where", {}, {Filled({}, {-1e9f}).name(), scores.name()});
    }
    default:  // how far queries and keys are apart
      return scores.Add(Drawn(shape, 0.5f));
  }
}

void RandomGraph::Attend() {
  const Entry keys = Tokens();
  const int64_t rows = keys.shape[1], width = keys.shape[2];
  const int64_t heads = int64_t{1} << Pick(0, 2), size = 2 * Pick(1, 8);
  const bool learned = Chance(20), shared = heads > 1 && Chance(15);
  const int64_t queries = learned ? Pick(1, 9) : rows;
  if (heads * queries * rows > kMostElements) return;

  const OnnxValue read = Settled(keys);
  const int64_t kept = shared ? 1 : heads;
  const auto split = [&](const OnnxValue& in, int64_t count, int64_t of) {
    return in.Reshape({1, count, of, size}).Transpose({0, 2, 1, 3});
  };
  OnnxValue q = learned ? Drawn({1, heads, queries, size}, 1)
                        : split(Linear(read, width, heads * size), rows, heads);
  OnnxValue k = split(Linear(read, width, kept * size), rows, kept);
  const OnnxValue v = split(Linear(read, width, kept * size), rows, kept);
  if (Chance(25)) {
    if (!learned) q = UnitRows(q, size);
    k = UnitRows(k, size);
  }
  if (!learned && Chance(25)) {
    q = Rotated(q, rows, size);
    k = Rotated(k, rows, size);
  }
  OnnxValue answer = q;
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  if (model_.opset() >= 23 && Chance(40)) {
    answer = q.Op("Attention", {{"is_causal", Int(Pick(0, 1))}}, {k.name(), v.name()});
  } else {
    const int64_t scaled = learned ? 1 : Pick(0, 2);
    if (scaled == 0) q = q.Mul(Filled({}, {scale}));
    OnnxValue scores = q.Op("MatMul", {}, {k.Transpose({0, 1, 3, 2}).name()});
    if (scaled == 1) scores = scores.Mul(Filled({}, {scale}));
    if (scaled == 2) scores = scores.Div(Filled({}, {1 / scale}));
    if (Chance(10)) scores = scores.Op("Tanh");
    if (Chance(50)) scores = Masked(scores, keys, queries);
    answer = scores.Softmax().Op("MatMul", {}, {v.name()});
  }
  answer = answer.Transpose({0, 2, 1, 3}).Reshape({1, queries, heads * size});
  answer = Linear(answer, heads * size, width);
  if (!learned && Chance(80)) answer = keys.value.Add(answer);
  Push(learned ? "Ask" : shared ? "AttendShared" : "Attend", answer, {1, queries, width});
}

void RandomGraph::FeedForward() {
  const Entry in = Tokens();
  const int64_t width = in.shape[2], inner = Pick(1, 40);
  const OnnxValue read = Settled(in);
  OnnxValue middle = Linear(read, width, inner);
  switch (Pick(0, 3)) {
    case 0:
      middle = middle.Relu();
      break;
    case 1: {
      const OnnxValue error = middle.Div(Filled({}, {1.41421356f})).Op("Erf");
      middle = middle.Mul(error.Add(Filled({}, {1}))).Mul(Filled({}, {0.5f}));
      break;
    }
    case 2:
      middle = middle.Silu().Mul(Linear(read, width, inner));
      break;
    default:
      middle = middle.Silu();
  }
  OnnxValue result = Linear(middle, inner, width);
  if (Chance(30)) result = result.Mul(Drawn({width}, 0.5f));
  Push("FeedForward", Chance(80) ? in.value.Add(result) : result, in.shape);
}

void RandomGraph::NormaliseTokens() {
  const Entry in = Tokens();
  const int64_t width = in.shape[2];
  OnnxValue result = UnitRows(in.value, width).Mul(Drawn({width}, 1));
  if (Chance(50)) result = result.Add(Drawn({width}, 0.3f));
  Push("NormaliseTokens", result, in.shape);
}

// Blocks of a picture attend within themselves, in place of their rows.
void RandomGraph::Windows() {
  const Entry in = Tokens();
  const int64_t rows = in.shape[1], width = in.shape[2];
  int64_t count = Pick(2, 4);
  while (rows % count != 0) --count;
  if (count == 1) return;
  const int64_t inside = rows / count;
  const bool strided = Chance(50);
  const OnnxValue read = Settled(in);
  const OnnxValue blocks = strided ? read.Reshape({inside, count, width}).Transpose({1, 0, 2})
                                   : read.Reshape({count, inside, width});
  const OnnxValue q = Linear(blocks, width, width), k = Linear(blocks, width, width);
  OnnxValue scores = q.Op("MatMul", {}, {k.Transpose({0, 2, 1}).name()});
  scores = scores.Mul(Filled({}, {1 / std::sqrt(static_cast<float>(width))}));
  if (Chance(50)) scores = scores.Add(Drawn({1, inside, inside}, 0.5f));
  OnnxValue result = scores.Softmax().Op("MatMul", {}, {blocks.name()});
  if (strided) result = result.Transpose({1, 0, 2});
  Push("Windows", in.value.Add(result.Reshape(in.shape)), in.shape);
}

// The rows that score best, in the order of their scores.
void RandomGraph::SelectTokens() {
  const Entry in = Tokens();
  const int64_t rows = in.shape[1], width = in.shape[2],
                count = Pick(1, std::min<int64_t>(rows, 12));
  discontinuous_ = true;
  const OnnxValue scores = Linear(in.value, width, 1).Reshape({1, rows});
  const std::string best = model_.Unique("best"), indices = model_.Unique("indices");
  model_.Node("TopK", {scores.name(), Whole({1}, {count})}, {{"axis", Int(1)}}, {best, indices});
  const OnnxValue column = model_.Node("Unsqueeze", {indices, Whole({1}, {-1})});
  const OnnxValue wide = column.Op("Expand", {}, {Whole({3}, {1, count, width})});
  Push("SelectTokens", in.value.Op("GatherElements", {{"axis", Int(1)}}, {wide.name()}),
       {1, count, width});
}

// Each token reads a picture beside places of its own and weighs what it finds.
void RandomGraph::SampleByTokens() {
  const Entry in = Tokens(), picture = Image();
  const int64_t rows = in.shape[1], width = in.shape[2], points = Pick(1, 4);
  const int64_t channels = picture.shape[1];
  if (channels * rows * points > kMostElements) return;
  const OnnxValue read = Settled(in);
  std::vector<float> places;
  for (int64_t i = 0; i < 2 * rows * points; ++i) {
    places.push_back(static_cast<float>(Pick(-80, 80)) / 80);
  }
  const Dims shape{1, rows, points, 2};
  const OnnxValue offsets = Linear(read, width, 2 * points).Op("Tanh").Mul(Filled({}, {0.2f}));
  const OnnxValue grid = offsets.Reshape(shape).Add(Filled(shape, places));
  const OnnxValue found =
      picture.value.Op("GridSample", {{"align_corners", Int(Pick(0, 1))}}, {grid.name()});
  const OnnxValue shares = Linear(read, width, points).Softmax().Reshape({1, 1, rows, points});
  const OnnxValue sums =
      found.Mul(shares).Op("ReduceSum", {{"keepdims", Int(0)}}, {Whole({1}, {-1})});
  Push("SampleByTokens", Linear(sums.Transpose({0, 2, 1}), channels, width), in.shape);
}

}  // namespace octet::test
