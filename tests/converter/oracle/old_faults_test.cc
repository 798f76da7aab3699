// The oracle proves itself: faults that passes once had are put back, one at a time, and it has to
// accuse the pass that has the fault before any other.
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "converter/operators/output_view.h"
#include "converter/passes/late_passes.h"
#include "converter/passes/passes.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/converter/oracle/cases.h"
#include "tests/converter/oracle/oracle.h"
#include "tests/converter/oracle/random_qdq.h"

namespace octet::test {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;

constexpr uint64_t kSeeds = 40;  // random Q/DQ graphs from 1 on

// One of the converter's passes on a graph that `spoil` has changed; nothing happens where the pass
// then has nothing to do.
template <typename Spoil>
int RunOn(std::string_view pass, Graph& graph, const Spoil& spoil) {
  Graph tried = graph;
  spoil(tried);
  const int rewrites = passes::FindPass(pass)->run(tried);
  if (rewrites != 0) graph = std::move(tried);
  return rewrites;
}

bool IsOneOf(const std::string& op, std::initializer_list<std::string_view> operators) {
  return std::find(operators.begin(), operators.end(), op) != operators.end();
}

// The only node that reads a value; null where there are others.
Node* OnlyReader(Graph& graph, ValueId id) {
  const std::vector<int> readers = graph.Consumers(id);
  const bool only = readers.size() == 1 && !graph.IsOutput(id);
  return only ? &graph.nodes[static_cast<size_t>(readers[0])] : nullptr;
}

// Ranges given for the results of some operators that some others read are dropped, with the codes
// and with the Clip that stands for them.
void Forget(Graph& graph, std::initializer_list<std::string_view> producers,
            std::initializer_list<std::string_view> readers) {
  std::vector<bool> remove(graph.nodes.size(), false);
  for (const Node& node : graph.nodes) {
    if (!IsOneOf(node.op, producers)) continue;
    graph::Value& result = graph.At(node.outputs[0]);
    Node* reader = OnlyReader(graph, node.outputs[0]);
    if (reader == nullptr) continue;
    if (reader->op == "Clip" && graph.At(reader->outputs[0]).given) {
      Node* behind = OnlyReader(graph, reader->outputs[0]);
      if (behind == nullptr || !IsOneOf(behind->op, readers)) continue;
      std::replace(behind->inputs.begin(), behind->inputs.end(), reader->outputs[0],
                   node.outputs[0]);
      remove[static_cast<size_t>(reader - graph.nodes.data())] = true;
    } else if (IsOneOf(reader->op, readers)) {
      result.given = graph::GivenCodes();
    }
  }
  graph.RemoveNodes(remove);
}

int ForgetsBatchNormBefore(Graph& graph) {
  return RunOn("fold_batch_norm_before", graph, [](Graph& g) {
    Forget(g, {"BatchNormalization"}, {"Conv", "Gemm"});
  });
}

int ForgetsBatchNormAfter(Graph& graph) {
  return RunOn("fold_batch_norm_after", graph, [](Graph& g) {
    Forget(g, {"Conv", "Gemm"}, {"BatchNormalization"});
  });
}

int ForgetsScaleBefore(Graph& graph) {
  return RunOn("fold_scale_before", graph, [](Graph& g) {
    Forget(g, {"Mul", "Add"}, {"Conv", "Gemm"});
  });
}

int ForgetsBeforeActivation(Graph& graph) {
  return RunOn("fuse_activation", graph, [](Graph& g) {
    Forget(g, {"Conv", "ConvTranspose", "Gemm", "Add", "Mul"}, {"Relu", "Clip"});
  });
}

// Every Clip to the range of its result's codes goes, whatever is in front of it.
int RemovesEveryImpliedClip(Graph& graph) {
  std::vector<bool> remove(graph.nodes.size(), false);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    if (node.op != "Clip" || !graph.At(node.outputs[0]).given) continue;
    const int producer = graph.Producer(node.inputs[0]);
    if (producer < 0 || graph.IsOutput(node.inputs[0]) ||
        graph.Consumers(node.inputs[0]).size() != 1 || remove[static_cast<size_t>(producer)]) {
      continue;
    }
    Node& layer = graph.nodes[static_cast<size_t>(producer)];
    if (layer.outputs.size() != 1) continue;
    layer.outputs[0] = node.outputs[0];
    remove[n] = true;
  }
  const auto removed = static_cast<int>(std::count(remove.begin(), remove.end(), true));
  graph.RemoveNodes(remove);
  return removed;
}

