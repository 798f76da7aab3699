// The exported model says what the blob does: number by number, and by what it computes.
#include "converter/export/qdq.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include <onnx/onnx_pb.h>
#include <unistd.h>

#include "converter/executor/executor.h"
#include "converter/import/import.h"
#include "converter/operators/operator.h"
#include "converter/support/error.h"
#include "tests/converter/lower/convert_in_process.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

using Values = std::vector<std::vector<float>>;

BlobView ViewOf(const Converted& converted) {
  BlobView view{};
  EXPECT_TRUE(IsOk(ViewBlob(converted.blob.data(), converted.blob.size(), &view)));
  return view;
}

exporting::QdqModel Export(const Converted& converted) {
  return exporting::ExportQdq(converted.graph, ViewOf(converted), "m.octet");
}

onnx::ModelProto Parse(const exporting::QdqModel& model) {
  onnx::ModelProto proto;
  EXPECT_TRUE(proto.ParseFromArray(model.bytes.data(), static_cast<int>(model.bytes.size())));
  return proto;
}

// Initialisers of an exported model by name.
class Constants {
 public:
  explicit Constants(const onnx::ModelProto& model) {
    for (const onnx::TensorProto& tensor : model.graph().initializer()) {
      tensors_[tensor.name()] = &tensor;
    }
  }
  template <typename T>
  std::vector<T> Of(const std::string& name) const {
    const auto at = tensors_.find(name);
    if (at == tensors_.end()) {
      ADD_FAILURE() << name << " is not in the model";
      return {};
    }
    std::vector<T> values(at->second->raw_data().size() / sizeof(T));
    std::memcpy(values.data(), at->second->raw_data().data(), at->second->raw_data().size());
    return values;
  }

 private:
  std::map<std::string, const onnx::TensorProto*> tensors_;
};

// FP32 of an exported model by the project's own executor, which rounds where the file says so.
Values RunExported(const exporting::QdqModel& model, const std::vector<graph::Tensor>& inputs) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("octet-export-test-" + std::to_string(getpid()) + ".onnx");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(model.bytes.data()),
             static_cast<std::streamsize>(model.bytes.size()));
  graph::Graph graph = import::ImportOnnx(path);
  std::filesystem::remove(path);
  operators::InferShapes(graph);
  executor::Executor executor(graph);
  Values outputs;
  for (graph::Tensor& tensor : executor.Run(inputs)) outputs.push_back(std::move(tensor.floats));
  return outputs;
}

Values RunInt8(const Converted& converted, const std::vector<graph::Tensor>& inputs) {
  TestSession session(converted.blob, {});
  for (size_t i = 0; i < inputs.size(); ++i) {
    session.SetInput(static_cast<uint32_t>(i), inputs[i].floats);
  }
  EXPECT_EQ(octet_run(session.get()).code, OCTET_OK);
  Values outputs;
  for (uint32_t i = 0; i < octet_output_count(session.get()); ++i) {
    outputs.push_back(session.Output(i));
  }
  return outputs;
}

std::vector<graph::Tensor> Sample(const Converted& converted, int64_t index = 0) {
  std::vector<graph::Tensor> inputs;
  for (const RandomDataset& data : converted.data) inputs.push_back(data.Load(index));
  return inputs;
}

double Decibels(const std::vector<float>& expected, const std::vector<float>& actual) {
  double signal = 0, noise = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double e = expected[i], d = actual[i] - e;
    signal += e * e;
    noise += d * d;
  }
  return noise == 0 ? 300 : 10 * std::log10(std::max(signal, 1e-30) / noise);
}

// dB of what is computed from the exported model above its difference to the int8 plan; the least
// of all outputs.
double LeastDecibels(const Converted& converted, const exporting::QdqModel& model) {
  const std::vector<graph::Tensor> inputs = Sample(converted);
  const Values expected = RunInt8(converted, inputs), actual = RunExported(model, inputs);
  double least = 300;
  for (size_t o = 0; o < expected.size(); ++o) {
    least = std::min(least, Decibels(expected[o], actual[o]));
  }
  return least;
}

