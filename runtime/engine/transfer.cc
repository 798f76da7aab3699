#include "runtime/engine/transfer.h"

#include <string.h>

#include "runtime/kernels/function.h"

namespace octet {
namespace {

// A tensor as rows of pixels of channels, beside the strided array of floats that it is copied to
// or from. Dimensions that lie alike in both are one: whole pictures of NCHW are rows, and what is
// in the tensor's own order is a single pixel.
struct Layout {
  size_t images, rows, pixels, channels;
  size_t image_stride, row_stride, pixel_stride, channel_stride;  // of the strided array

  Layout(const blob::TensorRecord& tensor, const uint32_t strides[4])
      : images(tensor.dims[0]),
        rows(tensor.dims[1]),
        pixels(tensor.dims[2]),
        channels(tensor.dims[3]),
        image_stride(strides[0]),
        row_stride(strides[1]),
        pixel_stride(strides[2]),
        channel_stride(strides[3]) {
    if (row_stride == pixels * pixel_stride) {
      pixels *= rows;
      rows = 1;
    }
    if (channel_stride == 1 && pixel_stride == channels) {
      channels *= pixels;
      pixels = 1;
    }
  }
};

// Elements of a tile: its lines stay in the level 1 cache while its layout changes.
#if OCTET_ARCH_CORTEX_M  // no vectors, and little stack
constexpr size_t kTileElements = kOutputBlock, kTileSide = 4;
#else
constexpr size_t kTileElements = 8 * kOutputBlock, kTileSide = 16;
#endif

struct Tile {
  size_t pixels, channels;
  size_t dense, strided;                // the first element in the tensor and in the strided array
  size_t dense_pixel;                   // from a pixel to the next in the tensor
  size_t pixel_stride, channel_stride;  // in the strided array
};

// Calls visit(tile) for every tile of a share of a tensor, at most kTileElements each.
template <typename Visit>
void ForEachTile(const blob::TensorRecord& tensor, const uint32_t strides[4], size_t base,
                 Share share, const Visit& visit) {
  const Layout l(tensor, strides);
  const auto least = [](size_t x, size_t y) { return x < y ? x : y; };
  const size_t channels = least(l.channels, kTileElements / least(l.pixels, kTileSide));
  const size_t pixels = least(l.pixels, kTileElements / channels);
  const size_t across = (l.pixels + pixels - 1) / pixels;
  const size_t deep = (l.channels + channels - 1) / channels;
  const Range range = RangeOf((uint64_t)l.images * l.rows * deep * across, share);
  for (uint64_t at = range.begin; at < range.end; ++at) {
    const size_t pixel = (size_t)(at % across) * pixels;
    const size_t channel = (size_t)(at / across % deep) * channels;
    const size_t row = (size_t)(at / across / deep);
    visit(Tile{least(l.pixels - pixel, pixels), least(l.channels - channel, channels),
               (row * l.pixels + pixel) * l.channels + channel,
               base + row / l.rows * l.image_stride + row % l.rows * l.row_stride +
                   pixel * l.pixel_stride + channel * l.channel_stride,
               l.channels, l.pixel_stride, l.channel_stride});
  }
}

// visit(dense, strided) for every element of every tile, in the strided array's order where its
// pixels are neighbours.
template <typename Visit>
void ForEachElement(const blob::TensorRecord& tensor, const uint32_t strides[4], size_t base,
                    Share share, const Visit& visit) {
  ForEachTile(tensor, strides, base, share, [&](const Tile& t) {
    for (size_t c = 0; c < t.channels; ++c) {
      for (size_t p = 0; p < t.pixels; ++p) {
        visit(t.dense + p * t.dense_pixel + c,
              t.strided + c * t.channel_stride + p * t.pixel_stride);
      }
    }
  });
}

// The floats of a tile, pixel by pixel in `from`, to their places.
void PlaceTile(const Tile& t, const float* from, float* values) {
  float* to = values + t.strided;
  if (t.channel_stride == 1) {
    for (size_t p = 0; p < t.pixels; ++p) {
      memcpy(to + p * t.pixel_stride, from + p * t.channels, t.channels * sizeof(float));
    }
    return;
  }
  for (size_t c = 0; c < t.channels; ++c, ++from, to += t.channel_stride) {
    size_t p = 0;
#if !OCTET_ARCH_CORTEX_M
    for (; t.pixel_stride == 1 && p + 4 <= t.pixels; p += 4) {
      const float* four = from + p * t.channels;
      const FourFloats x = {four[0], four[t.channels], four[2 * t.channels], four[3 * t.channels]};
      memcpy(to + p, &x, sizeof(x));
    }
#endif
    for (; p < t.pixels; ++p) to[p * t.pixel_stride] = from[p * t.channels];
  }
}

// Adds the offsets of a tile's elements to their floats, pixel by pixel in `to`.
void AddOffsets(const Tile& t, const PartOffsets& offsets, float* to) {
  for (size_t p = 0; p < t.pixels; ++p) {
    size_t k = (t.dense + p * t.dense_pixel) % offsets.count;
    for (size_t c = 0; c < t.channels; ++c) {
      *to++ += offsets.values[k];
      if (++k == offsets.count) k = 0;
    }
  }
}

void LoadHalves(const Session& session, const blob::TensorRecord& tensor,
                const blob::OutputPart& part, const uint16_t* halves, float* values, Share share) {
  const auto function = (blob::Function)part.function;
  const PartOffsets offsets = OffsetsOf(session.blob, part);
  ForEachTile(tensor, part.strides, part.base, share, [&](const Tile& t) {
    uint16_t from[kTileElements];
    float to[kTileElements];
    for (size_t p = 0; p < t.pixels; ++p) {
      memcpy(from + p * t.channels, halves + t.dense + p * t.dense_pixel, t.channels * 2);
    }
    size_t count = t.pixels * t.channels;
    for (; count % kOutputBlock != 0; ++count) from[count] = 0;
    session.kernels.output_f16(OutputF16Args{from, to, count, tensor.scale, function}, Share{0, 1});
    if (offsets.count != 0) AddOffsets(t, offsets, to);
    PlaceTile(t, to, values);
  });
}

void LoadPart(const Session& session, const blob::OutputPart& part, float* values, Share share) {
  const blob::TensorRecord& tensor = TensorOf(session, part.tensor);
  const uint8_t* bytes = session.tensors + tensor.arena_offset;
  const auto function = (blob::Function)part.function;
  const PartOffsets offsets = OffsetsOf(session.blob, part);
  if (tensor.type == blob::ElementType::kFp16) {
    return LoadHalves(session, tensor, part, reinterpret_cast<const uint16_t*>(bytes), values,
                      share);
  }
  if (tensor.type == blob::ElementType::kInt32) {
    const int32_t* integers = reinterpret_cast<const int32_t*>(bytes);
    const auto load = [&](size_t dense, size_t strided) {
      float value = ApplyFunction(function, (float)integers[dense], 0.0f, 0.0f);
      if (offsets.count != 0) value += offsets.values[dense % offsets.count];
      values[strided] = value;
    };
    return ForEachElement(tensor, part.strides, part.base, share, load);
  }
  // The value of each byte of the arena.
  float table[256];
  for (int32_t q = -128; q < 128; ++q) {
    float value = tensor.scale * (float)(q - tensor.zero_point);
    value = ApplyFunction(function, value, 0.0f, 0.0f);
    table[((uint32_t)q & 0xFF) ^ session.sign] = value;
  }
  // One loop for parts with and without offsets: a second one costs 384 bytes on AArch64.
  const auto load = [&](size_t dense, size_t strided) {
    float value = table[bytes[dense]];
    if (offsets.count != 0) value += offsets.values[dense % offsets.count];
    values[strided] = value;
  };
  ForEachElement(tensor, part.strides, part.base, share, load);
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
    const auto store = [&](size_t dense, size_t strided) {
      integers[dense] = FloatToInt32(values[strided]);
    };
    return ForEachElement(tensor, strides, 0, Share{0, 1}, store);
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
