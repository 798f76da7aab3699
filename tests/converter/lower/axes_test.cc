// Operators over axes through the whole converter, on every instruction set: int8 bytes and FP16
// bits alike, values close to those of the FP32 executor.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "converter/executor/executor.h"
#include "converter/support/error.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

constexpr int64_t kSamples = 4;

std::vector<float> RunPlan(const Converted& converted, octet_isa isa, uint32_t threads,
                           uint32_t plan, const std::vector<float>& input) {
  TestSession session(converted.blob, {.isa = isa, .threads = threads});
  EXPECT_EQ(session.status().code, OCTET_OK) << octet_code_name(session.status().code);
  if (session.status().code != OCTET_OK) return {};
  octet_set_plan(session.get(), plan);
  session.SetInput(0, input);
  octet_run(session.get());
  session.ExpectGuardsIntact();
  return session.Output(0);
}

double SnrDb(const std::vector<float>& expected, const std::vector<float>& actual) {
  if (expected.size() != actual.size()) return -999;
  double signal = 1e-12, noise = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double difference = static_cast<double>(actual[i]) - expected[i];
    signal += static_cast<double>(expected[i]) * expected[i];
    noise += difference * difference;
  }
  return 10 * std::log10(signal / std::max(noise, signal * 1e-12));
}

// `least_int8_db` below 0: the int8 plan is not compared with FP32 (indices, one-hot).
void Check(const std::string& what, const Dims& input,
           const std::function<OnnxValue(OnnxBuilder&, const OnnxValue&)>& body,
           double least_int8_db = 20, double least_fp16_db = 45, int64_t opset = 17) {
  SCOPED_TRACE(what);
  OnnxBuilder model(opset);
  body(model, model.Input("x", input)).Output("y");
  const Converted converted = ConvertInProcess(model, 1, kSamples);
  executor::Executor fp32(converted.original);
  const graph::Tensor x = converted.data[0].Load(0);
  const graph::Tensor y = fp32.Run({x})[0];
  std::vector<float> expected = y.floats;
  if (!y.IsFloat()) expected.assign(y.integers.begin(), y.integers.end());
  for (const uint32_t plan : {0u, 1u}) {
    const std::vector<float> reference = RunPlan(converted, OCTET_ISA_REFERENCE, 1, plan, x.floats);
    for (const octet_isa isa : RunnableLevels()) {
      const std::vector<float> same = RunPlan(converted, isa, 3, plan, x.floats);
      if (plan == 0) {
        EXPECT_EQ(reference, same) << octet_isa_name(isa);
      }
    }
    const double least = plan == 0 ? least_int8_db : least_fp16_db;
    if (least >= 0) {
      EXPECT_GE(SnrDb(expected, reference), least) << "plan " << plan;
    }
  }
}

std::string Floats(OnnxBuilder& model, const Dims& shape, float deviation = 1) {
  return model.Random(model.Unique("p"), shape, deviation).name();
}
std::string Integers(OnnxBuilder& model, const Dims& values) {
  return model.Initializer(model.Unique("i"), {static_cast<int64_t>(values.size())}, values).name();
}
std::string Integer(OnnxBuilder& model, int64_t value) {
  return model.Initializer(model.Unique("i"), {}, Dims{value}).name();
}

