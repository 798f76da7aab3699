// RNN, GRU, LSTM: activations by name, and what is refused, by name and with a way out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "converter/operators/recurrent.h"
#include "converter/support/error.h"
#include "tests/converter/operators/list_support.h"

namespace octet::operators {
namespace {

using list::Dense;

Dense Filled(const graph::Shape& shape, double value) {
  return list::Make(shape, [value](const list::Index&) { return value; });
}

// One step of one channel: x = 0.5, W = 1, R = 0.
std::vector<Dense> Small(int64_t gates) {
  return {Filled({1, 1, 1}, 0.5), Filled({1, gates, 1}, 1).Constant(),
          Filled({1, gates, 1}, 0).Constant()};
}

double RnnOf(const std::string& activations, std::vector<float> alphas = {},
             std::vector<float> betas = {}) {
  list::Attributes attributes{{"activations", activations}};
  if (!alphas.empty()) attributes["activation_alpha"] = alphas;
  if (!betas.empty()) attributes["activation_beta"] = betas;
  return list::Run("RNN", Small(1), attributes)[0].values[0];
}

TEST(Recurrent, ActivationsHaveTheirParameters) {
  EXPECT_NEAR(RnnOf("Tanh\n"), std::tanh(0.5), 1e-6);
  EXPECT_NEAR(RnnOf("tanh\n"), std::tanh(0.5), 1e-6);
  EXPECT_NEAR(RnnOf("HardSigmoid\n"), 0.6, 1e-6);
  EXPECT_NEAR(RnnOf("hardsigmoid\n", {0.5f}, {0.25f}), 0.5, 1e-6);
  EXPECT_NEAR(RnnOf("Affine\n", {3}, {1}), 2.5, 1e-6);
  EXPECT_NEAR(RnnOf("ScaledTanh\n", {2}, {3}), 2 * std::tanh(1.5), 1e-6);
  EXPECT_NEAR(RnnOf("LeakyRelu\n"), 0.5, 1e-6);
  EXPECT_NEAR(RnnOf("ThresholdedRelu\n", {0.75f}), 0, 1e-6);
  EXPECT_NEAR(RnnOf("Softsign\n"), 0.5 / 1.5, 1e-6);
  EXPECT_NEAR(RnnOf("Softplus\n"), std::log1p(std::exp(0.5)), 1e-6);
  EXPECT_NEAR(RnnOf("Elu\n"), 0.5, 1e-6);
}

// Lists of parameters have no entry for functions without any.
TEST(Recurrent, ParametersGoToWhoHasSome) {
  graph::Node node;
  node.op = "LSTM";
  node.attributes["activations"] = std::string("Sigmoid\nAffine\nHardSigmoid\n");
  node.attributes["activation_alpha"] = std::vector<float>{2, 0.3f};
  node.attributes["activation_beta"] = std::vector<float>{0.1f, 0.4f};
  const Recurrent recurrent = RecurrentOf(node);
  ASSERT_EQ(recurrent.functions.size(), 3u);
  EXPECT_EQ(recurrent.functions[1].alpha, 2);
  EXPECT_EQ(recurrent.functions[1].beta, 0.1f);
  EXPECT_EQ(recurrent.functions[2].alpha, 0.3f);
  EXPECT_EQ(recurrent.functions[2].beta, 0.4f);
}

std::string Refused(const std::string& op, const std::vector<Dense>& inputs,
                    const list::Attributes& attributes) {
  try {
    list::Run(op, inputs, attributes);
  } catch (const UserError& error) {
    return error.what();
  }
  return "accepted";
}

void ExpectRefusal(const std::string& got, const std::string& part) {
  EXPECT_NE(got.find(part), std::string::npos) << got;
  EXPECT_EQ(got.find('\n'), std::string::npos) << got;
}

TEST(Recurrent, RefusesWhatItCannotRead) {
  ExpectRefusal(Refused("RNN", Small(1), {{"activations", std::string("Mystery\n")}}),
                "its activation 'Mystery' is not supported; export the model with one of Affine");
  ExpectRefusal(Refused("GRU", Small(3), {{"activations", std::string("Sigmoid\n")}}),
                "it has 1 activations in place of 2; export the model again");
  ExpectRefusal(Refused("RNN", Small(1), {{"direction", std::string("upwards")}}),
                "its direction 'upwards' is none of forward, reverse, bidirectional");
  ExpectRefusal(Refused("RNN", Small(1), {{"clip", -1.0f}}), "its clip -1 is below 0");
  ExpectRefusal(Refused("LSTM", Small(3), {}), "W must have shape [1,4,1]");
  ExpectRefusal(Refused("RNN", Small(1), {{"hidden_size", int64_t{2}}}),
                "its hidden_size is 2, but R has 1 columns");
  std::vector<Dense> inputs = Small(1);
  inputs.push_back(Filled({1, 3}, 0).Constant());
  ExpectRefusal(Refused("RNN", inputs, {}), "B must have shape [1,2]");
}

// What a cell keeps lies in [-1, 1] if its functions say so, of both directions.
TEST(Recurrent, StatesWithinOne) {
  struct Row {
    const char *op, *activations;
    bool within;
  };
  for (const Row& row :
       {Row{"RNN", "Tanh\n", true}, Row{"RNN", "Sigmoid\n", true},
        Row{"RNN", "HardSigmoid\n", true}, Row{"RNN", "Softsign\n", true},
        Row{"RNN", "Relu\n", false}, Row{"RNN", "Tanh\nTanh\n", true},
        Row{"RNN", "Tanh\nRelu\n", false}, Row{"GRU", "Sigmoid\nTanh\n", true},
        Row{"GRU", "HardSigmoid\nSoftsign\n", true},
        Row{"GRU", "Tanh\nTanh\n", false},  // a gate below 0
        Row{"GRU", "Sigmoid\nRelu\n", false}, Row{"LSTM", "Sigmoid\nRelu\nTanh\n", true},
        Row{"LSTM", "Sigmoid\nTanh\nRelu\n", false}, Row{"LSTM", "Relu\nTanh\nTanh\n", false}}) {
    graph::Node node;
    node.op = row.op;
    const std::string functions = row.activations;
    node.attributes["activations"] = functions;
    const bool both = node.op == "RNN" && std::count(functions.begin(), functions.end(), '\n') == 2;
    if (both) node.attributes["direction"] = std::string("bidirectional");
    EXPECT_EQ(HasUnitStates(RecurrentOf(node)), row.within) << row.op << " " << row.activations;
  }
}

}  // namespace
}  // namespace octet::operators
