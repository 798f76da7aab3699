// Suppression of overlaps as exporters write it: boxes moved by their classes, and rows that a mask
// picks.
#include <algorithm>
#include <functional>
#include <numeric>

#include "converter/operators/newer/bounded_boxes.h"
#include "converter/operators/newer/class_offsets.h"
#include "tests/converter/operators/newer_support.h"
#include "tests/support/graph_builder.h"

namespace octet::operators {
namespace {

using graph::ValueId;

struct Net : test::GraphBuilder {
  const graph::Node* Find(const std::string& op) const {
    for (const graph::Node& node : graph.nodes) {
      if (node.op == op) return &node;
    }
    return nullptr;
  }
  std::vector<Tensor> Run(const std::vector<Tensor>& inputs) {
    InferShapes(graph);
    return executor::Executor(graph).Run(inputs);
  }
};

constexpr int64_t kBoxes = 24;

// Boxes of 8 x 8 at most, the corner within 6 x 6: most of them overlap.
Tensor SomeBoxes(unsigned seed, const Shape& shape) {
  Tensor boxes = Random(shape, seed, 1, 6);
  for (size_t i = 0; i < boxes.floats.size(); i += 4) {
    boxes.floats[i + 2] += boxes.floats[i];
    boxes.floats[i + 3] += boxes.floats[i + 1];
  }
  return boxes;
}

// What stands between the labels and the step.
using View = std::function<ValueId(Net&, ValueId)>;
const View kCast = [](Net& n, ValueId id) { return n.Op("Cast", {id}, {{"to", Int(1)}}); };
const View kColumn = [](Net& n, ValueId id) { return n.Op("Unsqueeze", {id, n.Constant(I({1}))}); };
const View kReshape = [](Net& n, ValueId id) {
  return n.Op("Reshape", {id, n.Constant(I({kBoxes, 1}))});
};
const View kExpand = [](Net& n, ValueId id) {
  return n.Op("Expand", {id, n.Constant(I({kBoxes, 4}))});
};
const View kIdentity = [](Net& n, ValueId id) { return n.Op("Identity", {id}); };
const View kSame = [](Net& n, ValueId id) { return n.Op("Relu", {id}); };

struct Case {
  const char* what;
  std::vector<View> views;
  bool found = true;
  bool float_labels = false, step_first = false, offset_first = false;
  int64_t beside = -1;  // boxes are Concat(boxes, boxes[:, beside:])
  std::vector<float> step = {100};
};

TEST(SeparateClasses, ReadsBoxesAsTheyAreWhereTheLabelsAreFound) {
  const Case kCases[] = {
      {.what = "a column", .views = {kCast, kColumn}},
      {.what = "converted last", .views = {kReshape, kCast}},
      {.what = "all views", .views = {kIdentity, kColumn, kCast, kReshape, kIdentity, kExpand}},
      {.what = "behind a function", .views = {kSame, kCast, kColumn}, .float_labels = true},
      {.what = "factors turned", .views = {kCast, kColumn}, .step_first = true},
      {.what = "terms turned", .views = {kCast, kColumn}, .offset_first = true},
      {.what = "no more columns", .views = {kCast, kColumn}, .beside = 4},
      {.what = "not converted", .views = {kColumn}, .found = false, .float_labels = true},
      {.what = "a function behind", .views = {kCast, kColumn, kSame}, .found = false},
      {.what = "more columns", .views = {kCast, kColumn}, .found = false, .beside = 3},
      {.what = "many steps", .views = {kCast, kColumn}, .found = false, .step = {9, 9, 9, 9}},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    Net net;
    const ValueId boxes = net.Input({kBoxes, 4});
    const ValueId labels =
        net.Input({kBoxes}, c.float_labels ? graph::DataType::kFloat : graph::DataType::kInt64);
    const ValueId scores = net.Input({1, 1, kBoxes});
    ValueId at = labels;
    for (const View& view : c.views) at = view(net, at);
    const ValueId step = net.Constant(F({static_cast<int64_t>(c.step.size())}, c.step));
    const ValueId offset = c.step_first ? net.Op("Mul", {step, at}) : net.Op("Mul", {at, step});
    ValueId moved =
        c.offset_first ? net.Op("Add", {offset, boxes}) : net.Op("Add", {boxes, offset});
    if (c.beside >= 0) {
      const ValueId more = net.Op(
          "Slice", {boxes, net.Constant(I({c.beside})), net.Constant(I({c.beside == 3 ? 3 : 9})),
                    net.Constant(I({1})), net.Constant(I({1}))});
      moved = net.Op("Concat", {moved, more}, {{"axis", Int(1)}});
    }
    const ValueId front = net.Op("Unsqueeze", {moved, net.Constant(I({0}))});
    const ValueId out = net.Op("NonMaxSuppression", {front, scores, net.Constant(I({kBoxes})),
                                                     net.Constant(F({1}, {0.3f}))});
    net.graph.outputs = {out};
    const size_t before = net.graph.nodes.size();
    SeparateClasses(net.graph);
    const graph::Node& node = *net.Find("NonMaxSuppression");
    if (!c.found) {
      EXPECT_EQ(node.inputs.size(), 4u);
      EXPECT_EQ(node.inputs[0], front);
      EXPECT_EQ(net.graph.nodes.size(), before);
      continue;
    }
    ASSERT_EQ(node.inputs.size(), 6u);
    EXPECT_EQ(node.Int("octet_labels", 0), 1);
    EXPECT_EQ(net.Find("Add"), nullptr) << "what nobody reads stays";
    EXPECT_EQ(net.Find("Mul"), nullptr);
    EXPECT_EQ(net.Find("Cast"), nullptr);
    if (c.float_labels) continue;
    const Tensor sample = SomeBoxes(1, {kBoxes, 4}), score = Random({1, 1, kBoxes}, 2, 0, 1);
    Tensor classes = Tensor::Integers({kBoxes}, {});
    for (int64_t i = 0; i < kBoxes; ++i) classes.integers.push_back(i % 3);
    const std::vector<Tensor> found = net.Run({sample, classes, score});
    Tensor apart = sample;
    for (size_t i = 0; i < apart.floats.size(); ++i) {
      apart.floats[i] += 100.0f * static_cast<float>(classes.integers[i / 4]);
    }
    apart.shape = {1, kBoxes, 4};
    const Tensor expected = Apply("NonMaxSuppression", {apart, score, I({kBoxes}), F({1}, {0.3f})});
    EXPECT_EQ(found[0].integers, expected.integers);
  }
}

struct Rows {
  const char* what;
  float least = 0.4f;
  std::optional<float> own = {};  // the suppression's own threshold
  int64_t most = 10, first = 0, step = 1, end = 6;
  bool slice = true, bounded = true;
  std::string compare = "Greater";
  bool mask_read = false, other_scores = false;
  bool apart = false;  // indices of their own for each value, as torch.onnx writes them
  bool output_mask = false;
};

TEST(BoundBoxes, RowsThatAMaskPicksAreThoseAboveTheThreshold) {
  const Rows kCases[] = {
      {.what = "the first six"},
      {.what = "no threshold reached", .least = 2},
      {.what = "fewer than are sliced", .most = 4},
      {.what = "a threshold of its own", .own = 0.6f},
      {.what = "a lower threshold of its own", .own = 0.1f},
      {.what = "all that are chosen", .slice = false},
      {.what = "indices for each value", .apart = true},
      {.what = "a mask that is an output", .bounded = false, .apart = true, .output_mask = true},
      {.what = "another comparison", .bounded = false, .compare = "Less"},
      {.what = "a mask that is read", .bounded = false, .mask_read = true},
      {.what = "a mask of other scores", .bounded = false, .other_scores = true},
  };
  for (const Rows& c : kCases) {
    SCOPED_TRACE(c.what);
    Net net;
    const ValueId boxes = net.Input({kBoxes, 4}), scores = net.Input({kBoxes});
    const ValueId other = net.Input({kBoxes});
    const ValueId mask = net.Op(c.compare, {scores, net.Constant(F({}, {c.least}))});
    const auto indices_of = [&net, mask] {
      return net.Op("Transpose", {net.Op("NonZero", {mask})}, {{"perm", Ints({1, 0})}});
    };
    const ValueId indices = indices_of();
    const ValueId row_boxes = net.Op("GatherND", {boxes, indices});
    const ValueId row_scores =
        net.Op("GatherND", {c.other_scores ? other : scores, c.apart ? indices_of() : indices});
    const ValueId front = net.Op("Unsqueeze", {row_boxes, net.Constant(I({0}))});
    const ValueId single = net.Op("Unsqueeze", {row_scores, net.Constant(I({0, 1}))});
    std::vector<ValueId> inputs{front, single, net.Constant(I({c.most})),
                                net.Constant(F({1}, {0.3f}))};
    if (c.own) inputs.push_back(net.Constant(F({1}, {*c.own})));
    const ValueId chosen = net.Op("NonMaxSuppression", inputs);
    ValueId at = net.Op("Gather", {chosen, net.Constant(I({2}))}, {{"axis", Int(1)}});
    at = net.Op("Squeeze", {at, net.Constant(I({1}))});
    if (c.slice) {
      at = net.Op("Slice", {at, net.Constant(I({c.first})), net.Constant(I({c.end})),
                            net.Constant(I({0})), net.Constant(I({c.step}))});
    }
    net.graph.outputs = {net.Op("Gather", {row_boxes, at}), net.Op("Gather", {row_scores, at})};
    if (c.mask_read) net.graph.outputs.push_back(indices);
    if (c.output_mask) net.graph.outputs.push_back(mask);
    const size_t before = net.graph.nodes.size();
    BoundBoxes(net.graph);
    if (!c.bounded) {
      EXPECT_NE(net.Find("NonZero"), nullptr);
      EXPECT_NE(net.Find("GatherND"), nullptr);
      EXPECT_EQ(net.graph.nodes.size(), before);
      continue;
    }
    EXPECT_EQ(net.Find("NonZero"), nullptr);
    EXPECT_EQ(net.Find("GatherND"), nullptr);
    const Tensor x = SomeBoxes(3, {kBoxes, 4}), s = Random({kBoxes}, 4, 0, 1);
    const std::vector<Tensor> found = net.Run({x, s, Random({kBoxes}, 5)});

    Tensor plain_boxes = x, plain_scores = s;
    plain_boxes.shape = {1, kBoxes, 4};
    plain_scores.shape = {1, 1, kBoxes};
    const float least = std::max(c.least, c.own.value_or(c.least));
    const int64_t count = c.slice ? std::min(c.most, c.end) : c.most;
    const Tensor rows = Apply("NonMaxSuppression", {plain_boxes, plain_scores, I({count}),
                                                    F({1}, {0.3f}), F({1}, {least})});
    std::vector<float> picked_boxes, picked_scores;
    for (int64_t r = 0; r < count; ++r) {
      const int64_t i = rows.integers[static_cast<size_t>(3 * r + 2)];
      for (int64_t k = 0; k < 4; ++k) {
        picked_boxes.push_back(i < 0 ? 0 : x.floats[static_cast<size_t>(4 * i + k)]);
      }
      picked_scores.push_back(i < 0 ? 0 : s.floats[static_cast<size_t>(i)]);
    }
    ExpectFloats(found[0], {count, 4}, picked_boxes, 0);
    ExpectFloats(found[1], {count}, picked_scores, 0);
  }
}

}  // namespace
}  // namespace octet::operators