TEST(MatMulThroughTheConverter, Attention) {
  // Query, key and value are pieces of one convolution, as YOLO's attention has them.
  Check("attention", {1, 8, 5, 6}, [](OnnxBuilder& model, const OnnxValue& x) {
    const OnnxValue qkv = x.WithChannels(8).Conv({.channels = 2 * 24, .kernel = 1});
    const auto parts = qkv.Reshape({1, 2, 24, 30}).Split({8, 8, 8}, 2);
    const OnnxValue scores =
        model.Node("MatMul", {parts[0].Transpose({0, 1, 3, 2}).name(), parts[1].name()});
    const OnnxValue weights = scores.Softmax(-1).Transpose({0, 1, 3, 2});
    return model.Node("MatMul", {parts[2].name(), weights.name()}).Reshape({1, 16, 5, 6});
  });
  Check("image layouts as they stand", {1, 6, 4, 4}, [](OnnxBuilder& model, const OnnxValue& x) {
    const OnnxValue a = x.WithChannels(6).Conv({.channels = 3, .kernel = 1});
    const OnnxValue b = x.WithChannels(6).Conv({.channels = 3, .kernel = 1});
    return model.Node("MatMul", {a.name(), b.name()});
  });
  Check("broadcast batches", {2, 1, 3, 4}, [](OnnxBuilder& model, const OnnxValue& x) {
    return model.Node("MatMul", {x.name(), Floats(model, {5, 4, 6})});
  });
  Check("vectors", {1, 7}, [](OnnxBuilder& model, const OnnxValue& x) {
    const OnnxValue row = x.Reshape({7});
    const OnnxValue matrix = model.Node("MatMul", {Floats(model, {3, 5, 7}), row.name()});
    return model.Node("MatMul", {matrix.name(), matrix.Transpose({1, 0}).name()});
  });
  Check("Gemm of two computed matrices", {4, 6}, [](OnnxBuilder& model, const OnnxValue& x) {
    const OnnxValue turned = x.Op("Tanh");
    return model.Node("Gemm", {x.name(), turned.name(), Floats(model, {4})},
                      {{"transB", Int(1)}, {"alpha", 0.5f}, {"beta", 2.0f}});
  });
}

TEST(EinsumThroughTheConverter, EveryKindOfEquation) {
  const auto one = [](const char* equation, const Dims& shape) {
    Check(equation, shape, [&](OnnxBuilder&, const OnnxValue& x) {
      return x.Op("Einsum", {{"equation", equation}});
    });
  };
  one("ij->ji", {3, 4});
  one("ijk->j", {2, 3, 4});
  one("bii->bi", {2, 4, 4});
  one("ij", {3, 4});
  const auto two = [](const char* equation, const Dims& a, const Dims& b) {
    Check(equation, a, [&](OnnxBuilder& model, const OnnxValue& x) {
      return x.Op("Einsum", {{"equation", equation}}, {Floats(model, b)});
    });
  };
  two("bhqd,bhkd->bhqk", {1, 2, 5, 4}, {1, 2, 6, 4});
  two("bqhd,bkhd->bhqk", {1, 5, 2, 4}, {1, 6, 2, 4});
  two("...ij,...jk->...ik", {2, 3, 4}, {4, 5});
  two("ij,k->kij", {2, 3}, {4});
  two("ij,ij->i", {3, 4}, {3, 4});
  two("ijk,kl->lj", {2, 3, 4}, {4, 5});
}

TEST(ReduceThroughTheConverter, EveryAxis) {
  for (const char* op : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceL1",
                         "ReduceL2", "ReduceSumSquare", "ReduceLogSumExp", "ReduceProd"}) {
    for (const int64_t keep : {0, 1}) {
      for (const Dims& axes : {Dims{1}, Dims{2, 3}, Dims{1, 3}, Dims{3}, Dims{1, 2, 3}}) {
        const bool product = op == std::string("ReduceProd");
        Check(
            std::string(op) + (keep != 0 ? " kept" : ""), {1, 5, 3, 4},
            [&](OnnxBuilder& model, const OnnxValue& x) {
              // An image in the arena; a mean of both signs may cancel to nothing.
              OnnxValue in = x.WithChannels(5).Conv({.channels = 5, .kernel = 1}).Sigmoid();
              if (product)
                in = in.Op("Add", {},
                           {model.Initializer("half", {}, std::vector<float>{0.5f}).name()});
              return in.Op(op, {{"keepdims", Int(keep)}}, {Integers(model, axes)});
            },
            20, 45, 18);
      }
    }
  }
}

