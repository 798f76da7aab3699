// Networks for the optional sections of a blob.
#include "tests/converter/snapshot/networks.h"

namespace octet::test {
namespace {

constexpr int64_t kPictures = 24;

// Every way in which a scale can follow another: functions behind convolutions that grow with
// their input and that end, tensors that only move, and two that are joined.
std::string WriteDrifting(const Folder& folder) {
  OnnxBuilder model(13, 21);
  const OnnxValue x = model.Input("image", {1, 3, 16, 16}).WithChannels(3);
  const OnnxValue first = x.Conv({.channels = 16, .stride = 2, .pad = 1}).Silu();
  const OnnxValue deep =
      first.WithChannels(16).Conv({.channels = 16, .pad = 1, .group = ConvOptions::kDepthwise});
  const OnnxValue hard = deep.Op("HardSwish").WithChannels(16).Conv({.channels = 8, .kernel = 1});
  const OnnxValue leaky = hard.LeakyRelu(0.2f).MaxPool(2, 2).Resize({1, 1, 2, 2}, "nearest");
  const OnnxValue gate = first.WithChannels(16).Conv({.channels = 8, .kernel = 1}).Sigmoid();
  const OnnxValue soft =
      first.WithChannels(16).Conv({.channels = 8, .kernel = 1}).Op("Softplus").Mul(gate);
  const OnnxValue both = leaky.Concat(soft).WithChannels(16);
  const OnnxValue sum = both.Add(first).WithChannels(16);
  sum.Conv({.channels = 16, .pad = 1})
      .Op("Tanh")
      .GlobalAveragePool()
      .Flatten()
      .WithChannels(16)
      .Gemm(5)
      .Output("scores");
  sum.Conv({.channels = 4, .kernel = 1}).Op("Elu").AveragePool(2, 2).Output("map");
  folder.Model(model);
  folder.Data("c.npy", "|u1", {16, 16, 3}, kPictures, 5);
  return folder.Path("c.npy");
}

// A board that names a guard, and lists what it takes.
std::string WriteGuarded(const Folder& folder) {
  folder.Text("board.yaml",
              "compatible: bench-board\nname: Bench\ndevice_tree: [\"bench,board\"]\n"
              "cpu: Cortex-A55\narchitecture: aarch64\nisa: [reference, neon]\ncores: 2\n"
              "clock_mhz: 1000\nmemory_mib: 256\nwinograd: false\nfp16_arithmetic: storage\n"
              "thermal:\n  zones: [a-thermal, b-thermal]\n  policy: lower_rate\n  enter_c: 61.5\n"
              "  leave_c: 50\n  dwell_s: 7\n"
              "guard:\n  trip_frames: 7\n  dwell_s: 12.5\n  return_score: 0.96\n"
              "whitelist:\n  precisions: [int8, fp16]\n"
              "  weight_schemes: [per_tensor, per_channel]\n"
              "  activation_schemes: [symmetric, asymmetric]\nlatency_budget_ms: 2.5\n");
  folder.Text("small.yaml",
              "compatible: small-board\nname: Small\ndevice_tree: [\"small,board\"]\n"
              "cpu: Cortex-A7\narchitecture: armv7\nisa: [reference]\ncores: 1\n"
              "clock_mhz: 500\nmemory_mib: 64\nwinograd: false\nfp16_arithmetic: storage\n"
              "thermal:\n  zones: []\n  policy: lower_precision\n  enter_c: 70\n  leave_c: 65\n"
              "  dwell_s: 3\n  throttle_c: 90\n"
              "whitelist:\n  precisions: [int8]\n  weight_schemes: [per_tensor]\n"
              "  activation_schemes: [symmetric]\nlatency_budget_ms: null\n");
  return WriteDrifting(folder);
}

}  // namespace

void AddSections(std::vector<Network>* networks) {
  const Words inspect{"inspect", "@out.octet"};
  const Words sections{"sections", "@out.octet"};
  networks->push_back(
      {"section_drift", WriteDrifting, {"--drift", "--golden", "3"}, {sections, inspect}});
  networks->push_back({"section_drift_temporal",
                       WriteDrifting,
                       {"--drift", "--int8-everywhere", "--effort", "fast", "--temporal", "gated"},
                       {sections, inspect}});
  networks->push_back({"section_guard",
                       WriteGuarded,
                       {"--board", "@board.yaml", "--effort", "fast", "--verbosity", "layer-names"},
                       {sections,
                        inspect,
                        {"boards", "@small.yaml", "--json"},
                        {"boards", "@board.yaml", "--whitelist", "@list"},
                        {"read", "list"},
                        {"convert", "@m.onnx", "-o", "@two.octet", "--calibrate", "@c.npy",
                         "--board", "@small.yaml", "--effort", "fast"}}});
}

}  // namespace octet::test
