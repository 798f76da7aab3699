#include "runtime/engine/transfer.h"

#include "runtime/kernels/function.h"

namespace octet {
namespace {

// Along the lines of a tensor: whole rows where those lie alike in the strided array, else channels
// or columns, whichever there are more of, so that blocks are full.
struct Lines {
  size_t count, length;
  size_t dense_line, dense_step, strided_line, strided_step;

  Lines(const blob::TensorRecord& tensor, const uint32_t strides[4]) {
    const size_t width = tensor.dims[2], channels = tensor.dims[3];
    const bool rows = strides[3] == 1 && strides[2] == channels;
    const bool columns = !rows && width > channels;
    count = rows ? 1 : (columns ? channels : width);
    length = rows ? width * channels : (columns ? width : channels);
    dense_line = columns ? 1 : channels;
    dense_step = columns ? channels : 1;
    strided_line = columns ? strides[3] : strides[2];
    strided_step = columns ? strides[2] : strides[3];
  }
};

// What is read together: gathered halves take a while until vectors of them can be loaded.
#if OCTET_ARCH_CORTEX_M  // no vectors, and little stack
constexpr size_t kGathered = kOutputBlock;
#else
constexpr size_t kGathered = 4 * kOutputBlock;
#endif

// Calls visit(dense, strided, count) for every piece of a share of a tensor's lines, at most
// kGathered elements each.
template <typename Visit>
void ForEachPiece(const blob::TensorRecord& tensor, const uint32_t strides[4], size_t base,
                  const Lines& lines, Share share, const Visit& visit) {
  const size_t row = (size_t)tensor.dims[2] * tensor.dims[3];
  const Range range = RangeOf((uint64_t)tensor.dims[0] * tensor.dims[1] * lines.count, share);
  for (uint64_t at = range.begin; at < range.end; ++at) {
    const size_t image_row = (size_t)(at / lines.count), line = (size_t)(at % lines.count);
    const size_t n = image_row / tensor.dims[1], h = image_row % tensor.dims[1];
    const size_t dense = image_row * row + line * lines.dense_line;
    const size_t strided = base + n * strides[0] + h * strides[1] + line * lines.strided_line;
    for (size_t i = 0; i < lines.length; i += kGathered) {
      const size_t left = lines.length - i;
      visit(dense + i * lines.dense_step, strided + i * lines.strided_step,
            left < kGathered ? left : kGathered);
    }
  }
}

void LoadHalves(const Session& session, const blob::TensorRecord& tensor,
                const blob::OutputPart& part, const uint16_t* halves, float* values, Share share) {
  const Lines lines(tensor, part.strides);
  const auto function = (blob::Function)part.function;
  ForEachPiece(tensor, part.strides, part.base, lines, share,
               [&](size_t dense, size_t strided, size_t count) {
                 uint16_t from[kGathered];
                 float to[kGathered];
                 for (size_t i = 0; i < count; ++i) from[i] = halves[dense + i * lines.dense_step];
                 size_t whole = count;
                 for (; whole % kOutputBlock != 0; ++whole) from[whole] = 0;
                 session.kernels.output_f16(OutputF16Args{from, to, whole, tensor.scale, function},
                                            Share{0, 1});
                 for (size_t i = 0; i < count; ++i) {
                   values[strided + i * lines.strided_step] = to[i];
                 }
               });
}

// value(q or integer at a place of the dense tensor) for every element.
template <typename ValueAt>
void LoadElements(const blob::TensorRecord& tensor, const blob::OutputPart& part, float* values,
                  Share share, const ValueAt& value) {
  const Lines lines(tensor, part.strides);
  ForEachPiece(tensor, part.strides, part.base, lines, share,
               [&](size_t dense, size_t strided, size_t count) {
                 for (size_t i = 0; i < count; ++i) {
                   values[strided + i * lines.strided_step] = value(dense + i * lines.dense_step);
                 }
               });
}

void LoadPart(const Session& session, const blob::OutputPart& part, float* values, Share share) {
  const blob::TensorRecord& tensor = TensorOf(session, part.tensor);
  const uint8_t* bytes = session.tensors + tensor.arena_offset;
  const auto function = (blob::Function)part.function;
  if (tensor.type == blob::ElementType::kFp16) {
    return LoadHalves(session, tensor, part, reinterpret_cast<const uint16_t*>(bytes), values,
                      share);
  }
  if (tensor.type == blob::ElementType::kInt32) {
    const int32_t* integers = reinterpret_cast<const int32_t*>(bytes);
    return LoadElements(tensor, part, values, share, [=](size_t dense) {
      return ApplyFunction(function, (float)integers[dense], 0.0f, 0.0f);
    });
  }
  // Every value a byte of the arena can stand for.
  float table[256];
  for (int32_t q = -128; q < 128; ++q) {
    const float value = tensor.scale * (float)(q - tensor.zero_point);
    table[((uint32_t)q & 0xFF) ^ session.sign] = ApplyFunction(function, value, 0.0f, 0.0f);
  }
  LoadElements(tensor, part, values, share, [&](size_t dense) { return table[bytes[dense]]; });
}

// What the threads of a session share: task(share).
template <typename Task>
void RunShared(const Session& session, const Task& task) {
  struct Context {
    const Task* task;
    uint32_t count;
  } context = {&task, session.thread_count};
  if (session.pool.run == nullptr) return task(Share{0, 1});
  session.pool.run(
      session.pool.context,
      [](void* argument, uint32_t index) {
        const Context& c = *static_cast<const Context*>(argument);
        (*c.task)(Share{index, c.count});
      },
      &context);
}

}  // namespace

const blob::TensorRecord& TensorOf(const Session& session, uint32_t tensor) {
  return session.records[tensor];
}

void StoreFloats(const Session& session, uint32_t input, const float* values) {
  const blob::TensorRecord& tensor =
      TensorOf(session, PlanInputTensor(session.blob, CurrentPlan(session), input));
  uint8_t* bytes = session.tensors + tensor.arena_offset;
  const uint32_t* strides = session.blob.inputs[input].strides;
  const uint32_t* d = tensor.dims;
  if (tensor.type == blob::ElementType::kInt32) {
    int32_t* integers = reinterpret_cast<int32_t*>(bytes);
    const Lines lines(tensor, strides);
    ForEachPiece(tensor, strides, 0, lines, Share{0, 1},
                 [&](size_t dense, size_t strided, size_t count) {
                   for (size_t i = 0; i < count; ++i) {
                     integers[dense + i * lines.dense_step] =
                         FloatToInt32(values[strided + i * lines.strided_step]);
                   }
                 });
    return;
  }
  if (tensor.type == blob::ElementType::kFp16) {
    const InputF16Args args = {values,
                               {d[0], d[1], d[2], d[3]},
                               {strides[0], strides[1], strides[2], strides[3]},
                               1.0f / tensor.scale,  // exact: a power of two
                               reinterpret_cast<uint16_t*>(bytes)};
    return RunShared(session, [&](Share share) { session.kernels.input_f16(args, share); });
  }
  const InputF32Args args = {
      values,       {d[0], d[1], d[2], d[3]}, {strides[0], strides[1], strides[2], strides[3]},
      tensor.scale, tensor.zero_point,        session.sign,
      bytes};
  RunShared(session, [&](Share share) { session.kernels.input_f32(args, share); });
}

void StoreFrame(const Session& session, uint32_t input, const Frame& frame) {
  const blob::TensorRecord& tensor =
      TensorOf(session, PlanInputTensor(session.blob, CurrentPlan(session), input));
  const uint16_t* entries =
      session.input_tables + InputTableIndex(session.blob, input) * kInputTableEntries;
  const InputFrameArgs args = MakeInputFrameArgs(frame, session.blob.inputs[input], tensor, entries,
                                                 session.tensors + tensor.arena_offset);
  RunShared(session, [&](Share share) { session.kernels.input_frame(args, share); });
}

void LoadFloats(const Session& session, uint32_t output, float* values) {
  const PartRange range = PlanOutputParts(session.blob, CurrentPlan(session), output);
  RunShared(session, [&](Share share) {
    for (uint32_t i = 0; i < range.count; ++i) {
      LoadPart(session, session.blob.parts[range.first + i], values, share);
    }
  });
}

}  // namespace octet