// Whole numbers are summed and compared exactly, the same in both plans; other reductions of them
// are refused.
TEST(ReduceThroughTheConverter, Integers) {
  const auto whole = [](OnnxBuilder& model) {
    const OnnxValue factor = model.Initializer("f", {}, std::vector<float>{8.0f});
    return model.Input("x", {1, 5, 3, 4}).Mul(factor).Op("Cast", {{"to", Int(6)}});
  };
  for (const char* op : {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin"}) {
    SCOPED_TRACE(op);
    OnnxBuilder model(18);
    const OnnxValue in = whole(model);
    in.Output("in");
    in.Op(op, {{"keepdims", Int(0)}}, {Integers(model, {3})}).Output("y");
    const Converted converted = ConvertInProcess(model, 1, 2);
    for (const uint32_t plan : {0u, 1u}) {
      TestSession session(converted.blob, {});
      ASSERT_EQ(session.status().code, OCTET_OK);
      octet_set_plan(session.get(), plan);
      session.SetInput(0, converted.data[0].Load(0).floats);
      octet_run(session.get());
      const std::vector<float> values = session.Output(0), results = session.Output(1);
      ASSERT_EQ(results.size() * 4, values.size());
      for (size_t i = 0; i < results.size(); ++i) {
        const float* v = &values[4 * i];
        const float wanted = op == std::string("ReduceSum")    ? v[0] + v[1] + v[2] + v[3]
                             : op == std::string("ReduceProd") ? v[0] * v[1] * v[2] * v[3]
                             : op == std::string("ReduceMax")  ? *std::max_element(v, v + 4)
                                                               : *std::min_element(v, v + 4);
        EXPECT_EQ(results[i], wanted) << "plan " << plan << " element " << i;
      }
    }
  }
  for (const char* op : {"ReduceMean", "ReduceL1", "ReduceSumSquare", "ReduceLogSumExp"}) {
    OnnxBuilder model(18);
    whole(model).Op(op, {{"keepdims", Int(0)}}, {Integers(model, {3})}).Output("y");
    std::string line;
    try {
      ConvertInProcess(model, 1, 2);
    } catch (const UserError& error) {
      line = error.what();
    }
    EXPECT_NE(line.find("cannot run on integers; cast its input to float"), std::string::npos)
        << op << ": " << line;
  }
}

TEST(ReduceThroughTheConverter, Places) {
  for (const char* op : {"ArgMax", "ArgMin"}) {
    for (const int64_t axis : {1, 2, 3}) {
      Check(
          op, {1, 5, 3, 4},
          [&](OnnxBuilder&, const OnnxValue& x) {
            return x.Op(op, {{"axis", Int(axis)}, {"keepdims", Int(axis % 2)}});
          },
          -1);
    }
  }
  Check("CumSum", {1, 5, 3, 4}, [](OnnxBuilder& model, const OnnxValue& x) {
    return x.Op("CumSum", {{"reverse", Int(1)}}, {Integer(model, 1)});
  });
}

TEST(SoftmaxThroughTheConverter, EveryAxis) {
  for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
    const double int8 = op == std::string("Softmax") ? 20 : -1;
    for (const int64_t axis : {1, 2, 3}) {
      const auto image = [&](OnnxBuilder& model, const OnnxValue& x) {
        const std::string three = model.Initializer("three", {}, std::vector<float>{3.0f}).name();
        return x.Op("Mul", {}, {three}).Op(op, {{"axis", Int(axis)}});
      };
      Check(op, {1, 5, 3, 4}, image, int8);
      Check(std::string(op) + " of opset 11", {1, 5, 3, 4}, image, int8, 45, 11);
      Check(std::string(op) + " of five dimensions", {1, 2, 3, 4, 2}, image, int8);
    }
  }
}

