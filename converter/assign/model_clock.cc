#include <algorithm>
#include <cmath>
#include <string_view>

#include "converter/assign/clock.h"
#include "converter/support/error.h"

namespace octet::assign {
namespace {

using blob::Op;
using blob::Precision;

// Numbers of one core at an ISA word. FP16 values are computed in FP32, as all plans do that do
// not ask for more.
//
// x86: least squares over the convolutions of YOLOv8n at 640x640 in octet-run --profile, one vCPU
// of a Sapphire Rapids class Xeon whose clock is what its measured peak says (57.5 GMAC/s of FP32
// at 16 a cycle: 3.6 GHz). Median deviation of a layer: int8 3 % (amx 15 %), FP16 7 % with 256 bit
// and 19 % with 512. Bytes: its Add and Concat layers.
// ARM: not measured, for want of boards. Multiplications: MACs a cycle that the cores' data sheets
// give (SMLAL 8 on Cortex-A53 to A73, SDOT 32 on Cortex-A76, SMMLA 64 on Cortex-A720; FP32 4, 8
// and 8), times the share of that port limit that llvm-mca finds in the inner loops (0.8 for
// SMLAL, 1 for SDOT and SMMLA: bench/README.md) and 0.9 for what surrounds them, as on x86 at
// avxvnni. Elements and bytes: those of avx2 at half its width.
struct Core {
  std::string_view isa;
  double int8_macs, half_macs;        // a cycle
  double int8_element, half_element;  // cycles
  double bytes;                       // a cycle
};
constexpr Core kCores[] = {
    {"neon", 5.8, 2.9, 3.7, 5.3, 4.5},   {"dotprod", 29, 7.2, 1.3, 5.3, 4.5},
    {"i8mm", 58, 7.2, 1.3, 5.3, 4.5},    {"avx2", 25, 11.4, 1.84, 2.6, 9},
    {"avxvnni", 58, 11.4, 0.67, 2.6, 9}, {"avx512vnni", 95, 13.8, 0.46, 1.6, 10},
    {"amx", 381, 13.8, 0.40, 1.6, 10},
};
// Depthwise layers, as a share of the MACs above: MobileNetV2 on the same machine, 0.13 to 0.15 in
// int8 at all words, 0.26 to 0.33 in FP16.
constexpr double kDepthwiseInt8 = 0.14, kDepthwiseHalf = 0.3;
// Bytes through tables and functions, as a share of plain ones: 2.0 to 4.1 a cycle there; Softmax
// and pooling in FP16 0.4.
constexpr double kFunctionShare = 0.25, kSoftmaxShare = 0.05;
// Int8 3x3 layers with transformed weights: ResNet18 at neon takes half the instructions with them
// (bench/README.md).
constexpr double kWinogradGain = 2;

uint64_t Elements(const lower::Program& program, int tensor) {
  return program.tensors[static_cast<size_t>(tensor)].Elements();
}

class CoreClock : public Clock {
 public:
  CoreClock(const Core& core, double clock_mhz, bool winograd, std::string source)
      : core_(core), clock_mhz_(clock_mhz), winograd_(winograd), source_(std::move(source)) {}

  int64_t NsOf(const lower::Program& program, const lower::Layer& layer) const override {
    const bool int8 = layer.precision == Precision::kInt8;
    double cycles = 0;
    if (layer.macs > 0) {
      double rate = int8 ? core_.int8_macs : core_.half_macs;
      if (layer.op == Op::kDepthwiseConv) rate *= int8 ? kDepthwiseInt8 : kDepthwiseHalf;
      if (int8 && winograd_ && IsTransformed(program, layer)) rate *= kWinogradGain;
      cycles = static_cast<double>(layer.macs) / rate +
               static_cast<double>(Elements(program, layer.output)) *
                   (int8 ? core_.int8_element : core_.half_element);
    } else {
      cycles = static_cast<double>(BytesOf(program, layer)) / (core_.bytes * ShareOf(layer));
    }
    return std::llround(cycles * 1000 / clock_mhz_);
  }

  int64_t ConversionNs(uint64_t elements) const override {
    // One byte on one side, two on the other.
    return std::llround(3 * static_cast<double>(elements) / core_.bytes * 1000 / clock_mhz_);
  }

  std::string Source() const override { return source_; }

 private:
  static uint64_t BytesOf(const lower::Program& program, const lower::Layer& layer) {
    if (layer.op == Op::kReshape || layer.op == Op::kConstant) return 0;  // hardly anything moves
    uint64_t bytes = program.tensors[static_cast<size_t>(layer.output)].Size();
    for (int input : layer.inputs) bytes += program.tensors[static_cast<size_t>(input)].Size();
    return bytes;
  }

  static double ShareOf(const lower::Layer& layer) {
    const bool int8 = layer.precision == Precision::kInt8;
    if (layer.op == Op::kUnary) return kFunctionShare;
    if (layer.op == Op::kSoftmax || layer.op == Op::kAxisSoftmax) return kSoftmaxShare;
    if (layer.op == Op::kMaxPool) return int8 ? kFunctionShare : kSoftmaxShare;
    return 1;
  }

  // As lower/winograd.h says which layers bring such weights.
  static bool IsTransformed(const lower::Program& program, const lower::Layer& layer) {
    if (layer.op != Op::kConv) return false;
    constexpr uint32_t kChannelStep = 8;
    const auto p = layer.Get<blob::ConvParams>();
    return p.kernel_h == 3 && p.kernel_w == 3 && p.stride_h == 1 && p.stride_w == 1 &&
           p.dilation_h == 1 && p.dilation_w == 1 && p.groups == 1 &&
           program.tensors[static_cast<size_t>(layer.inputs[0])].dims[3] % kChannelStep == 0;
  }

  const Core& core_;
  double clock_mhz_;
  bool winograd_;
  std::string source_;
};

}  // namespace

int64_t Clock::NsOf(const lower::Program& program) const {
  int64_t ns = 0;
  for (const lower::Layer& layer : program.layers) ns += NsOf(program, layer);
  return ns;
}

std::unique_ptr<Clock> FindModelClock(const boards::Board& board) {
  // Words stand in the file lowest first.
  for (size_t i = board.isa.size(); i-- > 0;) {
    for (const Core& core : kCores) {
      if (core.isa != board.isa[i]) continue;
      return std::make_unique<CoreClock>(core, static_cast<double>(board.clock_mhz), board.winograd,
                                         fmt::format("cost model of one {} core at {} MHz ({})",
                                                     board.cpu, board.clock_mhz, core.isa));
    }
  }
  return nullptr;
}

std::unique_ptr<Clock> ModelClock(const boards::Board& board) {
  if (auto clock = FindModelClock(board)) return clock;
  Fail(
      "{}: there is no cost model for the cores of {}; measure the layers: octet-run --profile "
      "--json, then --profile FILE",
      board.file, board.name);
}

std::unique_ptr<Clock> DefaultClock() {
  constexpr double kClockMhz = 1000;
  return std::make_unique<CoreClock>(
      kCores[0], kClockMhz, false,
      "cost model of one ARMv8.0 core (neon) at 1000 MHz; give --board "
      "or --profile for your board");
}

}  // namespace octet::assign
