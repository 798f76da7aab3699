// Attention is what plain loops make of its definition, whichever way its masks come.
#include <cmath>
#include <limits>

#include "tests/converter/operators/newer_support.h"

namespace octet::operators {
namespace {

constexpr int64_t kBatch = 2, kLength = 3, kKeys = 5, kSize = 4, kValueSize = 6;
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

struct Case {
  const char* what;
  int64_t heads = 2, shared = 2;
  bool three = false;
  int64_t past = 0;
  bool causal = false;
  float scale = 0, cap = 0;
  Shape mask = {};                                  // empty: none
  bool bools = false, live = false, blank = false;  // blank: a row that is masked whole
  std::vector<int64_t> counts = {};                 // keys of each sample
};

// Rows of [batch, heads, length, size], whichever layout they lie in.
float Read(const Tensor& t, int64_t heads, int64_t b, int64_t h, int64_t i, int64_t k) {
  const Shape& s = t.shape;
  const int64_t at = s.size() == 4 ? ((b * s[1] + h) * s[2] + i) * s[3] + k
                                   : (b * s[1] + i) * s[2] + h * (s[2] / heads) + k;
  return t.floats[static_cast<size_t>(at)];
}

Tensor MaskOf(const Case& c) {
  Tensor mask = Random(c.mask, 30, -3, 3);
  const int64_t keys = c.mask.back();
  for (size_t i = 0; i < mask.floats.size(); ++i) {
    const auto row = static_cast<int64_t>(i) / keys;
    const bool out = mask.floats[i] < -1 || (c.blank && row == 1);
    if (c.bools || (!c.live && out)) mask.floats[i] = out ? kMinusInfinity : mask.floats[i];
  }
  if (!c.bools) return mask;
  Tensor bools = Tensor::Integers(c.mask, {}, graph::DataType::kBool);
  for (float v : mask.floats) bools.integers.push_back(v == kMinusInfinity ? 0 : 1);
  return bools;
}

// What is added to the score of a query and a key.
double Masked(const Case& c, const Tensor& mask, int64_t b, int64_t h, int64_t q, int64_t k) {
  if (c.causal && k > q + c.past) return kMinusInfinity;
  if (!c.counts.empty() && k >= c.counts[static_cast<size_t>(b)]) return kMinusInfinity;
  if (c.mask.empty()) return 0;
  const int64_t index[] = {b, h, q, k};
  int64_t at = 0;
  for (size_t d = 0; d < c.mask.size(); ++d) {
    const int64_t i = index[4 - c.mask.size() + d];
    if (c.mask[d] != 1 && i >= c.mask[d]) return kMinusInfinity;  // behind the end of a short mask
    at = at * c.mask[d] + i % c.mask[d];
  }
  if (c.bools) return mask.integers[static_cast<size_t>(at)] != 0 ? 0 : kMinusInfinity;
  return mask.floats[static_cast<size_t>(at)];
}

TEST(Newer, Attention) {
  const Case kCases[] = {
      {.what = "plain"},
      {.what = "heads that share keys", .heads = 4, .shared = 2},
      {.what = "one head of keys", .heads = 3, .shared = 1, .scale = 1},
      {.what = "three dimensions", .heads = 4, .shared = 2, .three = true, .scale = 0.7f},
      {.what = "causal", .causal = true},
      {.what = "causal behind a past", .past = 2, .causal = true},
      {.what = "a cap", .cap = 0.5f},
      {.what = "numbers", .cap = 0.5f, .mask = {kLength, kKeys}},
      {.what = "numbers, a blank row", .mask = {kBatch, 2, kLength, kKeys}, .blank = true},
      {.what = "numbers of heads", .causal = true, .mask = {2, 1, kKeys}},
      {.what = "numbers of samples", .causal = true, .mask = {kBatch, 1, kLength, 1}},
      {.what = "a line of numbers", .mask = {kKeys}},
      {.what = "a short mask", .mask = {kLength, kKeys - 2}},
      {.what = "bools", .mask = {kLength, kKeys}, .bools = true},
      {.what = "bools, a blank row", .mask = {kLength, kKeys}, .bools = true, .blank = true},
      {.what = "computed numbers", .past = 1, .mask = {kLength, kKeys + 1}, .live = true},
      {.what = "computed numbers, causal", .causal = true, .mask = {2, kLength, 1}, .live = true},
      {.what = "computed bools", .mask = {kBatch, 1, kLength, kKeys}, .bools = true, .live = true},
      {.what = "computed bools, a blank row",
       .mask = {kLength, kKeys},
       .bools = true,
       .live = true,
       .blank = true},
      {.what = "computed bools, causal",
       .causal = true,
       .mask = {kLength, kKeys},
       .bools = true,
       .live = true},
      {.what = "keys counted", .counts = {2, 5}},
      {.what = "no keys counted", .counts = {0, 1}},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    const int64_t keys = kKeys + c.past;
    const auto shape = [&](int64_t heads, int64_t length, int64_t size) {
      return c.three ? Shape{kBatch, length, heads * size} : Shape{kBatch, heads, length, size};
    };
    const Tensor q = Random(shape(c.heads, kLength, kSize), 20, -2, 2);
    const Tensor k = Random(shape(c.shared, kKeys, kSize), 21, -2, 2);
    const Tensor v = Random(shape(c.shared, kKeys, kValueSize), 22);
    const Tensor past_k = Random({kBatch, c.shared, c.past, kSize}, 23, -2, 2);
    const Tensor past_v = Random({kBatch, c.shared, c.past, kValueSize}, 24);
    const Tensor mask = c.mask.empty() ? Tensor() : MaskOf(c);
    const auto key = [&](int64_t b, int64_t h, int64_t i, int64_t x) {
      return i < c.past ? Read(past_k, c.shared, b, h, i, x)
                        : Read(k, c.shared, b, h, i - c.past, x);
    };
    const auto value = [&](int64_t b, int64_t h, int64_t i, int64_t x) {
      return i < c.past ? Read(past_v, c.shared, b, h, i, x)
                        : Read(v, c.shared, b, h, i - c.past, x);
    };
    const double scale = c.scale != 0 ? c.scale : 1 / std::sqrt(static_cast<double>(kSize));
    const Shape out = shape(c.heads, kLength, kValueSize);
    Tensor expected = Random(out, 0);
    std::vector<float> raw;
    for (int64_t b = 0; b < kBatch; ++b) {
      for (int64_t h = 0; h < c.heads; ++h) {
        const int64_t from = h / (c.heads / c.shared);
        for (int64_t i = 0; i < kLength; ++i) {
          std::vector<double> weights;
          double sum = 0;
          for (int64_t j = 0; j < keys; ++j) {
            double score = 0;
            for (int64_t x = 0; x < kSize; ++x) {
              score += scale * Read(q, c.heads, b, h, i, x) * key(b, from, j, x);
            }
            raw.push_back(static_cast<float>(score));
            if (c.cap != 0) score = c.cap * std::tanh(score / c.cap);
            weights.push_back(std::exp(score + Masked(c, mask, b, h, i, j)));
            sum += weights.back();
          }
          for (int64_t x = 0; x < kValueSize; ++x) {
            double mean = 0;
            for (int64_t j = 0; j < keys; ++j) {
              if (sum > 0) mean += weights[static_cast<size_t>(j)] / sum * value(b, from, j, x);
            }
            const int64_t at = c.three ? (b * kLength + i) * out[2] + h * kValueSize + x
                                       : ((b * c.heads + h) * kLength + i) * kValueSize + x;
            expected.floats[static_cast<size_t>(at)] = static_cast<float>(mean);
          }
        }
      }
    }
    std::vector<NewerInput> inputs{Live(q), Live(k), Live(v), Omitted(), Omitted(), Omitted()};
    if (!c.mask.empty()) inputs[3] = c.live ? Live(mask) : Fixed(mask);
    if (c.past > 0) {
      inputs[4] = Live(past_k);
      inputs[5] = Live(past_v);
    }
    if (!c.counts.empty()) inputs.push_back(Fixed(I(c.counts)));
    Attributes attributes{{"is_causal", int64_t{c.causal}}, {"softcap", c.cap}};
    if (c.scale != 0) attributes["scale"] = c.scale;
    if (c.three) {
      attributes["q_num_heads"] = c.heads;
      attributes["kv_num_heads"] = c.shared;
    }
    const std::vector<Tensor> found = RunLifted("Attention", inputs, attributes, 4);
    ExpectFloats(found[0], out, expected.floats, 1e-4f);
    EXPECT_EQ(found[1].shape, Shape({kBatch, c.shared, keys, kSize}));
    EXPECT_EQ(found[2].shape, Shape({kBatch, c.shared, keys, kValueSize}));
    for (int64_t i = 0; i < keys; ++i) {
      EXPECT_EQ(Read(found[1], c.shared, 1, c.shared - 1, i, 2), key(1, c.shared - 1, i, 2));
      EXPECT_EQ(Read(found[2], c.shared, 1, c.shared - 1, i, 5), value(1, c.shared - 1, i, 5));
    }
    ExpectFloats(found[3], {kBatch, c.heads, kLength, keys}, raw, 1e-4f);
  }
}

TEST(Newer, AttentionThatDoesNotFit) {
  const auto run = [](const Shape& q, const Shape& k, const Shape& v, const Attributes& attributes,
                      const Shape& mask = {}) {
    std::vector<NewerInput> inputs{Live(Random(q, 1)), Live(Random(k, 2)), Live(Random(v, 3))};
    if (!mask.empty()) inputs.push_back(Live(Random(mask, 4)));
    RunLifted("Attention", inputs, attributes);
  };
  const Attributes heads{{"q_num_heads", int64_t{2}}, {"kv_num_heads", int64_t{2}}};
  EXPECT_NO_THROW(run({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {}));
  EXPECT_NO_THROW(run({1, 3, 8}, {1, 5, 8}, {1, 5, 12}, heads));
  EXPECT_THROW(run({1, 3, 8}, {1, 5, 8}, {1, 5, 12}, {}), UserError);
  EXPECT_THROW(run({1, 3, 9}, {1, 5, 8}, {1, 5, 12}, heads), UserError);
  EXPECT_THROW(run({3, 8}, {5, 8}, {5, 12}, heads), UserError);
  EXPECT_THROW(run({1, 3, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 1, 5, 6}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 4, 6}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 2, 5, 3}, {1, 2, 5, 6}, {}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {}, {3, 4}), UserError);
  EXPECT_THROW(run({1, 2, 3, 4}, {1, 2, 5, 4}, {1, 2, 5, 6}, {}, {1, 1, 1, 3, 5}), UserError);
}

}  // namespace
}  // namespace octet::operators