// Weights of the convolutions that transposed ones become, changed by `spoil`.
template <typename Spoil>
int SpoilPhases(Graph& graph, const Spoil& spoil) {
  std::map<std::string, int64_t> outputs;  // of each transposed convolution, by name
  for (const Node& node : graph.nodes) {
    const graph::Tensor* weights =
        node.op == "ConvTranspose" ? graph.Constant(node.inputs[1]) : nullptr;
    if (weights != nullptr) outputs[node.name] = weights->shape[1] * node.Int("group", 1);
  }
  const int rewrites = passes::FindPass("conv_transpose_to_conv")->run(graph);
  for (const Node& node : graph.nodes) {
    const auto found = outputs.find(node.name);
    if (node.op != "Conv" || found == outputs.end()) continue;
    graph::Constant& weights = graph.At(node.inputs[1]).constant;
    if (weights.codes() != nullptr) weights = spoil(weights, found->second);
  }
  return rewrites;
}

// As many scales as the transposed convolution has outputs; the convolution has one for each phase
// of each output, and reads what lies behind the list.
int ReadsBeyondScales(Graph& graph) {
  return SpoilPhases(graph, [](const graph::Constant& weights, int64_t outputs) {
    constexpr float kBehind = 0.5f;
    graph::Codes codes = *weights.codes();
    const std::vector<float> right = codes.scales;
    for (size_t o = static_cast<size_t>(outputs); o < right.size(); ++o) codes.scales[o] = kBehind;
    const std::vector<size_t> of = codes.ScaleOfElements();
    for (size_t i = 0; i < of.size(); ++i) {
      if (right[of[i]] > 0) codes.data.floats[i] *= codes.scales[of[i]] / right[of[i]];
    }
    return graph::Constant::Coded(std::move(codes));
  });
}

// The right weights beside the scales of the list in front: codes that say something else.
int KeepsScalesOfAnotherAxis(Graph& graph) {
  return SpoilPhases(graph, [](const graph::Constant& weights, int64_t) {
    graph::Codes codes = *weights.codes();
    std::rotate(codes.scales.begin(), codes.scales.begin() + 1, codes.scales.end());
    return codes.scales.size() == 1 ? weights : graph::Constant::Coded(std::move(codes));
  });
}

// Learned clipping: codes of uint8 from 0 on, whose end is inside of what the layer gives.
OnnxValue Rounded(OnnxBuilder& model, const OnnxValue& real) {
  const std::string scale =
      model.Initializer(model.Unique("scale"), Dims{}, std::vector<float>{0.004f}).name();
  return real.Op("QuantizeLinear", {}, {scale})
      .Op("DequantizeLinear", {}, {scale})
      .WithChannels(real.channels());
}

OnnxValue Picture(OnnxBuilder& model) {
  return model.Input("x", {1, 4, 6, 6}).WithChannels(4);
}

void NormBeforeLayer(OnnxBuilder& model) {
  Rounded(model, Picture(model).BatchNorm()).Conv({.channels = 5}).Output("y");
}

void NormAfterLayer(OnnxBuilder& model) {
  Rounded(model, Picture(model).Conv({.channels = 5})).BatchNorm().Output("y");
}

void FactorBeforeLayer(OnnxBuilder& model) {
  const std::string factor = model.Random("factor", {4, 1, 1}, 1).name();
  Rounded(model, Picture(model).Op("Mul", {}, {factor}).WithChannels(4))
      .Conv({.channels = 5})
      .Output("y");
}

void ReluAfterLayer(OnnxBuilder& model) {
  Rounded(model, Picture(model).Conv({.channels = 5})).Relu().Output("y");
}

struct Fault {
  const char* name;
  const char* pass;  // that has it
  int (*run)(Graph& graph);
  void (*build)(OnnxBuilder& model);  // a graph that shows it; null: random ones do
};

constexpr Fault kFaults[] = {
    {"ReadsBeyondScales", "conv_transpose_to_conv", &ReadsBeyondScales, nullptr},
    {"KeepsScalesOfAnotherAxis", "conv_transpose_to_conv", &KeepsScalesOfAnotherAxis, nullptr},
    {"RemovesEveryImpliedClip", "remove_implied_clip", &RemovesEveryImpliedClip, nullptr},
    {"ForgetsBatchNormBefore", "fold_batch_norm_before", &ForgetsBatchNormBefore, &NormBeforeLayer},
    {"ForgetsBatchNormAfter", "fold_batch_norm_after", &ForgetsBatchNormAfter, &NormAfterLayer},
    {"ForgetsScaleBefore", "fold_scale_before", &ForgetsScaleBefore, &FactorBeforeLayer},
    {"ForgetsBeforeActivation", "fuse_activation", &ForgetsBeforeActivation, &ReluAfterLayer},
};

