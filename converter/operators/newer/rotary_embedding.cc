// RotaryEmbedding-23: each pair of numbers of a head is turned by the angle of its position.
#include "converter/operators/newer/parts.h"

namespace octet::operators {
namespace {

// [batch, positions, half] with a dimension of 1 for the heads.
ValueId Angles(Parts& parts, ValueId cache, int64_t half, bool heads_first) {
  if (parts.HasInput(3)) {
    cache = parts.Add("Gather", {cache, parts.Input(3)}, {{"axis", int64_t{0}}});
  }
  const Shape shape = parts.ShapeOf(cache);
  if (shape.size() != 3 || shape[2] < half) {
    parts.Refuse(
        "cos_cache and sin_cache must have half as many columns as are turned; export the "
        "model again");
  }
  if (shape[2] > half) cache = parts.Slice(cache, 2, 0, half);
  return heads_first ? parts.Reshape(cache, {shape[0], 1, shape[1], half})
                     : parts.Reshape(cache, {shape[0], shape[1], 1, half});
}

}  // namespace

void LiftRotaryEmbedding(Parts& parts) {
  const Node& node = parts.node();
  ValueId x = parts.Required(0);
  const Shape outside = parts.ShapeOf(x);
  Shape shape = outside;
  const bool heads_first = shape.size() == 4;
  if (shape.size() == 3) {
    const int64_t heads = node.Int("num_heads", 0);
    if (heads < 1 || shape[2] % heads != 0) {
      parts.Refuse("3 dimensions need the attribute num_heads; export the model again");
    }
    shape = {shape[0], shape[1], heads, shape[2] / heads};
    x = parts.Reshape(x, shape);
  } else if (shape.size() != 4) {
    parts.Refuse("input 0 must have 3 or 4 dimensions; export the model again");
  }
  const int64_t given = node.Int("rotary_embedding_dim", 0);
  const int64_t turned = given > 0 ? given : shape[3], half = turned / 2;
  if (turned % 2 != 0 || turned > shape[3]) {
    parts.Refuse(
        "rotary_embedding_dim must be even, and at most the size of a head; export the "
        "model again");
  }
  const bool interleaved = node.Int("interleaved", 0) != 0;
  const ValueId cos = Angles(parts, parts.Required(1), half, heads_first);
  const ValueId sin = Angles(parts, parts.Required(2), half, heads_first);
  const ValueId a = interleaved ? parts.Slice(x, 3, 0, turned, 2) : parts.Slice(x, 3, 0, half);
  const ValueId b = interleaved ? parts.Slice(x, 3, 1, turned, 2) : parts.Slice(x, 3, half, turned);
  const ValueId first = parts.Add("Sub", {parts.Add("Mul", {a, cos}), parts.Add("Mul", {b, sin})});
  const ValueId second = parts.Add("Add", {parts.Add("Mul", {a, sin}), parts.Add("Mul", {b, cos})});
  ValueId out;
  if (interleaved) {
    Shape pair = shape;
    pair[3] = half;
    pair.push_back(1);
    out = parts.Add("Concat", {parts.Reshape(first, pair), parts.Reshape(second, pair)},
                    {{"axis", int64_t{4}}});
    pair.pop_back();
    pair[3] = turned;
    out = parts.Reshape(out, pair);
  } else {
    out = parts.Add("Concat", {first, second}, {{"axis", int64_t{3}}});
  }
  if (turned < shape[3]) {
    out = parts.Add("Concat", {out, parts.Slice(x, 3, turned, shape[3])}, {{"axis", int64_t{3}}});
  }
  parts.Give(0, parts.Reshape(out, outside));
}

}  // namespace octet::operators
