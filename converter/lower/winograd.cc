#include "converter/lower/winograd.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "runtime/format/winograd.h"

namespace octet::lower {
namespace {

constexpr int64_t kOutputBlock = 16;  // output channels

// G: row of the transform, tap.
using Rows = std::vector<std::array<int, 3>>;
const Rows kRows2 = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
const Rows kRows4 = {{6, 0, 0}, {-4, -4, -4}, {-4, 4, -4}, {1, 2, 4}, {1, -2, 4}, {0, 0, 6}};

// Weight of output o and k = tap * in_c + c, as ConvParams stores it.
int WeightAt(const Bytes& weights, int64_t groups, int64_t o, int64_t k) {
  const int64_t at =
      ((o / kOutputBlock * groups + k / 4) * kOutputBlock + o % kOutputBlock) * 4 + k % 4;
  return static_cast<int8_t>(weights[static_cast<size_t>(at)]);
}

// The largest sum of |w| of an output: |acc| without bias is at most 128 times as much.
int64_t LargestSum(const Bytes& weights, int64_t out_c, int64_t depth) {
  int64_t largest = 0;
  for (int64_t o = 0; o < out_c; ++o) {
    int64_t sum = 0;
    for (int64_t k = 0; k < depth; ++k) sum += std::abs(WeightAt(weights, (depth + 3) / 4, o, k));
    largest = std::max(largest, sum);
  }
  return largest;
}

// Cycles of a small in-order core (Cortex-A53) for one layer. The rates are those of the NEON
// kernels (instructions counted under QEMU, which llvm-mca bears out within a few percent); the
// price of a byte is that of main memory, 2 GB/s at 1.2 GHz, paid where weights do not stay in a
// level 2 cache of 512 KB that activations share.
constexpr double kDirectMacsPerCycle = 4.6;
constexpr double kWinogradMacsPerCycle = 3.6;
constexpr double kCyclesPerByte = 0.6;
constexpr double kResidentBytes = 256 * 1024;

double TrafficCycles(double weight_bytes, double passes) {
  return kCyclesPerByte * weight_bytes * (weight_bytes > kResidentBytes ? passes : 1);
}

double DirectCycles(const Layer& layer) {
  return static_cast<double>(layer.macs) / kDirectMacsPerCycle +
         TrafficCycles(static_cast<double>(layer.weights.size()), 1);
}

double WinogradCycles(const Tensor& in, const Tensor& out, int m) {
  const auto positions = static_cast<double>(WinogradPositions(static_cast<uint64_t>(m)));
  const auto tiles = static_cast<double>(
      WinogradTileCount(static_cast<uint64_t>(m), out.dims[1], out.dims[2]) * out.dims[0]);
  const auto block = static_cast<double>(
      WinogradTileBlock(static_cast<uint64_t>(m), in.dims[3], out.dims[1], out.dims[2]));
  const double outputs =
      static_cast<double>((out.dims[3] + kOutputBlock - 1) / kOutputBlock * kOutputBlock);
  const double inputs = in.dims[3];
  // Instructions of the transforms: of 8 input channels of a tile, of 4 outputs of a tile.
  const double input_cost = m == 2 ? 100 : 300, output_cost = m == 2 ? 60 : 230;
  return positions * tiles * inputs * outputs / kWinogradMacsPerCycle +
         tiles * (inputs / 8 * input_cost + outputs / 4 * output_cost) +
         TrafficCycles(positions * inputs * outputs * 2, tiles / block);
}

}  // namespace

std::vector<int16_t> TransformWeights(const Bytes& weights, int64_t out_c, int64_t in_c, int m) {
  const Rows& rows = m == 2 ? kRows2 : kRows4;
  const int64_t blocks = (out_c + kOutputBlock - 1) / kOutputBlock;
  const int64_t groups = (9 * in_c + 3) / 4;
  std::vector<int16_t> result(rows.size() * rows.size() *
                              static_cast<size_t>(blocks * in_c * kOutputBlock));
  for (int64_t o = 0; o < out_c; ++o) {
    for (int64_t c = 0; c < in_c; ++c) {
      int w[3][3];
      for (int tap = 0; tap < 9; ++tap)
        w[tap / 3][tap % 3] = WeightAt(weights, groups, o, tap * in_c + c);
      for (size_t u = 0; u < rows.size(); ++u) {
        for (size_t v = 0; v < rows.size(); ++v) {
          int sum = 0;
          for (size_t i = 0; i < 3; ++i) {
            for (size_t j = 0; j < 3; ++j) sum += rows[u][i] * rows[v][j] * w[i][j];
          }
          const int64_t position = static_cast<int64_t>(u * rows.size() + v);
          const int64_t at =
              ((position * blocks + o / kOutputBlock) * in_c + c) * kOutputBlock + o % kOutputBlock;
          result[static_cast<size_t>(at)] = static_cast<int16_t>(sum);
        }
      }
    }
  }
  return result;
}

int ChooseWinograd(const Program& program, const Layer& layer) {
  if (layer.op != blob::Op::kConv || layer.precision != blob::Precision::kInt8) return 0;
  const auto p = layer.Get<blob::ConvParams>();
  const Tensor& in = program.tensors[static_cast<size_t>(layer.inputs[0])];
  const Tensor& out = program.tensors[static_cast<size_t>(layer.output)];
  if (p.kernel_h != 3 || p.kernel_w != 3 || p.stride_h != 1 || p.stride_w != 1 ||
      p.dilation_h != 1 || p.dilation_w != 1 || p.groups != 1 || in.dims[3] % 8 != 0) {
    return 0;
  }
  const int64_t largest = LargestSum(layer.weights, out.dims[3], int64_t{9} * in.dims[3]);
  int best = 0;
  double cycles = DirectCycles(layer);
  for (const int m : {2, 4}) {
    const int64_t bound = int64_t{1} << (m == 2 ? 29 : 25);
    if (128 * largest >= bound || WinogradCycles(in, out, m) >= cycles) continue;
    best = m;
    cycles = WinogradCycles(in, out, m);
  }
  return best;
}

void AddTransformedWeights(Program* program) {
  for (Layer& layer : program->layers) {
    const int m = ChooseWinograd(*program, layer);
    if (m == 0) continue;
    layer.layout = m == 2 ? blob::Layout::kWinograd2 : blob::Layout::kWinograd4;
    const uint32_t in_c = program->tensors[static_cast<size_t>(layer.inputs[0])].dims[3];
    const uint32_t out_c = program->tensors[static_cast<size_t>(layer.output)].dims[3];
    layer.extra = ToBytes(TransformWeights(layer.weights, out_c, in_c, m));
  }
}

}  // namespace octet::lower