// Rows along the last dimension of the arena are worth a transpose, other lines are taken as they
// lie: behind a convolution, an image.
TEST(SoftmaxThroughTheConverter, RowsForTheirKernels) {
  const struct {
    const char* op;
    int64_t axis;
    blob::Op layer;
    int transposes;
  } kCases[] = {
      {"Softmax", 1, blob::Op::kSoftmax, 0},        {"Softmax", 2, blob::Op::kAxisSoftmax, 0},
      {"Softmax", 3, blob::Op::kSoftmax, 2},        {"LogSoftmax", 1, blob::Op::kAxisSoftmax, 0},
      {"LogSoftmax", 2, blob::Op::kAxisSoftmax, 0}, {"LogSoftmax", 3, blob::Op::kAxisSoftmax, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(testing::Message() << c.op << " along " << c.axis);
    OnnxBuilder model;
    const OnnxValue image = model.Input("x", {1, 3, 4, 6}).Conv({.channels = 5, .kernel = 1});
    const OnnxValue soft = image.Op(c.op, {{"axis", Int(c.axis)}}).WithChannels(5);
    soft.Conv({.channels = 4, .kernel = 1}).Output("y");
    const Converted converted = ConvertInProcess(model, 1, 2);
    for (const uint32_t plan : {0u, 1u}) {
      int found = 0, transposes = 0;
      for (const lower::Layer& layer : converted.plans[plan].program.layers) {
        found += layer.op == c.layer;
        transposes += layer.op == blob::Op::kTranspose;
      }
      EXPECT_EQ(found, 1) << plan;
      EXPECT_EQ(transposes, c.transposes) << plan;
    }
  }
}

// Each channel of a convolution's result has its own size and lies in a place of its own, far from
// 0 in proportion; one is constant. One scale for all would leave the narrow ones a code or two.
TEST(NormalizeThroughTheConverter, ChannelsOfAConvolution) {
  const std::vector<float> sizes{1, 0.01f, 30, 0.1f, 0, 3}, places{-20, 0.2f, 100, 0, 5, 3},
      gains{1, 0.7f, 1.3f, -1, 1, 1}, ends{0.1f, -0.2f, 0, 0.3f, 0.5f, 0};
  Check(
      "InstanceNormalization", {1, 6, 9, 11},
      [&](OnnxBuilder& model, const OnnxValue& x) {
        const auto floats = [&](const Dims& shape, const std::vector<float>& values) {
          return model.Initializer(model.Unique("p"), shape, values).name();
        };
        return x.WithChannels(6)
            .Conv({.channels = 6, .kernel = 3, .pad = 1})
            .Op("Mul", {}, {floats({6, 1, 1}, sizes)})
            .Op("Add", {}, {floats({6, 1, 1}, places)})
            .Op("InstanceNormalization", {}, {floats({6}, gains), floats({6}, ends)});
      },
      27, 20);
}

TEST(NormalizeThroughTheConverter, EveryKind) {
  const auto parameters = [](OnnxBuilder& model, const Dims& shape) {
    return std::vector<std::string>{Floats(model, shape), Floats(model, shape, 0.3f)};
  };
  // Channels of different size and place, which is what there is to normalize.
  const auto spread = [](OnnxBuilder& model, const OnnxValue& x, int64_t channels) {
    return x.Op("Mul", {}, {Floats(model, {channels, 1, 1})})
        .Op("Add", {}, {Floats(model, {channels, 1, 1})});
  };
  Check("InstanceNormalization", {2, 6, 7, 5}, [&](OnnxBuilder& model, const OnnxValue& x) {
    return spread(model, x, 6).Op("InstanceNormalization", {}, parameters(model, {6}));
  });
  Check("InstanceNormalization of a line", {1, 6, 40}, [&](OnnxBuilder& model, const OnnxValue& x) {
    return x.Op("InstanceNormalization", {}, parameters(model, {6}));
  });
  for (const int64_t axis : {-1, 1, 2}) {
    const Dims shape = axis == -1 ? Dims{8} : axis == 2 ? Dims{5, 8} : Dims{6, 5, 8};
    Check("LayerNormalization", {1, 6, 5, 8}, [&](OnnxBuilder& model, const OnnxValue& x) {
      return x.WithChannels(6)
          .Conv({.channels = 6, .kernel = 1})
          .Op("LayerNormalization", {{"axis", Int(axis)}}, parameters(model, shape));
    });
  }
  Check(
      "GroupNormalization", {1, 6, 5, 4},
      [&](OnnxBuilder& model, const OnnxValue& x) {
        return spread(model, x, 6)
            .Op("GroupNormalization", {{"num_groups", Int(3)}}, parameters(model, {6}));
      },
      20, 45, 21);
  Check("MeanVarianceNormalization", {2, 6, 5, 4},
        [&](OnnxBuilder&, const OnnxValue& x) { return x.Op("MeanVarianceNormalization"); });
  Check("LpNormalization", {1, 6, 5, 4}, [&](OnnxBuilder&, const OnnxValue& x) {
    return x.Op("LpNormalization", {{"axis", Int(1)}, {"p", Int(1)}})
        .Op("LpNormalization", {{"axis", Int(2)}});
  });
  Check("LRN", {1, 6, 5, 4}, [&](OnnxBuilder&, const OnnxValue& x) {
    return x.Op("LRN", {{"size", Int(3)}, {"alpha", 0.5f}});
  });
}

}  // namespace
}  // namespace octet::test
