// Models for options that need a certain one: boards, --config, inputs, and plans that fail.
#include <cstddef>
#include <limits>

#include "tests/converter/snapshot/networks.h"
#include "tests/support/undone_model.h"

namespace octet::test {
namespace {

constexpr int64_t kMoreSamples = 16;

std::string Floats(const Folder& folder, const OnnxBuilder& model) {
  folder.Model(model);
  return folder.DataFor(model, kMoreSamples, 1);
}

std::string WriteUndone(const Folder& folder) {
  OnnxBuilder model;
  AddUndoneLayers(&model);
  folder.Text("off.yaml", "equalization: false\nrounding: false\n");
  return Floats(folder, model);
}

std::string WriteChain(const Folder& folder) {
  OnnxBuilder model(13, 8);
  const OnnxValue x = model.Input("x", {1, 16, 8, 8}).WithChannels(16);
  const OnnxValue first = x.Conv({.channels = 32, .pad = 1}).Relu();
  const OnnxValue second = first.Conv({.channels = 32, .pad = 1}).Relu6();
  second.Add(first).Conv({.channels = 16, .kernel = 1}).Sigmoid().Output("y");
  second.Conv({.channels = 4, .kernel = 1}).Op("HardSwish").Output("z");
  folder.Text("board.yaml",
              "compatible: bench-board\nname: Bench\ndevice_tree: [\"bench,board\"]\n"
              "cpu: Cortex-A55\narchitecture: aarch64\nisa: [reference, neon]\ncores: 2\n"
              "clock_mhz: 1000\nmemory_mib: 256\nwinograd: true\nfp16_arithmetic: winograd\n"
              "thermal:\n  zones: [cpu-thermal]\n  policy: raise_precision\n  enter_c: 60\n"
              "  leave_c: 55\n  dwell_s: 10\n  throttle_c: 80\n"
              "whitelist:\n  precisions: [int8, fp16]\n  weight_schemes: [per_tensor, group]\n"
              "  activation_schemes: [symmetric]\nlatency_budget_ms: 5\n");
  folder.Text("c.yaml",
              "calibration: {method: percentile, percentile: 99.9}\nweights: group\n"
              "layers:\n  \"*Conv*\": {precision: int8}\n  \"*1*\": {precision: fp16}\n"
              "tensors:\n  x: {min: -2, max: 2}\n  z: {method: kl}\n"
              "  y: {scheme: symmetric}\n");
  folder.Text("d.yaml",
              "calibration: {method: kl}\nweights: per_tensor\nactivations: "
              "symmetric\nchannel_scales: false\n"
              "judged_ranges: false\nbias_correction: false\nfp16_tail: true\n");
  return Floats(folder, model);
}

// Rows of which most weights are 0, and a mean of a function with a constant part.
std::string WriteSparse(const Folder& folder) {
  OnnxBuilder model(13, 9);
  std::vector<float> weights;
  for (int i = 0; i < 8 * 4 * 9; ++i) {
    weights.push_back(i % 5 != 0 ? 0 : 0.3f * model.NextNormal());
  }
  const OnnxValue sparse = model.Initializer("sparse", {8, 4, 3, 3}, weights);
  const OnnxValue x = model.Input("x", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue three = model.Initializer("three", {}, std::vector<float>{3});
  x.Op("Conv", {{"kernel_shape", Dims{3, 3}}}, {sparse.name()})
      .Sigmoid()
      .Mul(three)
      .GlobalAveragePool()
      .Output("y");
  return Floats(folder, model);
}

std::string WriteLarge(const Folder& folder) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("points", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue large = model.Initializer("large", {4, 4, 1, 1}, std::vector<float>(16, 3e5f));
  const OnnxValue small = model.Initializer("small", {4, 4, 1, 1}, std::vector<float>(16, 1e-7f));
  x.Op("Conv", {}, {large.name()}).Relu().Op("Conv", {}, {small.name()}).Output("y");
  x.Op("Conv", {}, {large.name()}).Output("z");
  return Floats(folder, model);
}

// Stored, because a function and a sum read it: no factor brings it into FP16's range.
std::string WriteTooLarge(const Folder& folder) {
  OnnxBuilder model;
  const OnnxValue x = model.Input("points", {1, 4, 8, 8}).WithChannels(4);
  const OnnxValue large = model.Initializer("large", {4, 4, 1, 1}, std::vector<float>(16, 3e4f));
  const OnnxValue y = x.Op("Conv", {}, {large.name()});
  y.Sigmoid().Add(y.Op("Tanh")).Output("y");
  return Floats(folder, model);
}

// Two inputs, one of a dynamic shape and one that --bind takes, and a tensor in the middle to end
// at.
std::string WriteTwoInputs(const Folder& folder) {
  OnnxBuilder model(13, 10);
  const OnnxValue x = model.Input("x", {1, 3, -1, -1}).WithChannels(3);
  const OnnxValue factor = model.Input("factor", {1});
  const OnnxValue middle = x.Conv({.channels = 6, .pad = 1}).Mul(factor).Relu();
  middle.Output("middle");
  middle.WithChannels(6).Conv({.channels = 2, .kernel = 1}).Output("y");
  folder.Model(model);
  folder.Data("x.npy", "<f4", {3, 10, 6}, kMoreSamples, 3);
  return folder.Path("x.npy");
}

// Numbers of coordinates beside scores: the layers behind the last weights are worth FP16.
std::string WriteHead(const Folder& folder) {
  OnnxBuilder model(13, 11);
  const OnnxValue x = model.Input("x", {1, 8, 6, 6}).WithChannels(8);
  const OnnxValue grid =
      model.Initializer("grid", {1, 4, 1, 1}, std::vector<float>{100, 200, 40, 7});
  const OnnxValue offset = model.Initializer("offset", {1}, std::vector<float>{50});
  const OnnxValue scores = x.Conv({.channels = 3, .kernel = 1}).Sigmoid();
  const OnnxValue boxes = x.Conv({.channels = 4, .kernel = 1}).Mul(grid).Add(offset);
  boxes.Concat(scores).Reshape({1, 7, 36}).Transpose({0, 2, 1}).Output("y");
  return Floats(folder, model);
}

}  // namespace

void AddOptions(std::vector<Network>* networks) {
  const Words inspect{"inspect", "@out.octet", "--json"};
  networks->push_back({"undone", WriteUndone, {}, {}});
  networks->push_back(
      {"undone_fails",
       WriteUndone,
       {"--config", "@off.yaml"},
       {{"convert", "@m.onnx", "-o", "@k.octet", "--config", "@off.yaml", "--keep-failing",
         "--details", "--calibrate", "@x1.npy"},
        {"verify", "@m.onnx", "@k.octet", "--data", "@x1.npy", "--json"},
        {"analyze", "@m.onnx", "--data", "@x1.npy", "--json", "--config", "@off.yaml"},
        {"debug", "reduce", "@m.onnx", "--data", "@x1.npy", "--config", "@off.yaml", "-o",
         "@part.onnx"},
        {"onnx", "part.onnx"}}});
  networks->push_back({"board",
                       WriteChain,
                       {"--board", "@board.yaml", "--effort", "fast"},
                       {inspect, {"boards", "@board.yaml", "--json"}, {"boards", "@board.yaml"}}});
  networks->push_back(
      {"board_mixed", WriteChain, {"--board", "@board.yaml", "--mixed", "--effort", "fast"}, {}});
  networks->push_back({"config",
                       WriteChain,
                       {"--config", "@c.yaml"},
                       {{"convert", "@m.onnx", "-o", "@d.octet", "--config", "@d.yaml",
                         "--calibrate", "@x1.npy", "--details"},
                        {"blob", "d.octet"}}});
  networks->push_back(
      {"cache",
       WriteChain,
       {"--calibration-cache", "@cache.json", "--effort", "fast"},
       {{"convert", "@m.onnx", "-o", "@e.octet", "--calibration-cache", "@cache.json", "--effort",
         "fast", "--calibrate", "@x1.npy", "--json"},
        {"debug", "reduce", "@m.onnx", "--data", "@x1.npy", "-o", "@part.onnx"},
        {"debug", "reduce", "@m.onnx", "--data", "@x1.npy", "-o", "@part.onnx", "--bound", "35"},
        {"onnx", "part.onnx"}}});
  networks->push_back({"sparse", WriteSparse, {}, {}});
  networks->push_back({"large", WriteLarge, {}, {}});
  networks->push_back({"too_large", WriteTooLarge, {}, {}});
  networks->push_back({"two_inputs",
                       WriteTwoInputs,
                       {"--input-shape", "x:1,3,10,6", "--bind", "factor=0.5", "--effort", "fast"},
                       {{"convert", "@m.onnx", "-o", "@cut.octet", "--input-shape", "x:1,3,10,6",
                         "--bind", "factor=2", "--cut-at", "middle", "--random-calibration",
                         "--scale", "1", "--task", "none", "--json", "--effort", "fast"},
                        {"blob", "cut.octet"}}});
  networks->push_back({"head", WriteHead, {"--details"}, {}});
  networks->push_back({"head_int8", WriteHead, {"--int8-everywhere"}, {}});
}

}  // namespace octet::test
