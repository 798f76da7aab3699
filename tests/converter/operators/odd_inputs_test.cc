// Every operator on odd constants: it computes something or throws one UserError; a sanitizer sees
// the rest.
#include "tests/converter/operators/odd_inputs.h"

namespace octet::operators {
namespace {

constexpr int kRounds = 500;  // of each operator

TEST(OddInputs, AreComputedOrRefused) {
  Random random(1);
  int computed = 0, refused = 0;
  for (const std::string_view op : Names()) {
    for (int round = 0; round < kRounds; ++round) {
      Inputs inputs(random() % 5);
      for (auto& input : inputs) {
        if (random() % 8 != 0) input = OddTensor(random);
        if (random() % 2 == 0) input = inputs[0];
      }
      graph::Graph graph =
          OneNode(std::string(op), inputs, OddAttributes(random), 1 + random() % 2);
      SCOPED_TRACE(testing::Message() << op << ", round " << round);
      try {
        InferShapes(graph);
        ++computed;
      } catch (const UserError&) {
        ++refused;
      }
    }
  }
  std::printf("%d computed, %d refused\n", computed, refused);
  EXPECT_GT(computed, refused / 40);
}

}  // namespace
}  // namespace octet::operators
