// The benchmark networks, layer by layer.
#include <stdexcept>

#include "bench/models/network.h"

namespace octet::bench {
namespace {

constexpr Activation kNone = Activation::kNone, kRelu = Activation::kRelu,
                     kRelu6 = Activation::kRelu6;
constexpr int64_t kClasses = 1000;  // ImageNet

int ResNetStem(NetworkBuilder& b) {
  return b.MaxPool(b.Conv(0, 64, 7, 2, kRelu), 3, 2, 1);
}

// Two 3x3 convolutions around an identity, or a strided 1x1 where the shape changes.
int BasicBlock(NetworkBuilder& b, int x, int64_t channels, int64_t stride) {
  const bool same = stride == 1 && b.Channels(x) == channels;
  const int shortcut = same ? x : b.Conv(x, channels, 1, stride, kNone);
  const int y = b.Conv(b.Conv(x, channels, 3, stride, kRelu), channels, 3, 1, kNone);
  return b.Add(y, shortcut, kRelu);
}

Network ResNet18() {
  NetworkBuilder b("resnet18", 3, 224, 224);
  int x = ResNetStem(b);
  for (const int64_t channels : {64, 128, 256, 512}) {
    x = BasicBlock(b, x, channels, channels == 64 ? 1 : 2);
    x = BasicBlock(b, x, channels, 1);
  }
  b.Gemm(b.GlobalAveragePool(x), kClasses);
  return b.Take();
}

// The stride is on the 3x3, as torchvision has it.
Network ResNet50() {
  NetworkBuilder b("resnet50", 3, 224, 224);
  int x = ResNetStem(b);
  struct Stage {
    int64_t channels, blocks, stride;
  };
  for (const Stage& stage : {Stage{64, 3, 1}, {128, 4, 2}, {256, 6, 2}, {512, 3, 2}}) {
    for (int64_t i = 0; i < stage.blocks; ++i) {
      const int64_t stride = i == 0 ? stage.stride : 1;
      const int shortcut = i == 0 ? b.Conv(x, stage.channels * 4, 1, stride, kNone) : x;
      int y = b.Conv(x, stage.channels, 1, 1, kRelu);
      y = b.Conv(y, stage.channels, 3, stride, kRelu);
      x = b.Add(b.Conv(y, stage.channels * 4, 1, 1, kNone), shortcut, kRelu);
    }
  }
  b.Gemm(b.GlobalAveragePool(x), kClasses);
  return b.Take();
}

Network MobileNetV1(const std::string& name, int64_t size, int64_t divisor, int64_t classes) {
  NetworkBuilder b(name, 3, size, size);
  int x = b.Conv(0, 32 / divisor, 3, 2, kRelu6);
  struct Pair {
    int64_t channels, stride;
  };
  for (const Pair& p : {Pair{64, 1},
                        {128, 2},
                        {128, 1},
                        {256, 2},
                        {256, 1},
                        {512, 2},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {512, 1},
                        {1024, 2},
                        {1024, 1}}) {
    x = b.Conv(b.Depthwise(x, p.stride, kRelu6), p.channels / divisor, 1, 1, kRelu6);
  }
  b.Gemm(b.GlobalAveragePool(x), classes);
  return b.Take();
}

Network MobileNetV2() {
  NetworkBuilder b("mobilenet_v2", 3, 224, 224);
  int x = b.Conv(0, 32, 3, 2, kRelu6);
  struct Stage {
    int64_t expansion, channels, blocks, stride;
  };
  for (const Stage& stage : {Stage{1, 16, 1, 1},
                             {6, 24, 2, 2},
                             {6, 32, 3, 2},
                             {6, 64, 4, 2},
                             {6, 96, 3, 1},
                             {6, 160, 3, 2},
                             {6, 320, 1, 1}}) {
    for (int64_t i = 0; i < stage.blocks; ++i) {
      const int64_t stride = i == 0 ? stage.stride : 1, in = b.Channels(x);
      int y = stage.expansion == 1 ? x : b.Conv(x, in * stage.expansion, 1, 1, kRelu6);
      y = b.Conv(b.Depthwise(y, stride, kRelu6), stage.channels, 1, 1, kNone);
      x = stride == 1 && in == stage.channels ? b.Add(y, x, kNone) : y;
    }
  }
  x = b.Conv(x, 1280, 1, 1, kRelu6);
  b.Gemm(b.GlobalAveragePool(x), kClasses);
  return b.Take();
}

Network ResNet8() {
  NetworkBuilder b("resnet8", 3, 32, 32);
  int x = b.Conv(0, 16, 3, 1, kRelu);
  for (const int64_t channels : {16, 32, 64}) {
    x = BasicBlock(b, x, channels, channels == 16 ? 1 : 2);
  }
  b.Gemm(b.GlobalAveragePool(x), 10);
  return b.Take();
}

// Keyword spotting: 49 frames of 10 coefficients.
Network DsCnn() {
  NetworkBuilder b("ds_cnn", 1, 49, 10);
  int x = b.Conv(0, {64, 10, 4, 2, 1, {4, 1, 5, 1}}, kRelu);
  for (int i = 0; i < 4; ++i) x = b.Conv(b.Depthwise(x, 1, kRelu), 64, 1, 1, kRelu);
  b.Gemm(b.GlobalAveragePool(x), 12);
  return b.Take();
}

}  // namespace

std::vector<std::string> NetworkNames() {
  return {"resnet18", "resnet50", "mobilenet_v1", "mobilenet_v2", "resnet8", "vww", "ds_cnn"};
}

Network MakeNetwork(const std::string& name) {
  if (name == "resnet18") return ResNet18();
  if (name == "resnet50") return ResNet50();
  if (name == "mobilenet_v1") return MobileNetV1(name, 224, 1, kClasses);
  if (name == "mobilenet_v2") return MobileNetV2();
  if (name == "resnet8") return ResNet8();
  if (name == "vww") return MobileNetV1(name, 96, 4, 2);
  if (name == "ds_cnn") return DsCnn();
  throw std::invalid_argument("no network '" + name + "'");
}

}  // namespace octet::bench
