// Which tensors of a program may take other scales, and with whom.
#include "converter/sections/drift/section.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/format/drift_record.h"

namespace octet::drift {
namespace {

using blob::Function;
using blob::Op;

struct Made {
  Summary summary;
  blob::DriftRecord record{};
  std::vector<blob::DriftGroup> groups;
  std::vector<blob::DriftLayer> layers;
  std::vector<uint16_t> group_of;  // by tensor
};

// Tensors t0, t1, ... in int8 and, as h0, h1, ... of the same names, in FP16.
struct Net {
  graph::Graph graph;
  std::vector<std::optional<calibrate::Statistics>> seen;
  lower::Program int8, fp16;

  explicit Net(int tensors) {
    for (int t = 0; t < tensors; ++t) {
      lower::Tensor tensor;
      tensor.name = "t" + std::to_string(t);
      tensor.dims[3] = 4;
      int8.tensors.push_back(tensor);
      tensor.type = blob::ElementType::kFp16;
      fp16.tensors.insert(fp16.tensors.begin(), tensor);
      graph.AddValue({tensor.name, graph::DataType::kFloat, graph::Shape{4}, {}, {}});
      // Two samples whose peaks are 100 + t apart by 6.
      calibrate::Statistics statistics;
      statistics.peaks = 2;
      statistics.peak_sum = 2 * (100 + t);
      statistics.peak_squares = (97 + t) * (97 + t) + (103 + t) * (103 + t);
      seen.emplace_back(statistics);
    }
  }
  lower::Layer& Add(Op op, std::vector<int> inputs, int output,
                    Function function = Function::kIdentity) {
    lower::Layer layer;
    layer.op = op;
    layer.inputs = std::move(inputs);
    layer.output = output;
    layer.activation.function = function;
    layer.activation.is_computable = true;
    int8.layers.push_back(layer);
    return int8.layers.back();
  }
  void GoesOut(int tensor) {
    lower::OutputPart part;
    part.tensor = tensor;
    int8.outputs.push_back({part});
  }
  Made Make() const {
    Made made;
    const std::vector<uint8_t> section = MakeSection(graph, seen, int8, fp16, 1, &made.summary);
    if (section.empty()) return made;
    const auto read = [&section](auto* list, size_t count, size_t offset) {
      list->resize(count);
      std::memcpy(list->data(), section.data() + offset, count * sizeof((*list)[0]));
    };
    std::memcpy(&made.record, section.data(), sizeof(made.record));
    read(&made.groups, made.record.group_count, made.record.groups_offset);
    read(&made.layers, made.record.layer_count, made.record.layers_offset);
    read(&made.group_of, made.record.tensor_count, made.record.tensors_offset);
    return made;
  }
};

constexpr uint16_t kNone = blob::kNoDriftGroup;

TEST(DriftSection, BetweenConvolutionsEachTensorMovesByItself) {
  Net net(4);
  net.Add(Op::kConv, {0}, 1);
  net.Add(Op::kDepthwiseConv, {1}, 2);
  net.Add(Op::kConv, {2}, 3);
  net.GoesOut(3);
  const Made made = net.Make();
  EXPECT_EQ(made.group_of, (std::vector<uint16_t>{0, 1, 2, kNone})) << "an output stays";
  EXPECT_EQ(made.record.observe_plan, 1u);
  EXPECT_EQ(made.summary.groups, 3u);
  EXPECT_EQ(made.summary.tensors, 3u);
  EXPECT_EQ(made.summary.fixed, 1u);
  ASSERT_EQ(made.groups.size(), 3u);
  for (uint32_t g = 0; g < 3; ++g) {
    EXPECT_EQ(made.groups[g].tensor, 3 - g) << "of the FP16 plan";
    EXPECT_EQ(made.groups[g].peak, 100 + static_cast<int>(g));
    EXPECT_EQ(made.groups[g].spread, 3u);
  }
  ASSERT_EQ(made.layers.size(), 3u) << "each reads what moves";
  for (uint32_t l = 0; l < 3; ++l) EXPECT_EQ(made.layers[l].layer, l);
}

TEST(DriftSection, WhatMovesValuesMovesScales) {
  Net net(5);
  net.Add(Op::kConv, {0}, 1);
  net.Add(Op::kConv, {0}, 2);
  net.Add(Op::kMove, {1, 2}, 3);
  net.Add(Op::kConv, {3}, 4);
  net.GoesOut(4);
  const Made made = net.Make();
  EXPECT_EQ(made.group_of, (std::vector<uint16_t>{0, 1, 1, 1, kNone}));
  ASSERT_EQ(made.groups.size(), 2u);
  EXPECT_EQ(made.groups[1].peak, 103) << "the largest of its members";
  EXPECT_EQ(made.groups[1].tensor, 1u);
}

TEST(DriftSection, TensorsThatCalibrationOrFp16DoNotKnowStay) {
  Net net(3);
  net.Add(Op::kConv, {0}, 1);
  net.Add(Op::kConv, {1}, 2);
  net.GoesOut(2);
  EXPECT_EQ(net.Make().group_of, (std::vector<uint16_t>{0, 1, kNone}));
  Net unseen = net;
  unseen.seen[1].reset();
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, kNone, kNone}));
  unseen = net;
  unseen.seen[1]->peaks = 0;
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, kNone, kNone}));
  unseen = net;
  unseen.fp16.tensors[1].name = "other";
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, kNone, kNone}));
  unseen = net;
  unseen.fp16.tensors[1].type = blob::ElementType::kInt8;
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, kNone, kNone}));
  unseen = net;
  unseen.int8.tensors[1].channels = {{1.0f, 0}, {1.0f, 1}, {1.0f, 0}, {1.0f, 0}};
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, kNone, kNone}))
      << "zero points that differ stand in biases";
  unseen.int8.tensors[1].channels[1].zero_point = 0;
  EXPECT_EQ(unseen.Make().group_of, (std::vector<uint16_t>{0, 1, kNone}));
  for (auto& statistics : unseen.seen) statistics.reset();
  const Made none = unseen.Make();
  EXPECT_EQ(none.summary.groups, 0u);
  EXPECT_EQ(none.record.group_count, 0u);
}

