#include "runtime/engine/transfer.h"

#include "runtime/kernels/function.h"

namespace octet {
namespace {

// Calls visit(position in the dense tensor, position in the strided array) for every element of the
// tensor.
template <typename Visit>
void ForEachElement(const blob::TensorRecord& tensor, const uint32_t strides[4], size_t base,
                    const Visit& visit) {
  size_t dense = 0;
  for (uint32_t n = 0; n < tensor.dims[0]; ++n) {
    for (uint32_t h = 0; h < tensor.dims[1]; ++h) {
      for (uint32_t w = 0; w < tensor.dims[2]; ++w) {
        size_t strided =
            base + (size_t)n * strides[0] + (size_t)h * strides[1] + (size_t)w * strides[2];
        for (uint32_t c = 0; c < tensor.dims[3]; ++c, ++dense, strided += strides[3]) {
          visit(dense, strided);
        }
      }
    }
  }
}

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
constexpr size_t kGathered = 4 * kOutputBlock;

// Calls visit(dense, strided, count) for every piece of a tensor, at most kGathered elements of a
// line.
template <typename Visit>
void ForEachBlock(const blob::TensorRecord& tensor, const uint32_t strides[4], size_t base,
                  const Lines& lines, const Visit& visit) {
  const size_t row = (size_t)tensor.dims[2] * tensor.dims[3];
  for (size_t n = 0; n < tensor.dims[0]; ++n) {
    for (size_t h = 0; h < tensor.dims[1]; ++h) {
      const size_t dense = (n * tensor.dims[1] + h) * row;
      const size_t strided = base + n * strides[0] + h * strides[1];
      for (size_t line = 0; line < lines.count; ++line) {
        for (size_t i = 0; i < lines.length; i += kGathered) {
          const size_t left = lines.length - i;
          visit(dense + line * lines.dense_line + i * lines.dense_step,
                strided + line * lines.strided_line + i * lines.strided_step,
                left < kGathered ? left : kGathered);
        }
      }
    }
  }
}

void LoadHalves(const Session& session, const blob::TensorRecord& tensor,
                const blob::OutputPart& part, const uint16_t* halves, float* values) {
  const Lines lines(tensor, part.strides);
  const auto function = (blob::Function)part.function;
  ForEachBlock(tensor, part.strides, part.base, lines,
               [&](size_t dense, size_t strided, size_t count) {
                 uint16_t from[kGathered];
                 float to[kGathered];
                 for (size_t i = 0; i < count; ++i) from[i] = halves[dense + i * lines.dense_step];
                 size_t whole = count;
                 for (; whole % kOutputBlock != 0; ++whole) from[whole] = 0;
                 session.kernels.output_f16(OutputF16Args{from, to, whole, tensor.scale, function},
                                            Share{0, 1});
                 for (size_t i = 0; i < count; ++i)
                   values[strided + i * lines.strided_step] = to[i];
               });
}

struct FrameTask {
  const Session* session;
  InputFrameArgs args;
};

void StoreFrameShare(void* argument, uint32_t index) {
  const FrameTask& task = *static_cast<const FrameTask*>(argument);
  task.session->kernels.input_frame(task.args, Share{index, task.session->thread_count});
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
  if (tensor.type == blob::ElementType::kFp16) {
    const InputF16Args args = {values,
                               {d[0], d[1], d[2], d[3]},
                               {strides[0], strides[1], strides[2], strides[3]},
                               1.0f / tensor.scale,  // exact: a power of two
                               reinterpret_cast<uint16_t*>(bytes)};
    session.kernels.input_f16(args, Share{0, 1});
    return;
  }
  if (tensor.type == blob::ElementType::kInt32) {
    int32_t* integers = reinterpret_cast<int32_t*>(bytes);
    ForEachElement(tensor, strides, 0, [&](size_t dense, size_t strided) {
      integers[dense] = FloatToInt32(values[strided]);
    });
    return;
  }
  const InputF32Args args = {
      values,       {d[0], d[1], d[2], d[3]}, {strides[0], strides[1], strides[2], strides[3]},
      tensor.scale, tensor.zero_point,        session.sign,
      bytes};
  session.kernels.input_f32(args, Share{0, 1});
}

void StoreFrame(const Session& session, uint32_t input, const Frame& frame) {
  const blob::TensorRecord& tensor =
      TensorOf(session, PlanInputTensor(session.blob, CurrentPlan(session), input));
  const uint16_t* entries =
      session.input_tables + InputTableIndex(session.blob, input) * kInputTableEntries;
  FrameTask task = {&session, MakeInputFrameArgs(frame, session.blob.inputs[input], tensor, entries,
                                                 session.tensors + tensor.arena_offset)};
  if (session.pool.run != nullptr) {
    session.pool.run(session.pool.context, StoreFrameShare, &task);
  } else {
    StoreFrameShare(&task, 0);
  }
}

void LoadFloats(const Session& session, uint32_t output, float* values) {
  const PartRange range = PlanOutputParts(session.blob, CurrentPlan(session), output);
  for (uint32_t i = 0; i < range.count; ++i) {
    const blob::OutputPart& part = session.blob.parts[range.first + i];
    const blob::TensorRecord& tensor = TensorOf(session, part.tensor);
    const uint8_t* bytes = session.tensors + tensor.arena_offset;
    const auto function = (blob::Function)part.function;
    if (tensor.type == blob::ElementType::kFp16) {
      LoadHalves(session, tensor, part, reinterpret_cast<const uint16_t*>(bytes), values);
      continue;
    }
    const bool wide = tensor.type == blob::ElementType::kInt32;
    const int32_t* integers = reinterpret_cast<const int32_t*>(bytes);
    // Every value a byte of the arena can stand for.
    float table[256];
    for (int32_t q = -128; q < 128; ++q) {
      const float value = tensor.scale * (float)(q - tensor.zero_point);
      table[((uint32_t)q & 0xFF) ^ session.sign] = ApplyFunction(function, value, 0.0f, 0.0f);
    }
    ForEachElement(tensor, part.strides, part.base, [&](size_t dense, size_t strided) {
      values[strided] =
          wide ? ApplyFunction(function, (float)integers[dense], 0.0f, 0.0f) : table[bytes[dense]];
    });
  }
}

}  // namespace octet
