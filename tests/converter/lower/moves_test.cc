// Every way to move, gather and choose elements, from the model to the runtime, in both plans.
#include <cmath>
#include <functional>

#include "converter/support/error.h"
#include "gtest/gtest.h"
#include "tests/converter/lower/run_plans.h"

namespace octet::test {
namespace {

// An input of 11 significant bits; int8 in steps of a 127th of its range.
constexpr double kHalf = 1e-3, kByte = 9e-3;

// The input as a list, then in this shape: frames come one by one, so an input begins with 1.
OnnxValue Source(OnnxBuilder& model, const Dims& shape) {
  int64_t count = 1;
  for (int64_t dim : shape) count *= dim;
  return model.Input("x", {1, count}).Reshape(shape);
}

// What is behind a convolution is an image, what is an input may lie otherwise: both.
void ExpectMoves(const Dims& shape,
                 const std::function<OnnxValue(OnnxBuilder&, const OnnxValue&)>& move,
                 int64_t opset = 18) {
  OnnxBuilder plain(opset);
  move(plain, Source(plain, shape)).Output("y");
  ExpectPlansNear(plain, kHalf, kByte);
  if (shape.size() != 4) return;
  OnnxBuilder image(opset);
  const OnnxValue x = Source(image, shape);
  move(image, x.Conv({.channels = shape[1], .kernel = 1, .in_channels = shape[1]})).Output("y");
  ExpectPlansNear(image, 3e-3, 4e-2);
}

std::string IntsOf(OnnxBuilder& model, const Dims& values) {
  return model.Initializer(model.Unique("ints"), {static_cast<int64_t>(values.size())}, values)
      .name();
}

TEST(Moves, SliceBackwardsAndInManyDimensions) {
  ExpectMoves({2, 3, 5, 7}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("Slice", {},
                {IntsOf(m, {-1, 4, 0}), IntsOf(m, {INT64_MIN, 0, 7}), IntsOf(m, {1, 2, 3}),
                 IntsOf(m, {-1, -2, 3})});
  });
  ExpectMoves({2, 3, 4, 5, 3}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("Slice", {},
                {IntsOf(m, {1, 0, -1}), IntsOf(m, {3, 5, INT64_MIN}), IntsOf(m, {1, 3, 4}),
                 IntsOf(m, {1, 2, -1})});
  });
}

TEST(Moves, ExpandAndTile) {
  for (const Dims& shape : {Dims{1, 3, 1, 5}, Dims{3, 1, 5}, Dims{4, 1}}) {
    ExpectMoves(shape, [](OnnxBuilder& m, const OnnxValue& x) {
      return x.Op("Expand", {}, {IntsOf(m, {2, 3, 4, 5})});
    });
  }
  ExpectMoves({2, 3, 4, 5}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("Tile", {}, {IntsOf(m, {1, 2, 3, 2})});
  });
  ExpectMoves({2, 2, 3, 2, 3, 2}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("Tile", {}, {IntsOf(m, {2, 1, 2, 2, 1, 2})});
  });
}

TEST(Moves, PadInEveryMode) {
  for (const char* mode : {"constant", "reflect", "edge", "wrap"}) {
    for (const Dims& shape : {Dims{2, 4, 5, 6}, Dims{2, 2, 4, 5, 6}, Dims{5, 6}}) {
      ExpectMoves(
          shape,
          [mode](OnnxBuilder& m, const OnnxValue& x) {
            const OnnxValue value = m.Initializer(m.Unique("value"), {}, std::vector<float>{0.5f});
            return x.Op("Pad", {{"mode", std::string(mode)}},
                        {IntsOf(m, {-1, 2, 3, -1}), value.name(), IntsOf(m, {-2, -1})});
          },
          19);
    }
  }
}

TEST(Moves, PadOfTheFirstDimension) {
  for (const Dims& axes : {Dims{0, -1}, Dims{-1, 0}}) {
    ExpectMoves({3, 4, 5}, [&axes](OnnxBuilder& m, const OnnxValue& x) {
      return x.Op("Pad", {}, {IntsOf(m, {1, 2, 0, 3}), "", IntsOf(m, axes)});
    });
  }
}

TEST(Moves, GatherWithConstantIndices) {
  for (int64_t axis = -4; axis < 4; ++axis) {
    ExpectMoves({4, 5, 6, 7}, [axis](OnnxBuilder& m, const OnnxValue& x) {
      return x.Op("Gather", {{"axis", Int(axis)}}, {IntsOf(m, {3, -1, 0, 0, 2})});
    });
    ExpectMoves({4, 5, 6, 7}, [axis](OnnxBuilder& m, const OnnxValue& x) {
      const OnnxValue one = m.Initializer(m.Unique("one"), {}, Dims{-2});
      return x.Op("Gather", {{"axis", Int(axis)}}, {one.name()});
    });
  }
  ExpectMoves({4, 5, 6}, [](OnnxBuilder& m, const OnnxValue& x) {
    const OnnxValue grid = m.Initializer("grid", {2, 3}, Dims{0, 3, 1, 1, -1, 4});
    return x.Op("Gather", {{"axis", Int(1)}}, {grid.name()});
  });
}