// As MobileNet: depthwise layers, Relu6 before them, a residual, a classifier behind the mean.
void Relu6Network(OnnxBuilder* model) {
  OnnxValue x = model->Input("image", {1, 3, 12, 12}).WithChannels(3);
  x = x.Conv({.channels = 8, .kernel = 3, .pad = 1}).Relu6();
  const OnnxValue y = x.Conv({.channels = 16, .kernel = 1})
                          .Relu6()
                          .Conv({.channels = 16, .kernel = 3, .pad = 1, .group = 16})
                          .Relu6()
                          .Conv({.channels = 8, .kernel = 1});
  x.Add(y).GlobalAveragePool().Flatten().Gemm(5).Output("scores");
}

// Activations with tables on both sides of a depthwise layer: schemes of channels that the blob
// keeps in biases, factors and tables alone.
void SiluNetwork(OnnxBuilder* model) {
  model->Input("image", {1, 3, 12, 12})
      .WithChannels(3)
      .Conv({.channels = 8, .kernel = 3, .pad = 1})
      .Silu()
      .Conv({.channels = 16, .kernel = 1})
      .Silu()
      .Conv({.channels = 16, .kernel = 3, .pad = 1, .group = 16})
      .Silu()
      .Conv({.channels = 4, .kernel = 1})
      .Output("y");
}

TEST(Qdq, WeightsBiasesAndScalesAreTheBlobs) {
  OnnxBuilder builder;
  Relu6Network(&builder);
  const Converted converted = ConvertInProcess(builder, 1, 4);
  const exporting::QdqModel model = Export(converted);
  const onnx::ModelProto proto = Parse(model);
  const Constants constants(proto);
  int64_t layers = 0;
  for (const graph::Node& node : converted.graph.nodes) {
    if (node.op != "Conv" && node.op != "Gemm") continue;
    ++layers;
    const auto scheme_of = [&](graph::ValueId id) {
      return *converted.scheme.tensors[static_cast<size_t>(id)];
    };
    const quantize::TensorScheme in = scheme_of(node.inputs[0]), out = scheme_of(node.outputs[0]);
    const graph::Tensor& weights = *converted.graph.Constant(node.inputs[1]);
    const graph::Tensor& bias = *converted.graph.Constant(node.inputs[2]);
    const auto codes = constants.Of<int8_t>(node.name + "/weights/codes");
    const auto scales = constants.Of<float>(node.name + "/weights/scale");
    const auto steps = constants.Of<int32_t>(node.name + "/bias/codes");
    const auto step_scales = constants.Of<float>(node.name + "/bias/scale");
    ASSERT_EQ(codes.size(), weights.floats.size());
    ASSERT_EQ(scales.size(), static_cast<size_t>(weights.shape[0]));
    const size_t depth = codes.size() / scales.size();
    for (size_t o = 0; o < scales.size(); ++o) {
      double largest = 0;
      for (size_t k = 0; k < depth; ++k) {
        largest = std::max(largest, std::fabs(double{weights.floats[o * depth + k]}));
      }
      const double scale = largest / 127;
      for (size_t k = 0; k < depth; ++k) {
        EXPECT_EQ(codes[o * depth + k],
                  std::floor(double{weights.floats[o * depth + k]} / scale + 0.5))
            << node.name << " channel " << o;
      }
      // Channels of activations with scales of their own are folded in.
      const double in_scale = in.channels.empty() ? double{in.scale} : double{in.channels[o].scale};
      const double in_fold = in.channels.empty() ? 1 : in_scale;
      const double out_fold = out.channels.empty() ? 1 : double{out.channels[o].scale};
      EXPECT_NEAR(double{scales[o]} * out_fold / in_fold, scale, 1e-6 * scale) << node.name;
      EXPECT_EQ(steps[o], std::floor(double{bias.floats[o]} / (in_scale * scale) + 0.5))
          << node.name;
      EXPECT_NEAR(double{step_scales[o]} * out_fold, in_scale * scale, 1e-6 * in_scale * scale);
    }
  }
  EXPECT_EQ(layers, 5);
  EXPECT_EQ(model.int8_layers, layers);
  EXPECT_EQ(model.float_layers, 0);
  EXPECT_EQ(model.differing_entries, 0);
}

