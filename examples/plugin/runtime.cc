// The runtime's part: check and kernels. Every program that verifies or runs blobs with the
// operator needs it, also on a board without heap or exceptions.
#include "hard_swish_squared.h"
#include "runtime/core/half.h"
#include "runtime/kernels/check.h"
#include "runtime/kernels/plugin.h"
#include "runtime/kernels/share.h"

namespace {

using namespace octet;

// A blob may come from anywhere: everything that Run depends on is checked here.
bool Check(const LayerView& view) {
  if (!HasTypes(view, 1) || !SameShape(InputOf(view, 0), OutputOf(view))) return false;
  return !IsInt8(view) || HasData(view.layer->table, 256, 1);
}

uint64_t Scratch(const LayerView&) {
  return 0;
}

void Run(const LayerView& view, const RunContext& context) {
  const Range range = RangeOf(ElementCount(OutputOf(view)), context.share);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, OutputOf(view));
  if (IsInt8(view)) {
    // The byte in the arena is q ^ sign (kernels/operator.h); tables are indexed by q + 128.
    const int8_t* table = TableOf(view);
    for (uint64_t i = range.begin; i < range.end; ++i) {
      output[i] =
          (uint8_t)((uint8_t)table[(uint8_t)(input[i] ^ context.sign) ^ 0x80] ^ context.sign);
    }
    return;
  }
  const uint16_t* x = reinterpret_cast<const uint16_t*>(input);
  uint16_t* y = reinterpret_cast<uint16_t*>(output);
  for (uint64_t i = range.begin; i < range.end; ++i) {
    y[i] = FloatToHalf(example::HardSwishSquared(HalfToFloat(x[i])));
  }
}

constexpr PluginOperator kPlugins[] = {
    {example::kHardSwishSquared, "hard_swish_squared", Check, Scratch, Run}};

}  // namespace

const octet::PluginOperator* octet::PluginOperators(uint32_t* count) {
  *count = 1;
  return kPlugins;
}