TEST(Moves, ShufflesOfSixDimensions) {
  ExpectMoves({2, 3, 2, 4, 2, 3}, [](OnnxBuilder&, const OnnxValue& x) {
    return x.Transpose({5, 0, 3, 1, 4, 2});
  });
  ExpectMoves({2, 2, 2, 3, 2, 2, 2}, [](OnnxBuilder&, const OnnxValue& x) {
    return x.Transpose({0, 2, 1, 4, 6, 3, 5});
  });
  // Eight that stay apart: two of them share a table.
  ExpectMoves({2, 3, 2, 2, 2, 3, 2, 2}, [](OnnxBuilder&, const OnnxValue& x) {
    return x.Transpose({7, 6, 5, 4, 3, 2, 1, 0});
  });
  for (const char* mode : {"DCR", "CRD"}) {
    ExpectMoves({1, 12, 3, 5}, [mode](OnnxBuilder&, const OnnxValue& x) {
      return x.Op("DepthToSpace", {{"blocksize", Int(2)}, {"mode", std::string(mode)}});
    });
  }
  ExpectMoves({1, 3, 4, 6}, [](OnnxBuilder&, const OnnxValue& x) {
    return x.Op("SpaceToDepth", {{"blocksize", Int(2)}});
  });
}

TEST(Moves, ConcatAndSplitOfFiveDimensions) {
  for (int64_t axis = 0; axis < 5; ++axis) {
    ExpectMoves({2, 3, 2, 4, 3}, [axis](OnnxBuilder&, const OnnxValue& x) {
      const OnnxValue half = x.Op("Abs");
      return half.Concat(x, axis).Concat(x, axis).Op("Neg");
    });
    ExpectMoves({2, 2, 2, 2, 2}, [axis](OnnxBuilder&, const OnnxValue& x) {
      const auto parts = x.Split({1, 1}, axis);
      return parts[1].Sub(parts[0]);
    });
  }
}

TEST(Moves, ReverseSequenceTriluAndCompress) {
  ExpectMoves({4, 3, 2, 2}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("ReverseSequence", {{"time_axis", Int(0)}, {"batch_axis", Int(1)}},
                {IntsOf(m, {4, 0, 3})});
  });
  ExpectMoves({3, 4}, [](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("ReverseSequence", {{"time_axis", Int(1)}, {"batch_axis", Int(0)}},
                {IntsOf(m, {2, 4, 1})});
  });
  for (int64_t upper : {0, 1}) {
    ExpectMoves({2, 3, 4, 5}, [upper](OnnxBuilder& m, const OnnxValue& x) {
      return x.Op("Trilu", {{"upper", Int(upper)}},
                  {m.Initializer(m.Unique("k"), {}, Dims{-1}).name()});
    });
  }
  for (int64_t axis : {1, -3}) {
    ExpectMoves({2, 5, 4, 3}, [axis](OnnxBuilder& m, const OnnxValue& x) {
      const OnnxValue chosen =
          m.Initializer("c", {4}, Dims{0, 1, 1, 0}).Op("Cast", {{"to", Int(9)}});
      return x.Op("Compress", {{"axis", Int(axis)}}, {chosen.name()});
    });
  }
  ExpectMoves({2, 5, 4, 3}, [](OnnxBuilder& m, const OnnxValue& x) {
    const OnnxValue chosen =
        m.Initializer("c", {7}, Dims{0, 1, 1, 0, 0, 0, 1}).Op("Cast", {{"to", Int(9)}});
    return x.Op("Compress", {}, {chosen.name()});
  });
}

TEST(Moves, TablesTooLongAreRefused) {
  const auto refusal = [](const OnnxBuilder& model) -> std::string {
    try {
      RunPlans(model);
    } catch (const UserError& error) {
      return error.what();
    }
    return "taken";
  };
  OnnxBuilder corner(18);
  corner.Input("x", {1, 2100, 2100}).Op("Trilu").Output("y");
  EXPECT_NE(refusal(corner).find("4410000 positions"), std::string::npos) << refusal(corner);
  OnnxBuilder reversed(18);
  reversed.Input("x", {1, 2100, 2100})
      .Reshape({2100, 2100})
      .Op("ReverseSequence", {{"time_axis", Int(1)}, {"batch_axis", Int(0)}},
          {IntsOf(reversed, Dims(2100, 3))})
      .Output("y");
  EXPECT_NE(refusal(reversed).find("4410000 positions"), std::string::npos) << refusal(reversed);
}