// The converter's passes, one of them with the fault.
std::vector<passes::Pass> PassesWith(const Fault& fault) {
  const auto own = passes::AllPasses();
  std::vector<passes::Pass> list(own.begin(), own.end());
  for (passes::Pass& pass : list) {
    if (pass.name == fault.pass) pass.run = fault.run;
  }
  return list;
}

std::vector<OracleCase> CasesOf(const Fault& fault) {
  std::vector<OracleCase> cases;
  if (fault.build != nullptr) {
    OnnxBuilder model;
    fault.build(model);
    cases.push_back(MakeCase(fault.name, model));
    return cases;
  }
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    cases.push_back(MakeCase("seed " + std::to_string(seed), RandomQdq(seed).model()));
  }
  return cases;
}

class OldFaults : public testing::TestWithParam<Fault> {};

TEST_P(OldFaults, AccuseTheirPass) {
  const Fault& fault = GetParam();
  ASSERT_NE(passes::FindPass(fault.pass), nullptr);
  const std::vector<passes::Pass> list = PassesWith(fault);
  int accused = 0;
  for (const OracleCase& one : CasesOf(fault)) {
    EXPECT_TRUE(fault.build == nullptr || Judge(one.graph, one.samples).findings.empty());
    const Judgement judgement = Judge(one.graph, one.samples, list, {});
    if (judgement.findings.empty()) continue;
    // What follows the fault may be accused as well: it reads a graph that says something else.
    const Finding& finding = judgement.findings.front();
    EXPECT_EQ(finding.pass, fault.pass) << one.name << ": " << finding.text;
    if (accused++ == 0) std::cout << fault.pass << ": " << one.name << ": " << finding.text << '\n';
  }
  EXPECT_GT(accused, 0);
  std::cout << accused << " graphs accuse " << fault.pass << '\n';
}

INSTANTIATE_TEST_SUITE_P(Passes, OldFaults, testing::ValuesIn(kFaults),
                         [](const testing::TestParamInfo<Fault>& info) {
                           return std::string(info.param.name);
                         });

// Late passes that leave out what undoes them.
int EqualizesWithoutBiases(graph::Graph& graph, const passes::Guidance& guidance) {
  const graph::Graph before = graph;
  const int equalized = passes::RunLate("equalize", graph, guidance);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].inputs.size() > 2) graph.nodes[n].inputs[2] = before.nodes[n].inputs[2];
  }
  return equalized;
}

int SmoothsWithoutMatrices(graph::Graph& graph, const passes::Guidance& guidance) {
  const graph::Graph before = graph;
  const int smoothed = passes::RunLate("smooth_norms", graph, guidance);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    if (graph.nodes[n].op == "Gemm") graph.nodes[n].inputs[1] = before.nodes[n].inputs[1];
  }
  return smoothed;
}

int TakesAndAddsNothing(graph::Graph& graph, const passes::Guidance& guidance) {
  const int taken = passes::RunLate("take_constants", graph, guidance);
  for (graph::Node& node : graph.nodes) {
    if (!node.Has(operators::kIsOutputOffset)) continue;
    node.inputs[1] = graph.AddConstant("nothing", graph::Tensor::Floats({}, {0}));
  }
  return taken;
}

struct LateFault {
  const char* pass;
  int (*run)(graph::Graph& graph, const passes::Guidance& guidance);
};

constexpr LateFault kLateFaults[] = {{"equalize", &EqualizesWithoutBiases},
                                     {"smooth_norms", &SmoothsWithoutMatrices},
                                     {"take_constants", &TakesAndAddsNothing}};

TEST(LateFaults, AccuseTheirPass) {
  for (const LateFault& fault : kLateFaults) {
    const auto own = passes::LatePasses();
    std::vector<passes::LatePass> list(own.begin(), own.end());
    for (passes::LatePass& pass : list) {
      if (pass.name == fault.pass) pass.run = fault.run;
    }
    int accused = 0;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const RandomGraph graph(RandomGraph::kAttentionSeeds + seed);
      const OracleCase one = MakeCase("seed " + std::to_string(seed), graph.model());
      const Judgement judgement = Judge(one.graph, one.samples, passes::AllPasses(), list);
      if (judgement.findings.empty()) continue;
      EXPECT_EQ(judgement.findings.front().pass, fault.pass) << one.name;
      ++accused;
    }
    EXPECT_GT(accused, 0) << fault.pass;
    std::cout << accused << " graphs accuse " << fault.pass << '\n';
  }
}

}  // namespace
}  // namespace octet::test
