// The layers of the benchmark networks, in order, as kernels and geometries.
#ifndef OCTET_BENCH_KERNELS_NETWORKS_H_
#define OCTET_BENCH_KERNELS_NETWORKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/kernels/kernel_table.h"

namespace octet::bench {

enum class LayerKind { kConv, kDepthwiseConv, kAdd, kMaxPool, kAveragePool };

struct Layer {
  LayerKind kind;
  ConvGeometry g;  // kAdd: in_h, in_w, in_c
  bool relu;
};

struct Network {
  std::string name;
  std::vector<Layer> layers;
};

Network ResNet18();
Network MobileNetV2();

uint64_t MacsOf(const Layer& layer);  // 0 for layers without weights
std::string NameOf(const Layer& layer);

}  // namespace octet::bench

#endif  // OCTET_BENCH_KERNELS_NETWORKS_H_