// The places of the largest of x along an axis; far enough apart that FP16 orders them alike.
std::vector<OnnxValue> TopK(OnnxBuilder& model, const OnnxValue& x, int64_t k, int64_t axis) {
  const std::string stem = model.Unique("top");
  model.Node("TopK", {x.name(), IntsOf(model, {k})}, {{"axis", Int(axis)}},
             {stem + ".values", stem + ".indices"});
  return {OnnxValue(&model, stem + ".values", 0), OnnxValue(&model, stem + ".indices", 0)};
}

TEST(Moves, TopKAndWhatItsIndicesChoose) {
  for (int64_t axis : {0, 1, 2}) {
    OnnxBuilder model(18);
    const OnnxValue x = Source(model, {3, 4, 5});
    const auto top = TopK(model, x, 2, axis);
    const OnnxValue& indices = top[1];
    top[0].Output("values");
    x.Op("Neg").Op("GatherElements", {{"axis", Int(axis)}}, {indices.name()}).Output("chosen");
    const PlanOutputs out = RunPlans(model);
    for (size_t o = 0; o < 2; ++o) {
      EXPECT_LE(RelativeError(out.expected[o], out.fp16[o]), kHalf) << "axis " << axis;
    }
    EXPECT_LE(RelativeError(out.expected[0], out.int8[0]), kByte) << "axis " << axis;
  }
}

TEST(Moves, ComputedIndices) {
  OnnxBuilder model(18);
  const OnnxValue x = Source(model, {4, 6});
  const auto top = TopK(model, x, 3, 1);  // indices [4,3] below 6
  const OnnxValue& indices = top[1];
  const OnnxValue table = model.Random("table", {6, 5}, 1.0f);
  table.Op("Gather", {}, {indices.name()}).Output("rows");
  const OnnxValue tuples = indices.Slice({0}, {2}, {1});
  x.Transpose({1, 0}).Op("GatherND", {}, {indices.Slice({0}, {1}, {1}).name()}).Output("nd");
  const OnnxValue zeros = model.Initializer("zeros", {6, 6}, std::vector<float>(36, 0.25f));
  const OnnxValue updates = model.Random("updates", {4, 3}, 1.0f);
  for (const char* reduction : {"none", "add", "mul", "min", "max"}) {
    zeros
        .Op("ScatterElements", {{"axis", Int(1)}, {"reduction", std::string(reduction)}},
            {indices.name(), updates.name()})
        .Output(std::string("scattered_") + reduction);
  }
  zeros.Op("ScatterND", {}, {tuples.name(), model.Random("numbers", {4}, 1.0f).name()})
      .Output("scattered_nd");
  const PlanOutputs out = RunPlans(model);
  for (size_t o = 0; o < out.expected.size(); ++o) {
    EXPECT_LE(RelativeError(out.expected[o], out.fp16[o]), kHalf) << "output " << o;
  }
}

// As detectors without suppression end: the best anchors by their best class, then the best pairs
// of anchor and class, and the boxes of those. Coordinates, scores and classes leave in one tensor.
TEST(Moves, AHeadThatChoosesItsBoxes) {
  constexpr int64_t kAnchors = 60, kClasses = 6, kChosen = 9;
  OnnxBuilder model(18);
  const OnnxValue x = model.Input("x", {1, 4 + kClasses, kAnchors});
  const auto parts = x.Split({4, kClasses}, 1);
  const OnnxValue hundred = model.Initializer("hundred", {}, std::vector<float>{100});
  const auto all =
      parts[0].Mul(hundred).Concat(parts[1], 1).Transpose({0, 2, 1}).Split({4, kClasses}, 2);
  const OnnxValue best = TopK(model, all[1], 1, 2)[0].Reshape({1, kAnchors});
  const OnnxValue anchors = TopK(model, best, kChosen, 1)[1].Reshape({1, kChosen, 1});
  const OnnxValue rows = anchors.Op("Tile", {}, {IntsOf(model, {1, 1, kClasses})});
  const OnnxValue candidates =
      all[1].Op("GatherElements", {{"axis", Int(1)}}, {rows.name()}).Reshape({1, -1});
  const auto pairs = TopK(model, candidates, kChosen, 1);
  const OnnxValue classes = model.Initializer("classes", {}, Dims{kClasses});
  const OnnxValue anchor = anchors.Reshape({kChosen, 1})
                               .Op("Gather", {{"axis", Int(0)}}, {pairs[1].Div(classes).name()});
  const OnnxValue repeated = anchor.Op("Tile", {}, {IntsOf(model, {1, 1, 4})});
  const OnnxValue boxes = all[0].Op("GatherElements", {{"axis", Int(1)}}, {repeated.name()});
  const OnnxValue cls = pairs[1]
                            .Op("Mod", {}, {classes.name()})
                            .Reshape({1, kChosen, 1})
                            .Op("Cast", {{"to", Int(1)}});
  const OnnxValue scores = pairs[0].Reshape({1, kChosen, 1});
  boxes.Concat(scores, 2).Concat(cls, 2).Output("y");
  const PlanOutputs out = RunPlans(model);
  ASSERT_EQ(out.fp16[0].size(), static_cast<size_t>(6 * kChosen));
  for (size_t i = 0; i < out.expected[0].size(); ++i) {
    const double tolerance = i % 6 == 5 ? 0 : i % 6 == 4 ? 1e-3 : 0.1;
    EXPECT_NEAR(out.expected[0][i], out.fp16[0][i], tolerance) << "row " << i / 6;
  }
  // In int8 equal codes may choose others, but every number is of its kind and place.
  for (size_t i = 0; i < out.int8[0].size(); i += 6) {
    EXPECT_NEAR(out.expected[0][i + 4], out.int8[0][i + 4], 0.02);
    EXPECT_EQ(out.int8[0][i + 5], std::floor(out.int8[0][i + 5]));
    EXPECT_LT(out.int8[0][i + 5], kClasses);
  }
}

