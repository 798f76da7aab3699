// Concat: copies of contiguous runs; an int8 input of another scale goes through its own table.
#include "runtime/kernels/check.h"
#include "runtime/kernels/copy.h"
#include "runtime/kernels/share.h"

namespace octet {
namespace {

uint32_t AxisOf(const LayerView& v) {
  return ParamsOf<blob::ConcatParams>(v).axis;
}

// Bytes of `t` from the axis inwards: what lies together in the output.
uint64_t RunBytes(const blob::TensorRecord& t, uint32_t axis) {
  uint64_t bytes = ElementBytes(t);
  for (uint32_t i = axis; i < 4; ++i) bytes *= t.dims[i];
  return bytes;
}

// One input's part of the output: its runs lie together in the input and out_run apart in the
// output.
struct Part {
  const uint8_t* input;
  uint8_t* output;
  uint64_t run, out_run;
};

// Bytes [at, end) of the input, which stand at `from`.
void CopyPart(const KernelTable& kernels, const Part& part, const uint8_t* from, uint64_t at,
              uint64_t end) {
  while (at < end) {
    const uint64_t in_run = at % part.run;
    uint8_t* to = part.output + at / part.run * part.out_run + in_run;
    uint64_t bytes = part.run - in_run;
    if (bytes > end - at) bytes = end - at;
    if (in_run == 0 && bytes == part.run) {
      const uint64_t runs = (end - at) / part.run;
      const CopyRunsArgs args = {to, from, part.out_run, part.run, runs, (size_t)part.run};
      kernels.copy_runs(args, Share{0, 1});
      bytes = runs * part.run;
    } else {
      CopyRun(to, from, (size_t)bytes);
    }
    at += bytes;
    from += bytes;
  }
}

// Bytes [at, end) of the input through a table. Long runs go through the table on their way; short
// ones a block at a time, so that the kernel has something to chew on.
void MapPart(const Part& part, uint64_t at, uint64_t end, const int8_t* table,
             const RunContext& context) {
  constexpr uint64_t kBlock = 512;
  uint8_t block[kBlock];
  const bool is_long = part.run >= kBlock;
  while (at < end) {
    uint64_t bytes = is_long ? part.run - at % part.run : kBlock;
    if (bytes > end - at) bytes = end - at;
    uint8_t* to = is_long ? part.output + at / part.run * part.out_run + at % part.run : block;
    const TableS8Args args = {part.input + at, to, (uint32_t)bytes, table, context.sign};
    context.kernels->table_s8(args, Share{0, 1});
    if (!is_long) CopyPart(*context.kernels, part, block, at, at + bytes);
    at += bytes;
  }
}

// An input of the output's own scale, beside others that are not. What the table says, not what the
// tensors do: scales may move while the network runs, and tables with them.
bool KeepsCodes(const int8_t* table) {
  int difference = 0;
  for (int q = -128; q < 128; ++q) difference |= table[q + 128] ^ q;
  return difference == 0;
}

}  // namespace

bool CheckConcatLayer(const LayerView& view) {
  if (!HasOneType(view, 0)) return false;
  const uint32_t axis = AxisOf(view);
  if (axis > 3) return false;
  const blob::TensorRecord& out = OutputOf(view);
  const bool mapped = IsInt8(view) && !IsAbsent(view.layer->table);
  const uint32_t count = view.layer->input_count;
  if (mapped && !HasData(view.layer->table, (uint64_t)count * 256, 1)) return false;
  uint64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const blob::TensorRecord& in = InputOf(view, i);
    for (uint32_t d = 0; d < 4; ++d) {
      if (d != axis && in.dims[d] != out.dims[d]) return false;
    }
    if (IsInt8(view) && !mapped && !SameQuantization(in, out)) return false;
    sum += in.dims[axis];
  }
  return sum == out.dims[axis];
}

void RunConcatLayer(const LayerView& view, const RunContext& context) {
  const uint32_t axis = AxisOf(view);
  const blob::TensorRecord& out = OutputOf(view);
  const uint64_t out_run = RunBytes(out, axis);
  const uint32_t count = view.layer->input_count;
  const int8_t* tables = IsInt8(view) ? TableOf(view) : nullptr;
  const auto table_of = [&](uint32_t i) {
    return tables == nullptr ? nullptr : tables + (uint64_t)i * 256;
  };
  const auto keeps = [&](uint32_t i) { return tables == nullptr || KeepsCodes(table_of(i)); };
  // Short runs of all inputs are written together, while the output's lines are in the first cache.
#if OCTET_ARCH_CORTEX_M  // which has none
  constexpr uint64_t kTogether = 0;
#else
  constexpr uint64_t kTogether = 8192;
#endif
  const uint64_t runs = out.bytes / out_run, block = kTogether / out_run;
  uint64_t kept = 0;  // of the first 64 inputs, which every block asks for
  for (uint32_t i = 0; block != 0 && i < count && i < 64; ++i) kept |= (uint64_t)keeps(i) << i;
  const Range range = block == 0 ? Range{0, 1} : RangeOf(runs, context.share);
  for (uint64_t first = range.begin; first < range.end; first += block == 0 ? 1 : block) {
    const uint64_t end = range.end - first < block ? range.end : first + block;
    uint64_t out_offset = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const blob::TensorRecord& in = InputOf(view, i);
      const uint64_t run = RunBytes(in, axis);
      const Range bytes =
          block == 0 ? RangeOf(in.bytes, context.share) : Range{first * run, end * run};
      const Part part = {PlaceOf(context, in), PlaceOf(context, out) + out_offset, run, out_run};
      if (block != 0 && i < 64 ? (kept >> i & 1) != 0 : keeps(i)) {
        CopyPart(*context.kernels, part, part.input + bytes.begin, bytes.begin, bytes.end);
      } else {
        MapPart(part, bytes.begin, bytes.end, table_of(i), context);
      }
      out_offset += run;
    }
  }
}

Isa ConcatLayerLevel(const LayerView&, const KernelTable& kernels) {
  return kernels.copy_runs_isa;
}

}  // namespace octet
