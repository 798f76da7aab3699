// A network as a list of steps with int8 weights: the one description from which both our blob and
// the ONNX file for other engines are made, so that all of them run the same thing.
#ifndef OCTET_BENCH_MODELS_NETWORK_H_
#define OCTET_BENCH_MODELS_NETWORK_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace octet::bench {

enum class StepKind { kConv, kAdd, kMaxPool, kGlobalAveragePool, kGemm };
enum class Activation { kNone, kRelu, kRelu6 };

// One activation tensor, batch 1, with the real range [min, max] its 256 codes cover.
struct Value {
  std::string name;
  int64_t channels = 0, height = 1, width = 1;
  float min = 0, max = 0;
};

struct Step {
  StepKind kind = StepKind::kConv;
  int input = 0, other = -1, output = 0;  // indices of values; other: second operand of kAdd
  int64_t kernel_h = 1, kernel_w = 1, stride = 1, groups = 1;
  std::array<int64_t, 4> pads = {0, 0, 0, 0};  // top, left, bottom, right
  Activation activation = Activation::kNone;
  // kConv [out, in / groups, kernel_h, kernel_w], kGemm [out, in]; the largest magnitude of every
  // output channel is 127. real = scale[out] * weight.
  std::vector<int8_t> weights;
  std::vector<float> scales;
  std::vector<float> bias;
};

struct Network {
  std::string name;
  std::vector<Value> values;  // value 0 is the input, the last step's output the output
  std::vector<Step> steps;
  uint64_t macs = 0;

  const Value& input() const { return values.front(); }
  const Value& output() const { return values[static_cast<size_t>(steps.back().output)]; }
};

struct ConvShape {
  int64_t channels, kernel_h, kernel_w, stride = 1, groups = 1;
  // Unset (-1): (kernel - 1) / 2 on both sides.
  std::array<int64_t, 4> pads = {-1, -1, -1, -1};
};

// Appends steps; weights are normal values of a fixed seed, the same on every machine. Every method
// returns the index of the value it makes.
class NetworkBuilder {
 public:
  NetworkBuilder(std::string name, int64_t channels, int64_t height, int64_t width);

  int Conv(int x, const ConvShape& shape, Activation activation);
  int Conv(int x, int64_t channels, int64_t kernel, int64_t stride, Activation activation) {
    return Conv(x, {channels, kernel, kernel, stride}, activation);
  }
  int Depthwise(int x, int64_t stride, Activation activation);  // 3x3
  int Add(int x, int other, Activation activation);
  int MaxPool(int x, int64_t kernel, int64_t stride, int64_t pad);
  int GlobalAveragePool(int x);
  int Gemm(int x, int64_t units);

  int64_t Channels(int x) const { return At(x).channels; }
  Network Take() { return std::move(network_); }

 private:
  const Value& At(int x) const { return network_.values[static_cast<size_t>(x)]; }
  int NewValue(const std::string& stem, int64_t channels, int64_t height, int64_t width);
  void SetRange(int x, Activation activation);
  void FillWeights(Step* step, int64_t outputs, int64_t fan_in);
  double Uniform();
  float Normal();

  Network network_;
  uint64_t state_;
};

// ResNet18, ResNet50, MobileNetV1 and MobileNetV2 at 224x224, and ResNet8, VWW (MobileNetV1 0.25 at
// 96x96) and DS-CNN of MLPerf Tiny. Unknown names throw std::invalid_argument.
std::vector<std::string> NetworkNames();
Network MakeNetwork(const std::string& name);

}  // namespace octet::bench

#endif  // OCTET_BENCH_MODELS_NETWORK_H_