TEST(Moves, NonMaxSuppressionFillsTheRowsBehindWithMinusOne) {
  OnnxBuilder model(18);
  const OnnxValue scores = model.Input("x", {1, 2, 9});
  std::vector<float> corners;
  for (int i = 0; i < 9; ++i) {
    const auto at = static_cast<float>(i / 2);
    corners.insert(corners.end(), {at, at, at + 1, at + 1});
  }
  const OnnxValue boxes = model.Initializer("boxes", {1, 9, 4}, corners);
  const std::string most = IntsOf(model, {4});
  const std::string overlap = model.Initializer("o", {1}, std::vector<float>{0.5f}).name();
  const std::string least = model.Initializer("s", {1}, std::vector<float>{-0.2f}).name();
  model.Node("NonMaxSuppression", {boxes.name(), scores.name(), most, overlap, least})
      .Output("chosen");
  const PlanOutputs out = RunPlans(model);
  EXPECT_EQ(out.expected[0], out.fp16[0]);
  EXPECT_EQ(out.expected[0].size(), 24u);
}

TEST(Moves, MaxUnpoolAndOneHot) {
  ExpectMoves({1, 2, 2, 3}, [](OnnxBuilder& m, const OnnxValue& x) {
    const OnnxValue places =
        m.Initializer("places", {1, 2, 2, 3}, Dims{0, 3, 4, 13, 14, 17, 24, 26, 28, 37, 39, 47});
    return x.Op("MaxUnpool", {{"kernel_shape", Ints({2, 2})}, {"strides", Ints({2, 2})}},
                {places.name()});
  });
  OnnxBuilder model(18);
  const OnnxValue x = Source(model, {3, 5});
  const auto top = TopK(model, x, 2, 1);
  const OnnxValue values = model.Initializer("values", {2}, std::vector<float>{-1, 2});
  top[1].Op("OneHot", {{"axis", Int(1)}}, {IntsOf(model, {5}), values.name()}).Output("y");
  const PlanOutputs out = RunPlans(model);
  EXPECT_LE(RelativeError(out.expected[0], out.fp16[0]), kHalf);
}

TEST(Moves, RefusesWhatIsNotConstant) {
  const auto refusal = [](const auto& build) -> std::string {
    OnnxBuilder model(18);
    build(model, model.Input("x", {1, 4, 4, 4})).Output("y");
    try {
      RunPlans(model);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const auto computed = [](const OnnxValue& x) { return x.ReduceMean({0, 1, 2, 3}, false); };
  const std::string slice = refusal([&](OnnxBuilder& m, const OnnxValue& x) {
    const OnnxValue start = computed(x).Op("Cast", {{"to", Int(7)}}).Reshape({1});
    return x.Op("Slice", {}, {start.name(), IntsOf(m, {4}), IntsOf(m, {1})});
  });
  for (const char* fact : {"'node_Slice_8' (Slice)", "starts", "input 1, 'Reshape_5'", "--cut-at",
                           "(inputs: [1,4,4,4], [1], [1], [1])"}) {
    EXPECT_NE(slice.find(fact), std::string::npos) << fact << " is not in " << slice;
  }
  const std::string pad = refusal([&](OnnxBuilder& m, const OnnxValue& x) {
    return x.Op("Pad", {}, {IntsOf(m, {0, 0, 1, 1, 0, 0, 1, 1}), computed(x).name()});
  });
  EXPECT_NE(pad.find("'node_Pad_4' (Pad): its value must be one constant"), std::string::npos)
      << pad;
}

}  // namespace
}  // namespace octet::test
