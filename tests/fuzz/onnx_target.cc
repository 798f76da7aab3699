// Bytes of an ONNX file through import, shape inference, passes and the check of what can run:
// every file is taken or refused with one UserError.
#include "converter/import/import.h"
#include "converter/lower/lower.h"
#include "converter/operators/operator.h"
#include "converter/passes/passes.h"
#include "converter/support/error.h"
#include "tests/converter/lower/random_graph.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/onnx_builder.h"

namespace octet::fuzz {

const size_t kLongestInput = 16384;

std::vector<Input> Seeds() {
  std::vector<Input> seeds;
  const auto add = [&seeds](const test::OnnxBuilder& model) {
    if (Input seed = FromText(model.Serialize()); seed.size() <= kLongestInput) {
      seeds.push_back(std::move(seed));
    }
  };
  for (const char* op : {"Relu", "Softmax", "Flatten", "Shape", "GlobalMaxPool", "Identity"}) {
    test::OnnxBuilder model;
    model.Input("x", {-1, 3, 4, 4}).Op(op).Output("y");
    add(model);
  }
  for (const char* op : {"Reshape", "Expand", "Tile", "Unsqueeze", "Squeeze", "Gather", "Add",
                         "MatMul", "Where", "ReduceMean", "Pow", "Split"}) {
    test::OnnxBuilder model;
    model.Initializer("shape", {2}, std::vector<int64_t>{1, 2});
    model.Input("x", {1, 2, 3}).Op(op, {}, {"shape"}).Output("y");
    add(model);
  }
  // Of each family: one input, one with whole numbers, one with numbers beside it. Seeds need not
  // be valid models.
  for (const char* op : {"ReduceMax",
                         "ReduceL2",
                         "ArgMax",
                         "LogSoftmax",
                         "Hardmax",
                         "CumSum",
                         "LRN",
                         "InstanceNormalization",
                         "LayerNormalization",
                         "MeanVarianceNormalization",
                         "Trilu",
                         "Sin",
                         "Round",
                         "Sign",
                         "IsNaN",
                         "Not",
                         "Cast",
                         "NonZero",
                         "Size",
                         "DynamicQuantizeLinear",
                         "Einsum",
                         "Loop",
                         "SpaceToDepth",
                         "LSTM"}) {
    test::OnnxBuilder model;
    model.Input("x", {1, 3, 4, 4}).Op(op).Output("y");
    add(model);
  }
  for (const char* op :
       {"TopK", "GatherElements", "GatherND", "ScatterND", "ScatterElements", "OneHot", "ReduceSum",
        "CumSum", "Slice", "Pad", "Range", "Mod", "BitShift", "Compress", "ReverseSequence",
        "NonMaxSuppression", "CenterCropPad", "Col2Im"}) {
    test::OnnxBuilder model;
    model.Initializer("whole", {2}, std::vector<int64_t>{1, 2});
    model.Input("x", {1, 2, 3}).Op(op, {}, {"whole", "whole"}).Output("y");
    add(model);
  }
  for (const char* op : {"QuantizeLinear", "DequantizeLinear", "PRelu", "Max", "Greater", "Where",
                         "GridSample", "RoiAlign", "MatMul", "ConvTranspose", "Conv", "MaxUnpool",
                         "BatchNormalization", "Upsample", "GroupNormalization", "Resize"}) {
    test::OnnxBuilder model;
    model.Initializer("numbers", {1, 2, 3, 2}, std::vector<float>(12, 0.5f));
    model.Input("x", {1, 2, 3, 2}).Op(op, {}, {"numbers", "numbers"}).Output("y");
    add(model);
  }
  {
    test::OnnxBuilder model;
    model.Initializer("dims", {2}, std::vector<int64_t>{3, 4});
    model.Node("ConstantOfShape", {"dims"}, {}, {"c"});
    model.Input("x", {3, 4}).Op("Add", {}, {"c"}).Output("y");
    add(model);
  }
  {
    test::OnnxBuilder model;
    auto x = model.Input("x", {1, 2, 4, 4});
    x.ConvTranspose({.channels = 3, .kernel = 2, .stride = 2})
        .Resize({1, 1, 2, 2})
        .Pad({0, 0, 1, 1, 0, 0, 1, 1})
        .Slice({1}, {3}, {2})
        .Output("y");
    x.Op("DepthToSpace", {{"blocksize", test::Int(1)}}).Output("z");
    add(model);
  }
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    add(test::RandomGraph(seed).model());
    add(test::RandomGraph(test::RandomGraph::kFamilySeeds + seed).model());
  }
  return seeds;
}

}  // namespace octet::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  const fuzz::MemoryFile file(data, size);
  try {
    graph::Graph graph = import::ImportOnnx(file.path());
    import::CheckOperators(graph);
    operators::InferShapes(graph);
    passes::Canonicalise(graph, nullptr);
    lower::CheckLowerable(graph);
  } catch (const UserError& error) {
    FUZZ_CHECK(error.what()[0] != '\0');
  }
  return 0;
}