TEST(Qdq, ActivationsHaveTheirTensorsScalesAndZeroPoints) {
  OnnxBuilder builder;
  Relu6Network(&builder);
  const Converted converted = ConvertInProcess(builder, 1, 4);
  const onnx::ModelProto proto = Parse(Export(converted));
  const Constants constants(proto);
  std::set<std::pair<float, int>> wanted, got;
  bool by_channel = false;
  for (const lower::Tensor& tensor : converted.plans[0].program.tensors) {
    if (tensor.type != blob::ElementType::kInt8) continue;
    by_channel |= !tensor.channels.empty();
    wanted.insert({tensor.channels.empty() ? tensor.scale : 1.0f, tensor.zero_point});
  }
  for (const onnx::NodeProto& node : proto.graph().node()) {
    if (node.op_type() != "QuantizeLinear") continue;
    got.insert({constants.Of<float>(node.input(1))[0], constants.Of<int8_t>(node.input(2))[0]});
  }
  EXPECT_EQ(got, wanted);
  EXPECT_TRUE(by_channel) << "the model was to have scales by channel";
}

TEST(Qdq, ComputesWhatTheInt8PlanDoes) {
  const std::pair<const char*, void (*)(OnnxBuilder*)> networks[] = {{"relu6", Relu6Network},
                                                                     {"silu", SiluNetwork}};
  for (const auto& [name, build] : networks) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      OnnxBuilder builder(13, seed);
      build(&builder);
      const Converted converted = ConvertInProcess(builder, seed, 4);
      const exporting::QdqModel model = Export(converted);
      // Ties in rounding go up here and to even numbers there: single steps of 1/256.
      EXPECT_GT(LeastDecibels(converted, model), 35) << name << ", seed " << seed;
      EXPECT_EQ(model.differing_entries, 0) << name << ", seed " << seed;
    }
  }
}

TEST(Qdq, SchemesOfChannelsAreFoundInTables) {
  OnnxBuilder builder;
  SiluNetwork(&builder);
  const Converted converted = ConvertInProcess(builder, 1, 4);
  int with_tables = 0, between = 0;
  for (const lower::Layer& layer : converted.plans[0].program.layers) {
    if (!lower::HasChannelTables(layer)) continue;
    ++with_tables;
    between +=
        !converted.plans[0].program.tensors[static_cast<size_t>(layer.output)].channels.empty();
  }
  ASSERT_GT(with_tables, 0) << "the model was to have tables by channel";
  ASSERT_GT(between, 0) << "and one in front of the depthwise layer";
  EXPECT_GT(LeastDecibels(converted, Export(converted)), 35);
}

TEST(Qdq, FlattenedPicturesAndGroupsKeepTheirOrder) {
  OnnxBuilder builder;
  builder.Input("image", {1, 4, 6, 5})
      .WithChannels(4)
      .Conv({.channels = 8, .kernel = 3, .pad = 1, .group = 2})
      .Relu()
      .Conv({.channels = 6, .kernel = 3, .stride = 2, .group = 2})
      .Relu()
      .Flatten()
      .WithChannels(6 * 2 * 2)
      .Gemm(7)
      .Output("y");
  const Converted converted = ConvertInProcess(builder, 1, 4);
  EXPECT_GT(LeastDecibels(converted, Export(converted)), 35);
}

// Transposed convolutions whose kernels are shorter than their strides: channels that are nothing
// but biases, some with a table of their own.
TEST(Qdq, ChannelsWithoutWeightsKeepTheirBiases) {
  for (const uint64_t seed : {319u, 347u, 495u}) {
    const Converted converted = ConvertInProcess(RandomGraph(seed).model(), seed, 4);
    EXPECT_GT(LeastDecibels(converted, Export(converted)), 35) << "seed " << seed;
  }
}

