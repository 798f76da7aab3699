// Every int8 kernel of the levels of Cortex-M beside the reference, without an operating system:
// random shapes with all tails of channels, zero points at both ends. The input ends where memory
// does, so that reading beyond it faults; output and scratch have guards.
#include <string.h>

#include "ports/template/board.h"
#include "runtime/kernels/conv/scratch.h"
#include "runtime/kernels/depthwise_conv/scratch.h"
#include "runtime/kernels/kernel_table.h"

extern "C" const char OCTET_RAM_ORIGIN[], OCTET_RAM_LENGTH[];  // of the linker: their addresses

namespace octet {
namespace {

using board::Write;

constexpr uint32_t kActivations = 32 * 1024, kWeights = 64 * 1024, kBlocks = 8;
constexpr uint32_t kScratch = 48 * 1024, kGuard = 64;
OCTET_BOARD_WORK uint8_t outputs[2][kActivations + 2 * kGuard];
OCTET_BOARD_WORK uint8_t scratch[kScratch + kGuard];
OCTET_BOARD_WORK int8_t weights[kWeights];
OCTET_BOARD_WORK blob::ChannelBlockS8 blocks[kBlocks];
OCTET_BOARD_WORK uint8_t second[kActivations];
int8_t table[256];
Multiplier multipliers[128];
uint32_t failures;

// PCG's output of a linear congruential state.
uint32_t state = 12345;
uint32_t Bits() {
  state = state * 747796405u + 2891336453u;
  const uint32_t word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
  return word >> 22 ^ word;
}
uint32_t Below(uint32_t n) {
  return Bits() % n;
}
uint32_t Between(uint32_t lo, uint32_t hi) {
  return lo + Below(hi - lo + 1);
}
bool OneIn(uint32_t n) {
  return Below(n) == 0;
}
uint8_t Byte() {
  return OneIn(6) ? (OneIn(2) ? 0x80 : 0x7F) : (uint8_t)Bits();
}
int32_t ZeroPoint() {
  return OneIn(3) ? -128 : OneIn(3) ? 127 : (int32_t)Below(256) - 128;
}

void WriteNumber(const char* before, int32_t number) {
  char text[12] = {};
  char* at = text + sizeof(text) - 1;
  uint32_t left = number < 0 ? 0u - (uint32_t)number : (uint32_t)number;
  do {
    *--at = (char)('0' + left % 10);
    left /= 10;
  } while (left != 0);
  if (number < 0) *--at = '-';
  Write(before);
  Write(at);
}

uint8_t* InputOf(uint32_t bytes) {
  uint8_t* const end = (uint8_t*)((uintptr_t)OCTET_RAM_ORIGIN + (uintptr_t)OCTET_RAM_LENGTH);
  uint8_t* const input = end - bytes;
  for (uint32_t i = 0; i < bytes; ++i) input[i] = Byte();
  return input;
}

// A range, mostly the whole one.
template <typename Args>
void PickRange(Args* args) {
  args->in_zero_point = ZeroPoint();
  args->out_zero_point = ZeroPoint();
  args->clamp_lo = OneIn(2) ? -128 : (int32_t)Below(129) - 128;
  args->clamp_hi = OneIn(2) ? 127 : (int32_t)Between(1, 127);
  args->pre_shift = OneIn(6) ? (int32_t)Between(1, kMaxPreShift) : 0;
}

void Say(const char* name, const char* word, const char* what, const ConvGeometry& g) {
  Write(name);
  Write(" ");
  Write(word);
  Write(what);
  WriteNumber(": in ", (int32_t)g.in_h);
  WriteNumber("x", (int32_t)g.in_w);
  WriteNumber("x", (int32_t)g.in_c);
  WriteNumber(", out ", (int32_t)g.out_h);
  WriteNumber("x", (int32_t)g.out_w);
  WriteNumber("x", (int32_t)g.out_c);
  WriteNumber(", window ", (int32_t)g.kernel_h);
  WriteNumber("x", (int32_t)g.kernel_w);
  WriteNumber(", stride ", (int32_t)g.stride_h);
  WriteNumber(" ", (int32_t)g.stride_w);
  WriteNumber(", dilation ", (int32_t)g.dilation_h);
  WriteNumber(" ", (int32_t)g.dilation_w);
  WriteNumber(", padding ", (int32_t)g.pad_top);
  WriteNumber(" ", (int32_t)g.pad_left);
  WriteNumber(", groups ", (int32_t)g.groups);
  Write("\n");
}

// run(output) of both; true where they agree and nothing else was written.
template <typename Args, typename Fn>
void Compare(const char* name, const char* word, Fn reference, Fn kernel, Args args,
             const ConvGeometry& g, uint32_t bytes, uint32_t scratch_bytes) {
  const uint32_t threads = OneIn(3) ? Between(2, 4) : 1;
  for (uint32_t run = 0; run < 2; ++run) {
    memset(outputs[run], 0xA5, bytes + 2 * kGuard);
    args.output = outputs[run] + kGuard;
    memset(scratch, 0x5A, scratch_bytes + kGuard);
    for (uint32_t i = 0; i < (run == 0 ? 1 : threads); ++i) {
      (run == 0 ? reference : kernel)(args, Share{i, run == 0 ? 1 : threads});
    }
    if (run == 0) continue;
    for (uint32_t i = 0; i < kGuard; ++i) {
      if (scratch[scratch_bytes + i] == 0x5A) continue;
      Say(name, word, " wrote behind its scratch", g);
      ++failures;
      return;
    }
  }
  if (memcmp(outputs[0], outputs[1], bytes + 2 * kGuard) == 0) return;
  ++failures;
  Say(name, word, " differs", g);
  for (uint32_t i = 0; i < bytes + 2 * kGuard; ++i) {
    if (outputs[0][i] == outputs[1][i]) continue;
    WriteNumber("  byte ", (int32_t)i - (int32_t)kGuard);
    WriteNumber(" of ", (int32_t)bytes);
    WriteNumber(": ", outputs[1][i]);
    WriteNumber(" for ", outputs[0][i]);
    WriteNumber(", threads ", (int32_t)threads);
    WriteNumber(", pre-shift ", (int32_t)args.pre_shift);
    Write("\n");
    return;
  }
}

// An axis: input, window, stride, dilation and padding that fit each other.
void PickAxis(uint32_t most, bool plain, uint32_t* in, uint32_t* kernel, uint32_t* stride,
              uint32_t* dilation, uint32_t* pad, uint32_t* out) {
  *kernel = plain ? 3 : Between(1, 5);
  *stride = Between(1, plain || !OneIn(4) ? 2 : 3);
  *dilation = plain || !OneIn(4) ? 1 : 2;
  const uint32_t extent = (*kernel - 1) * *dilation + 1;
  *in = Between(1, most);
  *pad = Below(*kernel);
  uint32_t behind = Below(*kernel);
  while (*in + *pad + behind < extent) ++*in;
  *out = (*in + *pad + behind - extent) / *stride + 1;
}

ConvGeometry PickGeometry(bool depthwise, bool pool) {
  for (;;) {
    ConvGeometry g = {};
    const bool plain = OneIn(2);
    const uint32_t wide = OneIn(20) ? 140 : OneIn(3) ? 20 : 7;
    PickAxis(9, plain, &g.in_h, &g.kernel_h, &g.stride_h, &g.dilation_h, &g.pad_top, &g.out_h);
    PickAxis(wide, plain, &g.in_w, &g.kernel_w, &g.stride_w, &g.dilation_w, &g.pad_left, &g.out_w);
    if (plain) {
      g.stride_h = g.stride_w;
      g.out_h = (g.in_h + g.pad_top + Below(3) - 3) / g.stride_h + 1;
      if (g.in_h + g.pad_top < 3) continue;
    } else if (!depthwise && OneIn(2)) {  // single pixels
      g.kernel_h = g.kernel_w = g.dilation_h = g.dilation_w = 1;
      g.pad_top = g.pad_left = 0;
      if (!OneIn(4)) g.stride_h = g.stride_w = 1;
      g.out_h = (g.in_h - 1) / g.stride_h + 1;
      g.out_w = (g.in_w - 1) / g.stride_w + 1;
    }
    g.in_c = Between(1, wide > 20 ? 9 : OneIn(3) ? 70 : 24);
    g.out_c = depthwise || pool ? g.in_c : Between(1, OneIn(3) ? 40 : 20);
    g.groups = depthwise || pool ? g.in_c : 1;
    if (!depthwise && !pool && OneIn(4)) {
      g.groups = Between(2, 4);
      g.in_c = (g.in_c % 8 + 1) * g.groups;
      g.out_c = (g.out_c % 10 + 1) * g.groups;
    }
    const uint32_t depth = g.kernel_h * g.kernel_w * (g.in_c / g.groups);
    if (g.in_h * g.in_w * g.in_c <= kActivations && g.out_h * g.out_w * g.out_c <= kActivations &&
        (g.out_c + 15) / 16 * 16 * (depth + 3) <= kWeights) {
      return g;
    }
  }
}

void PickChannels(ConvS8Args* args, bool depthwise) {
  const ConvGeometry& g = args->g;
  const uint32_t depth = g.kernel_h * g.kernel_w * (g.in_c / g.groups);
  memset(weights, 0, (g.out_c + 15) / 16 * 16 * (depth + 3));
  memset(blocks, 0, sizeof(blocks));
  const bool least = OneIn(5);
  uint32_t typical = 6;
  for (uint32_t d = depth; d > 1; d /= 4) ++typical;
  for (uint32_t o = 0; o < g.out_c; ++o) {
    int32_t sum = 0;
    blob::ChannelBlockS8& block = blocks[o / 16];
    for (uint32_t k = 0; k < depth; ++k) {
      int32_t w = (int32_t)Below(255) - 127;
      if (OneIn(20)) w = least ? -128 : 127;
      const uint32_t place = depthwise
                                 ? (o / 16 * depth + k) * 16 + o % 16
                                 : (o / 16 * ((depth + 3) / 4) + k / 4) * 64 + o % 16 * 4 + k % 4;
      weights[place] = (int8_t)w;
      sum += w;
    }
    const uint32_t large = OneIn(16) ? 1u << 29 : 9999;
    block.bias[o % 16] = (int32_t)Below(2 * large) - (int32_t)large - args->in_zero_point * sum;
    block.weight_sum[o % 16] = sum;
    block.multiplier[o % 16] = OneIn(40) ? 0 : (int32_t)Between(1u << 30, INT32_MAX);
    uint32_t shift = typical + Below(4) + (uint32_t)args->pre_shift;
    if (OneIn(32)) shift = Between(1, 31);
    block.shift[o % 16] = shift > 31 ? 31 : (int32_t)shift;
  }
  for (uint32_t i = 0; i < 16; ++i) {  // lanes that do not exist
    if (g.out_c % 16 != 0 && i >= g.out_c % 16) blocks[g.out_c / 16].shift[i] = 1;
  }
  args->weights = weights;
  args->channels = blocks;
  args->table = OneIn(5) ? table : nullptr;
}

uint32_t ScratchOf(const ConvGeometry& g, Isa isa, bool depthwise) {
  return (uint32_t)(depthwise ? DepthwiseScratch(isa, g, true) : ConvScratchS8(isa, g, 0));
}

constexpr uint32_t kCases = 1500;

void Test(const char* name, const char* word, Isa isa, ConvS8Fn kernel) {
  const bool depthwise = name[0] == 'd';
  for (uint32_t i = 0; i < kCases; ++i) {
    ConvS8Args args = {};
    args.g = PickGeometry(depthwise, false);
    PickRange(&args);
    PickChannels(&args, depthwise);
    args.input = InputOf(args.g.in_h * args.g.in_w * args.g.in_c);
    args.scratch = scratch;
    const uint32_t bytes = args.g.out_h * args.g.out_w * args.g.out_c;
    const uint32_t scratch_bytes = ScratchOf(args.g, isa, depthwise);
    if (scratch_bytes > kScratch) continue;
    Compare(name, word, depthwise ? depthwise_conv_s8_reference : conv_s8_reference, kernel, args,
            args.g, bytes, scratch_bytes);
  }
}

void Test(const char* name, const char* word, Isa, PoolS8Fn kernel) {
  for (uint32_t i = 0; i < kCases; ++i) {
    PoolS8Args args = {};
    args.g = PickGeometry(false, true);
    // A window has a pixel of the image at least.
    args.g.pad_top = args.g.pad_left = 0;
    const ConvGeometry& g = args.g;
    if ((g.out_h - 1) * g.stride_h >= g.in_h || (g.out_w - 1) * g.stride_w >= g.in_w) continue;
    PickRange(&args);
    args.multiplier_count = OneIn(2) ? 1 : g.kernel_h * g.kernel_w;
    for (uint32_t m = 0; m < args.multiplier_count; ++m) {
      multipliers[m] = {(int32_t)Between(1u << 30, INT32_MAX),
                        (int32_t)Between(1, 6) + args.pre_shift};
    }
    args.multipliers = multipliers;
    args.input = InputOf(g.in_h * g.in_w * g.in_c);
    Compare(name, word, name[0] == 'm' ? max_pool_s8_reference : average_pool_s8_reference, kernel,
            args, g, g.out_h * g.out_w * g.out_c, 0);
  }
}

void Test(const char* name, const char* word, Isa, BinaryS8Fn kernel) {
  for (uint32_t i = 0; i < kCases; ++i) {
    BinaryS8Args args = {};
    args.pixels = Between(1, 40);
    args.channels = Between(1, 40);
    const uint32_t bytes = args.pixels * args.channels;
    args.broadcast = (blob::Broadcast)Below(4);
    args.zero_point_a = ZeroPoint();
    args.zero_point_b = ZeroPoint();
    args.out_zero_point = ZeroPoint();
    args.clamp_lo = OneIn(2) ? -128 : (int32_t)Below(129) - 128;
    args.clamp_hi = OneIn(2) ? 127 : (int32_t)Between(1, 127);
    args.shift = (int32_t)Between(OneIn(4) ? 1 : 10, OneIn(4) ? 30 : 18);
    args.multiplier_a = (int32_t)Below(65535) - 32767;
    args.multiplier_b = (int32_t)Below(65535) - 32767;
    if (args.shift < 10) args.multiplier_a %= 64, args.multiplier_b %= 64;
    for (uint32_t k = 0; k < bytes; ++k) second[k] = Byte();
    args.b = second;
    args.a = InputOf(bytes);
    ConvGeometry g = {};
    g.in_w = args.pixels;
    g.in_c = args.channels;
    g.groups = (uint32_t)args.broadcast;
    Compare(name, word, add_s8_reference, kernel, args, g, bytes, 0);
  }
}

// Kernels of other types, and the reference.
template <typename Fn>
void Test(const char*, const char*, Isa, Fn) {}

template <typename Fn>
void TestLine(const char* name, const char* word, Isa isa, Fn kernel) {
  if (isa == Isa::kReference) return;
  const uint32_t before = failures;
  Test(name, word, isa, kernel);
  Write(name);
  Write(" ");
  Write(word);
  Write(failures == before ? ": the bytes of the reference\n" : ": WRONG\n");
}

}  // namespace
}  // namespace octet

int main() {
  octet::board::Start();
  for (int8_t& entry : octet::table) entry = (int8_t)octet::Bits();
  using octet::Isa;
#define OCTET_KERNEL(name, args, word, isa) \
  octet::TestLine(#name, #word, isa, &octet::name##_##word);
#include "runtime/kernels/kernels.inc"
#undef OCTET_KERNEL
  octet::WriteNumber("wrong: ", (int32_t)octet::failures);
  octet::board::Write("\n");
  return octet::failures == 0 ? 0 : 1;
}
