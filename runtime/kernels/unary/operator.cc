// Unary: from the blob's record to kernel arguments.
#include "runtime/kernels/check.h"
#include "runtime/kernels/share.h"

namespace octet {

namespace {

constexpr uint64_t kTableBytes = 256;

// One table, or several and an index into them for every channel.
bool HasTables(const LayerView& view) {
  const blob::LayerRecord& layer = *view.layer;
  if (!HasChannelTables(layer)) return HasData(layer.table, kTableBytes, 1);
  const uint32_t channels = OutputOf(view).dims[3];
  if (layer.table.bytes == 0 || layer.table.bytes % kTableBytes != 0) return false;
  if (!HasData(layer.extra, channels, 1)) return false;
  const uint8_t* index = view.tables + layer.extra.offset;
  for (uint32_t c = 0; c < channels; ++c) {
    if (index[c] >= layer.table.bytes / kTableBytes) return false;
  }
  return true;
}

}  // namespace

bool CheckUnaryLayer(const LayerView& view) {
  if (!HasTypes(view, 1) || !SameShape(InputOf(view, 0), OutputOf(view))) return false;
  if (IsInt8(view)) return HasTables(view);
  const blob::UnaryParams& p = ParamsOf<blob::UnaryParams>(view);
  if (p.function == blob::Function::kTable16) {
    return HasData(view.layer->table, blob::kHalfTableEntries * sizeof(uint16_t), 4);
  }
  return HasFunction(p.function, p.alpha, p.beta);
}

void RunUnaryLayer(const LayerView& view, const RunContext& context) {
  const blob::UnaryParams& p = ParamsOf<blob::UnaryParams>(view);
  const blob::TensorRecord& out = OutputOf(view);
  const uint32_t count = (uint32_t)ElementCount(out);
  const uint8_t* input = PlaceOf(context, InputOf(view, 0));
  uint8_t* output = PlaceOf(context, out);
  if (IsInt8(view) && HasChannelTables(*view.layer)) {
    const uint32_t channels = out.dims[3];
    const ChannelTableS8Args args = {
        input,       output,        count / channels,
        channels,    TableOf(view), view.tables + view.layer->extra.offset,
        context.sign};
    context.kernels->channel_table_s8(args, context.share);
  } else if (IsInt8(view)) {
    const TableS8Args args = {input, output, count, TableOf(view), context.sign};
    context.kernels->table_s8(args, context.share);
  } else if (p.function == blob::Function::kTable16) {
    const uint16_t* table =
        reinterpret_cast<const uint16_t*>(view.tables + view.layer->table.offset);
    const uint16_t* from = reinterpret_cast<const uint16_t*>(input);
    uint16_t* to = reinterpret_cast<uint16_t*>(output);
    const Range range = RangeOf(count, context.share);
    for (uint64_t i = range.begin; i < range.end; ++i) to[i] = table[from[i]];
  } else {
    const UnaryF16Args args = {reinterpret_cast<const uint16_t*>(input),
                               reinterpret_cast<uint16_t*>(output),
                               count,
                               p.function,
                               p.alpha,
                               p.beta};
    context.kernels->unary_f16(args, context.share);
  }
}

Isa UnaryLayerLevel(const LayerView& view, const KernelTable& kernels) {
  if (HasChannelTables(*view.layer)) return kernels.channel_table_s8_isa;
  return IsInt8(view) ? kernels.table_s8_isa : kernels.unary_f16_isa;
}

}  // namespace octet
