#include "bench/kernels/networks.h"

namespace octet::bench {
namespace {

// Follows the shape of the current tensor while layers are appended.
class Builder {
 public:
  Builder(const std::string& name, uint32_t size, uint32_t channels) : h_(size), c_(channels) {
    network_.name = name;
  }

  void Conv(uint32_t out_c, uint32_t kernel, uint32_t stride, bool relu) {
    Append(LayerKind::kConv, out_c, kernel, stride, kernel / 2, 1, relu);
  }
  void Depthwise(uint32_t kernel, uint32_t stride) {
    Append(LayerKind::kDepthwiseConv, c_, kernel, stride, kernel / 2, c_, true);
  }
  void MaxPool(uint32_t kernel, uint32_t stride, uint32_t pad) {
    Append(LayerKind::kMaxPool, c_, kernel, stride, pad, c_, false);
  }
  void GlobalAveragePool() { Append(LayerKind::kAveragePool, c_, h_, 1, 0, c_, false); }
  void Add() { Append(LayerKind::kAdd, c_, 1, 1, 0, 1, true); }

  // The shape a branch starts from, to come back to.
  struct Shape {
    uint32_t h, c;
  };
  Shape shape() const { return {h_, c_}; }
  void Return(Shape shape) {
    h_ = shape.h;
    c_ = shape.c;
  }
  Network Take() { return network_; }

 private:
  void Append(LayerKind kind, uint32_t out_c, uint32_t kernel, uint32_t stride, uint32_t pad,
              uint32_t groups, bool relu) {
    const uint32_t out = (h_ + 2 * pad - kernel) / stride + 1;
    network_.layers.push_back(
        {kind,
         {h_, h_, c_, out, out, out_c, kernel, kernel, stride, stride, 1, 1, pad, pad, groups},
         relu});
    h_ = out;
    c_ = out_c;
  }

  Network network_;
  uint32_t h_, c_;
};

}  // namespace

Network ResNet18() {
  Builder b("ResNet18", 224, 3);
  b.Conv(64, 7, 2, true);
  b.MaxPool(3, 2, 1);
  for (uint32_t channels : {64u, 128u, 256u, 512u}) {
    for (uint32_t block = 0; block < 2; ++block) {
      const uint32_t stride = channels != 64 && block == 0 ? 2 : 1;
      const Builder::Shape input = b.shape();
      b.Conv(channels, 3, stride, true);
      b.Conv(channels, 3, 1, false);
      if (stride == 2) {
        const Builder::Shape output = b.shape();
        b.Return(input);
        b.Conv(channels, 1, 2, false);
        b.Return(output);
      }
      b.Add();
    }
  }
  b.GlobalAveragePool();
  b.Conv(1000, 1, 1, false);
  return b.Take();
}

Network MobileNetV2() {
  Builder b("MobileNetV2", 224, 3);
  b.Conv(32, 3, 2, true);
  struct Stage {
    uint32_t expand, channels, repeat, stride;
  };
  for (const Stage& s :
       {Stage{1, 16, 1, 1}, Stage{6, 24, 2, 2}, Stage{6, 32, 3, 2}, Stage{6, 64, 4, 2},
        Stage{6, 96, 3, 1}, Stage{6, 160, 3, 2}, Stage{6, 320, 1, 1}}) {
    for (uint32_t i = 0; i < s.repeat; ++i) {
      const Builder::Shape input = b.shape();
      const uint32_t stride = i == 0 ? s.stride : 1;
      if (s.expand != 1) b.Conv(input.c * s.expand, 1, 1, true);
      b.Depthwise(3, stride);
      b.Conv(s.channels, 1, 1, false);
      if (stride == 1 && input.c == s.channels) b.Add();
    }
  }
  b.Conv(1280, 1, 1, true);
  b.GlobalAveragePool();
  b.Conv(1000, 1, 1, false);
  return b.Take();
}

uint64_t MacsOf(const Layer& layer) {
  const ConvGeometry& g = layer.g;
  if (layer.kind != LayerKind::kConv && layer.kind != LayerKind::kDepthwiseConv) return 0;
  return uint64_t{g.out_h} * g.out_w * g.out_c * g.kernel_h * g.kernel_w * (g.in_c / g.groups);
}

std::string NameOf(const Layer& layer) {
  const ConvGeometry& g = layer.g;
  static const char* const kKinds[] = {"conv", "depthwise_conv", "add", "max_pool", "average_pool"};
  std::string name = kKinds[static_cast<int>(layer.kind)];
  name +=
      ' ' + std::to_string(g.in_h) + 'x' + std::to_string(g.in_w) + 'x' + std::to_string(g.in_c);
  if (layer.kind == LayerKind::kAdd) return name;
  name += ' ' + std::to_string(g.kernel_h) + 'x' + std::to_string(g.kernel_w);
  if (g.stride_h != 1) name += '/' + std::to_string(g.stride_h);
  if (layer.kind == LayerKind::kConv) name += " to " + std::to_string(g.out_c);
  return name;
}

}  // namespace octet::bench