// ONNX Runtime hands the attributes of AveragePool to a kernel of its own, older than dilations.
TEST(Qdq, AveragePoolsHaveNoDilations) {
  OnnxBuilder builder;
  builder.Input("image", {1, 4, 8, 8})
      .WithChannels(4)
      .Op("AveragePool",
          {{"kernel_shape", Ints({2, 2})}, {"strides", Ints({2, 2})}, {"dilations", Ints({1, 1})}})
      .Output("y");
  const onnx::ModelProto model = Parse(Export(ConvertInProcess(builder, 1, 4)));
  bool found = false;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() != "AveragePool") continue;
    found = true;
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      EXPECT_NE(attribute.name(), "dilations");
    }
  }
  EXPECT_TRUE(found);
}

// Opset 18 has a scale for each group, opset 21, which is exported, one for each channel.
TEST(Qdq, GroupNormalizationHasAScaleForEachChannel) {
  OnnxBuilder builder(18);
  const std::string scale = builder.Initializer("s", {3}, std::vector<float>{1, 2, 3}).name();
  const std::string bias = builder.Initializer("b", {3}, std::vector<float>{4, 5, 6}).name();
  builder.Input("x", {1, 6, 5, 5})
      .Op("GroupNormalization", {{"num_groups", Int(3)}}, {scale, bias})
      .Output("y");
  const onnx::ModelProto model = Parse(Export(ConvertInProcess(builder, 1, 4)));
  EXPECT_GE(model.opset_import(0).version(), 21);
  const Constants constants(model);
  bool found = false;
  for (const onnx::NodeProto& node : model.graph().node()) {
    if (node.op_type() != "GroupNormalization") continue;
    found = true;
    EXPECT_EQ(constants.Of<float>(node.input(1)), (std::vector<float>{1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(constants.Of<float>(node.input(2)), (std::vector<float>{4, 4, 5, 5, 6, 6}));
  }
  EXPECT_TRUE(found);
}

// Under sanitizers a graph takes ten times as long, and the native build leaves this test to them.
TEST(Qdq, RandomGraphsComputeWhatTheInt8PlanDoes) {
  constexpr uint64_t kSeeds = 40;
  int compared = 0;
  for (const uint64_t first : {uint64_t{1}, RandomGraph::kFamilySeeds, RandomGraph::kAxisSeeds}) {
    for (uint64_t seed = first; seed < first + kSeeds; ++seed) {
      const RandomGraph random(seed);
      std::optional<Converted> converted;
      try {
        converted = ConvertInProcess(random.model(), seed, 4);
      } catch (const UserError&) {
        continue;  // what the converter refuses
      }
      if (converted->plans[0].program.precision != blob::Precision::kInt8) continue;
      if (converted->plans[0].program.layers.empty()) continue;
      const exporting::QdqModel model = Export(*converted);
      const double db = LeastDecibels(*converted, model);
      if (random.discontinuous()) continue;
      ++compared;
      EXPECT_EQ(model.differing_entries, 0) << "seed " << seed;
      EXPECT_GT(db, 15) << "seed " << seed << ": " << random.description();
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(Qdq, RefusesAnotherModelsBlob) {
  OnnxBuilder builder, other(13, 2), wider;
  Relu6Network(&builder);
  Relu6Network(&other);
  wider.Input("image", {1, 3, 12, 12}).WithChannels(3).Conv({.channels = 4}).Output("scores");
  const Converted converted = ConvertInProcess(builder, 1, 4);
  const auto why = [&](const OnnxBuilder& model) -> std::string {
    try {
      exporting::ExportQdq(ConvertInProcess(model, 1, 4).graph, ViewOf(converted), "m.octet");
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(why(other).find("m.octet: the weights of channel 0 differ from those of '"),
            std::string::npos)
      << why(other);
  EXPECT_NE(why(wider), "") << "a model without the blob's layers";
  EXPECT_EQ(why(builder), "");
}

}  // namespace
}  // namespace octet::test
