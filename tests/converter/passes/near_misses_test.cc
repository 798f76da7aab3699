// Graphs that look much like what a pass is for: it leaves them alone.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/converter/passes/net.h"

namespace octet::passes::testing {
namespace {

struct NearMiss {
  const char* pass;
  std::function<void(Net&)> build;
};

// Clip(x, low, high) * factor.
ValueId Share(Net& net, ValueId x, float low, float high, float factor) {
  return net.Op("Mul",
                {net.Op("Clip", {x, net.Scalar(low), net.Scalar(high)}), net.Scalar(factor)});
}

void Activate(Net& net) {
  net.graph.nodes.back().activation = "Relu";
}

std::vector<NearMiss> NearMisses() {
  return {
      {"recognise_hard_sigmoid",
       [](Net& net) { net.Output(Share(net, net.Op("Neg", {net.Input({4})}), 0, 6, 1.0f / 6)); }},
      {"recognise_hard_sigmoid",
       [](Net& net) {
         const ValueId sum = net.Op("Add", {net.Input({4}), net.Scalar(3)});
         net.Output(Share(net, sum, -1, 6, 1.0f / 6));
       }},
      {"recognise_hard_sigmoid",
       [](Net& net) {
         const ValueId x = net.Op("Neg", {net.Input({4})});
         net.Output(net.Op("Clip", {x, net.Scalar(0), net.Scalar(1)}));
       }},
      {"recognise_hard_sigmoid",
       [](Net& net) {
         const ValueId sum = net.Op("Add", {net.Op("Neg", {net.Input({4})}), net.Scalar(0.5f)});
         net.Output(net.Op("Clip", {sum, net.Scalar(0), net.Scalar(1)}));
       }},
      {"recognise_hard_swish",
       [](Net& net) {
         const ValueId x = net.Input({4});
         const ValueId sum = net.Op("Add", {x, net.Scalar(3)});
         net.Output(net.Op("Mul", {x, Share(net, sum, -1, 6, 1.0f / 6)}));
       }},
      {"recognise_gelu",
       [](Net& net) {
         const ValueId both = net.Op("Mul", {net.Input({4}), net.Input({4}, "y")});
         net.Output(net.Op("Mul", {both, net.Scalar(0.5f)}));
       }},
      {"recognise_gelu",
       [](Net& net) {
         const ValueId x = net.Input({4});
         const ValueId inner = net.Op("Erf", {net.Op("Mul", {x, net.Scalar(0.5f)})});
         const ValueId gate = net.Op("Add", {inner, net.Scalar(1)});
         net.Output(net.Op("Mul", {net.Op("Mul", {x, gate}), net.Scalar(0.5f)}));
       }},
      {"recognise_reduce_l2",
       [](Net& net) {
         const ValueId x = net.Input({2, 4});
         const ValueId square = net.Op("Mul", {x, x});
         net.Output(square);
         net.Output(net.Op("Sqrt", {net.Op("ReduceSum", {square, net.Integers({1})})}));
       }},
      {"recognise_reduce_l2",
       [](Net& net) {
         const ValueId x = net.Input({2, 4});
         const ValueId square = net.Op("Mul", {x, x});
         Activate(net);
         net.Output(net.Op("Sqrt", {net.Op("ReduceSum", {square, net.Integers({1})})}));
       }},
      {"gather_elements_to_gather",
       [](Net& net) {
         const ValueId places = net.Op("Expand", {net.Integers({1, 0, 1}), net.Integers({2, 3})});
         net.Output(net.Op("GatherElements", {net.Input({2, 3}), places}));
       }},
      {"conv_transpose_to_conv",
       [](Net& net) {
         net.Output(net.Op("ConvTranspose", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 2, 2})}));
         Activate(net);
       }},
      {"fold_batch_norm_after",
       [](Net& net) {
         const ValueId y = net.Op("Conv", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 1, 1})});
         Activate(net);
         net.Output(net.Norm(y, 2));
       }},
      {"fold_batch_norm_after",
       [](Net& net) {
         const ValueId y = net.Op(
             "Conv", {net.Input({1, 2, 4, 4}), net.Random({2, 2, 1, 1}), net.Input({2}, "bias")});
         net.Output(net.Norm(y, 2));
       }},
      {"split_einsum",
       [](Net& net) {
         net.Output(net.Op("Einsum", {net.Input({2, 3}), net.Random({3, 4}), net.Random({4, 2})},
                           {{"equation", std::string("ij,jk,kl->il")}}));
       }},
  };
}

TEST(NearMisses, AreLeftAlone) {
  for (const NearMiss& one : NearMisses()) {
    Net net;
    one.build(net);
    const std::string before = net.Ops();
    EXPECT_EQ(RunPass(net, one.pass, 0), before);
  }
}

TEST(NearMisses, OfTheFirstAxis) {
  Net slice;
  const ValueId joined = slice.Op(
      "Concat",
      {slice.Op("Neg", {slice.Input({2, 3})}), slice.Op("Abs", {slice.Input({1, 3}, "y")})},
      {{"axis", int64_t{0}}});
  slice.Output(slice.Op("Slice", {joined, slice.Integers({0}), slice.Integers({2})}));
  slice.Output(slice.Op("Slice", {joined, slice.Integers({2}), slice.Integers({3})}));
  EXPECT_EQ(RunPass(slice, "slice_of_concat", 2), "Neg Abs Concat Slice Slice");
  Net hot;
  hot.Output(hot.Op("OneHot", {hot.Input({3}), hot.Integers({2}), hot.Floats({2}, {-1, 4})},
                    {{"axis", int64_t{0}}}));
  EXPECT_EQ(RunPass(hot, "one_hot_to_where", 1), "Cast Reshape Equal Equal Or Slice Slice Where");
  Net gemm;
  gemm.Output(gemm.Op("Gemm", {gemm.Input({2, 3}), gemm.Input({3, 4}, "w"), gemm.Input({4}, "b")},
                      {{"alpha", 2.0f}, {"beta", 0.5f}}));
  EXPECT_EQ(RunPass(gemm, "split_computed_gemm", 1), "MatMul Mul Mul Add");
}

}  // namespace
}  // namespace octet::passes::testing