// conv -> t1 -> function -> t2 -> conv: t1 grows with what the function makes of it.
Made Behind(Function function, bool second_reader = false, bool own_table = false,
            bool computable = true, Op before = Op::kConv) {
  Net net(5);
  lower::Layer& first = net.Add(before, {0}, 1);
  if (own_table) first.table.resize(256);
  net.Add(Op::kUnary, {1}, 2, function).activation.is_computable = computable;
  net.Add(Op::kConv, {2}, 3);
  net.Add(Op::kConv, {second_reader ? 1 : 2}, 4);
  net.GoesOut(3);
  net.GoesOut(4);
  return net.Make();
}

TEST(DriftSection, WhatAFunctionAloneReadsGrowsWithIt) {
  for (const Function function :
       {Function::kLeakyRelu, Function::kSilu, Function::kHardSwish, Function::kScale,
        Function::kElu, Function::kSoftplus, Function::kMish, Function::kGelu, Function::kAbs,
        Function::kNeg}) {
    for (const Op before : {Op::kConv, Op::kDepthwiseConv}) {
      const Made made = Behind(function, false, false, true, before);
      EXPECT_EQ(made.group_of, (std::vector<uint16_t>{0, 1 | blob::kGrowsOnly, 1, kNone, kNone}))
          << static_cast<int>(function);
      ASSERT_EQ(made.groups.size(), 2u);
      EXPECT_EQ(made.groups[1].peak, 102) << "of what the function makes";
      ASSERT_GE(made.layers.size(), 2u);
      EXPECT_EQ(made.layers[1].follows, 1);
      EXPECT_EQ(made.layers[1].function, function);
    }
  }
  // Functions that end flat say nothing of what goes in.
  for (const Function function : {Function::kSigmoid, Function::kTanh}) {
    const Made made = Behind(function);
    EXPECT_EQ(made.group_of, (std::vector<uint16_t>{0, 1, 2, kNone, kNone}));
    EXPECT_EQ(made.layers[1].follows, 0);
  }
  EXPECT_EQ(Behind(Function::kSilu, true).group_of, (std::vector<uint16_t>{0, 1, 2, kNone, kNone}))
      << "somebody else reads it";
  EXPECT_EQ(Behind(Function::kSilu, false, true).group_of[1] & blob::kGrowsOnly, 0)
      << "it stands behind a table already";
  // A table that nobody can compute keeps both its sides.
  EXPECT_EQ(Behind(Function::kSilu, false, false, false).group_of,
            (std::vector<uint16_t>{0, kNone, kNone, kNone, kNone}));
}

}  // namespace
}  // namespace octet::drift
