// Frames into tensors: the reference against the rule written out once more, every instruction set
// against the reference, with planes that end at an unmapped page.
#include "runtime/image/frame.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "runtime/image/preprocess.h"
#include "tests/runtime/kernels/guarded_buffer.h"
#include "tests/runtime/kernels/kernel_list.h"
#include "tests/runtime/kernels/random.h"

namespace octet::kernels_test {
namespace {

constexpr PixelFormat kFormats[] = {PixelFormat::kRgb24, PixelFormat::kGrey8, PixelFormat::kNv12,
                                    PixelFormat::kYuv420p, PixelFormat::kYuyv};

struct PlaneSize {
  uint32_t height, row_bytes;
};

std::vector<PlaneSize> PlanesOf(PixelFormat format, uint32_t height, uint32_t width) {
  const uint32_t half_h = (height + 1) / 2, half_w = (width + 1) / 2;
  switch (format) {
    case PixelFormat::kRgb24:
      return {{height, 3 * width}};
    case PixelFormat::kGrey8:
      return {{height, width}};
    case PixelFormat::kNv12:
      return {{height, width}, {half_h, 2 * half_w}};
    case PixelFormat::kYuv420p:
      return {{height, width}, {half_h, half_w}, {half_h, half_w}};
    case PixelFormat::kYuyv:
      return {{height, 4 * half_w}};
  }
  return {};
}

// A frame whose planes hold random bytes, the last row tight, and everything around unmapped or
// watched.
struct GuardedFrame {
  Frame frame{};
  std::vector<std::unique_ptr<GuardedBuffer>> planes;

  GuardedFrame(Random& random, PixelFormat format, uint32_t height, uint32_t width) {
    frame.format = format;
    frame.width = width;
    frame.height = height;
    const GuardedBuffer::Place place = random.Place();
    for (const PlaneSize& size : PlanesOf(format, height, width)) {
      const size_t stride = size.row_bytes + (random.OneIn(2) ? random.UInt(0, 70) : 0);
      planes.push_back(
          std::make_unique<GuardedBuffer>(stride * (size.height - 1) + size.row_bytes, 1, place));
      // Anything; 0 and 255; 255 alone, which fills the sums to their bounds.
      const uint32_t kind = random.UInt(0, 7);
      for (size_t i = 0; i < planes.back()->size(); ++i) {
        planes.back()->data()[i] = static_cast<uint8_t>(kind == 0   ? 255
                                                        : kind == 1 ? random.UInt(0, 1) * 255
                                                                    : random.UInt(0, 255));
      }
      frame.planes[planes.size() - 1] = planes.back()->data();
      frame.strides[planes.size() - 1] = stride;
    }
  }
};

struct Target {
  uint32_t height, width, channels;
  bool fp16;
  blob::InputRecord input{};
  std::vector<uint16_t> entries;

  Target(Random& random, uint32_t h, uint32_t w, blob::ResizeMode mode)
      : height(h), width(w), channels(random.OneIn(4) ? 1 : 3), fp16(random.OneIn(4)) {
    input.resize = mode;
    input.colour = random.OneIn(2) ? blob::ColourOrder::kBgr : blob::ColourOrder::kRgb;
    input.letterbox_value = static_cast<uint8_t>(random.UInt(0, 255));
    // The identity but for the sign, as most models have it; a constant offset; anything.
    const uint32_t kind = random.UInt(0, 2);
    for (uint32_t i = 0; i < channels * 256; ++i) {
      entries.push_back(static_cast<uint16_t>(kind == 0   ? (i & 255) ^ 0x80
                                              : kind == 1 ? ((i & 255) + 3) & 255
                                                          : random.UInt(0, fp16 ? 65535 : 255)));
    }
  }

  InputFrameArgs Args(const Frame& frame, uint8_t* destination) const {
    blob::TensorRecord tensor{};
    tensor.dims[0] = 1;
    tensor.dims[1] = height;
    tensor.dims[2] = width;
    tensor.dims[3] = channels;
    tensor.type = fp16 ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
    return MakeInputFrameArgs(frame, input, tensor, entries.data(), destination);
  }
  size_t bytes() const { return size_t{height} * width * channels * (fp16 ? 2 : 1); }
};

void Compare(const Kernel& kernel, Random& random, const Frame& frame, const Target& target) {
  std::vector<uint8_t> expected(target.bytes());
  input_frame_reference(target.Args(frame, expected.data()), Share{0, 1});
  const GuardedBuffer output(target.bytes(), target.fp16 ? 2 : 1, random.Place());
  output.Poison(0x3C);
  const InputFrameArgs args = target.Args(frame, output.data());
  const uint32_t threads = random.OneIn(2) ? 1 : random.UInt(2, 5);
  for (uint32_t t = 0; t < threads; ++t) kernel.As<InputFrameFn>()(args, Share{t, threads});
  const size_t row = target.bytes() / target.height;
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(output.data()[i], expected[i])
        << "row " << i / row << " byte " << i % row << " of " << row;
  }
  ASSERT_TRUE(output.GuardsIntact());
}

std::string Describe(const Frame& frame, const Target& target) {
  return "format " + std::to_string(static_cast<int>(frame.format)) + " " +
         std::to_string(frame.width) + "x" + std::to_string(frame.height) + " to " +
         std::to_string(target.width) + "x" + std::to_string(target.height) + "x" +
         std::to_string(target.channels) + (target.fp16 ? " fp16" : " int8") + " mode " +
         std::to_string(static_cast<int>(target.input.resize));
}

constexpr blob::ResizeMode kModes[] = {blob::ResizeMode::kStretch, blob::ResizeMode::kLetterbox,
                                       blob::ResizeMode::kCrop};

// A source size that makes an axis take each of its paths: equal, doubled, whole multiples, larger
// and smaller by anything.
uint32_t SourceSize(Random& random, uint32_t out) {
  switch (random.UInt(0, 5)) {
    case 0:
      return out;
    case 1:
      return out * random.UInt(2, 8);
    case 2:
      return std::max(1u, out * random.UInt(9, 80) / 16);
    case 3:
      return random.UInt(1, 2 * out);
    case 4:
      return random.UInt(1, 400);
    default:
      return random.UInt(1, 12);
  }
}

OCTET_KERNEL_SUITE(InputFrame, "input_frame");

TEST_P(InputFrame, EqualsReference) {
  for (uint32_t trial = 0; trial < 600; ++trial) {
    Random random(TestSeed() + 9000 + trial);
    const uint32_t out_h = random.OneIn(5) ? random.UInt(1, 4) : random.UInt(1, 40);
    const uint32_t out_w = random.OneIn(5) ? random.UInt(1, 20) : random.UInt(1, 90);
    const uint32_t in_h = SourceSize(random, out_h), in_w = SourceSize(random, out_w);
    const Target target(random, out_h, out_w, kModes[random.UInt(0, 2)]);
    const GuardedFrame source(random, kFormats[random.UInt(0, 4)], in_h, in_w);
    ASSERT_TRUE(FrameIsValid(source.frame));
    SCOPED_TRACE("seed " + std::to_string(TestSeed()) + " trial " + std::to_string(trial) + " " +
                 Describe(source.frame, target));
    Compare(GetParam(), random, source.frame, target);
    for (const auto& plane : source.planes) ASSERT_TRUE(plane->GuardsIntact());
    if (HasFatalFailure()) return;
  }
}

// The sizes of cameras and models, a few rows of each so that the reference stays quick: the height
// keeps its ratio to the target's.
TEST_P(InputFrame, CameraSizesEqualReference) {
  const uint32_t widths[] = {640, 1280, 1920}, targets[] = {224, 320, 416, 640};
  uint32_t seed = TestSeed() + 40000;
  for (const PixelFormat format : kFormats) {
    for (const uint32_t width : widths) {
      for (const uint32_t out : targets) {
        for (const blob::ResizeMode mode : kModes) {
          Random random(++seed);
          // 4:3 or 16:9 in stripes: letterbox and stretch then see 16 to 1.
          const uint32_t height = (width == 640 ? 480 : width * 9 / 16) / 16;
          Target target(random, mode == blob::ResizeMode::kStretch ? out / 16 : 20, out, mode);
          const GuardedFrame source(random, format, height, width);
          SCOPED_TRACE("seed " + std::to_string(seed) + " " + Describe(source.frame, target));
          Compare(GetParam(), random, source.frame, target);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(InputFrame, ExtremeRatiosEqualReference) {
  const uint32_t sizes[][4] = {{1, 65535, 3, 5},   {65535, 1, 5, 3},  {1, 1, 700, 33},
                               {7, 20011, 2, 7},   {3001, 9, 33, 70}, {2, 2, 1, 1},
                               {1, 1, 1, 1},       {65535, 3, 1, 1},  {997, 1009, 33, 100},
                               {5, 30000, 5, 900}, {300, 6, 1, 3000}, {1009, 40, 3, 48}};
  uint32_t seed = TestSeed() + 50000;
  for (const auto& size : sizes) {
    for (const PixelFormat format : kFormats) {
      for (const blob::ResizeMode mode : kModes) {
        Random random(++seed);
        const Target target(random, size[2], size[3], mode);
        const GuardedFrame source(random, format, size[0], size[1]);
        SCOPED_TRACE("seed " + std::to_string(seed) + " " + Describe(source.frame, target));
        Compare(GetParam(), random, source.frame, target);
        if (HasFatalFailure()) return;
      }
    }
  }
}

#ifndef OCTET_SANITIZED
// What runs on a stack of its own, painted before: bytes that were written, from the first to the
// stack's upper end.
size_t StackBytes(void* (*run)(void*), void* argument) {
  constexpr size_t kBytes = size_t{1} << 18;
  const GuardedBuffer stack(kBytes, 64);
  stack.Poison(0xB7);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack.data(), kBytes);
  pthread_t thread;
  EXPECT_EQ(pthread_create(&thread, &attributes, run, argument), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  size_t untouched = 0;
  while (untouched < kBytes && stack.data()[untouched] == 0xB7) ++untouched;
  return kBytes - untouched;
}

TEST_P(InputFrame, NeedsAtMost16KiBOfStack) {
  struct Call {
    InputFrameFn run;
    InputFrameArgs args;
  };
  uint32_t seed = TestSeed() + 60000;
  const uint32_t sizes[][4] = {{180, 320, 45, 80},     // whole numbers
                               {180, 320, 57, 123},    // areas
                               {90, 160, 71, 123},     // bilinear
                               {90, 640, 80, 320},     // both
                               {3001, 2999, 11, 13}};  // pixel by pixel
  const size_t empty = StackBytes([](void* argument) { return argument; }, nullptr);
  for (const auto& size : sizes) {
    for (const PixelFormat format : kFormats) {
      Random random(++seed);
      const Target target(random, size[2], size[3], blob::ResizeMode::kStretch);
      const GuardedFrame source(random, format, size[0], size[1]);
      std::vector<uint16_t> output(target.bytes());
      Call call = {GetParam().As<InputFrameFn>(),
                   target.Args(source.frame, reinterpret_cast<uint8_t*>(output.data()))};
      const size_t bytes = StackBytes(
          [](void* argument) -> void* {
            const Call& c = *static_cast<const Call*>(argument);
            c.run(c.args, Share{0, 1});
            return nullptr;
          },
          &call);
      EXPECT_LE(bytes, empty + 16 * 1024) << Describe(source.frame, target);
    }
  }
}
#endif

// White, where sums of rows reach 16 bits (257 * 255), boxes of columns do, and totals reach those
// of the vector paths.
TEST_P(InputFrame, WhiteAtTheBoundsOfTheSums) {
  uint32_t seed = TestSeed() + 70000;
  for (const PixelFormat format : kFormats) {
    for (const uint32_t rows : {64u, 65u, 127u, 128u, 129u, 256u, 257u, 258u, 514u, 516u, 1023u}) {
      for (const uint32_t columns : {20u, 36u, 40u, 60u, 80u, 90u, 91u, 2047u, 2049u}) {
        Random random(++seed);
        // The reference is compared with itself in shares: a few of these.
        if (GetParam().isa == Isa::kReference && seed % 8 != 0) continue;
        const Target target(random, 1 + rows / 512, columns < 100 ? 10 : 20,
                            blob::ResizeMode::kStretch);
        const GuardedFrame source(random, format, rows, columns);
        for (const auto& plane : source.planes) plane->Poison(255);
        SCOPED_TRACE("seed " + std::to_string(seed) + " " + Describe(source.frame, target));
        Compare(GetParam(), random, source.frame, target);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// RGB and grey: the reference is the normative resize of resize.h and the table, nothing else.
TEST(FrameRule, PicturesAreResizedAndLookedUp) {
  struct Context {
    const Target* target;
    uint32_t channels;
    std::vector<uint8_t> bytes;
  };
  for (uint32_t trial = 0; trial < 40; ++trial) {
    Random random(TestSeed() + 70 + trial);
    Target target(random, random.UInt(1, 20), random.UInt(1, 20), kModes[trial % 3]);
    target.fp16 = false;
    const PixelFormat format = random.OneIn(2) ? PixelFormat::kRgb24 : PixelFormat::kGrey8;
    const GuardedFrame source(random, format, random.UInt(1, 50), random.UInt(1, 50));
    const uint32_t channels = format == PixelFormat::kRgb24 ? 3 : 1;
    Context context = {&target, channels, std::vector<uint8_t>(target.bytes())};
    ResizePicture(
        source.frame.planes[0], source.frame.height, source.frame.width, channels,
        source.frame.strides[0], target.height, target.width, target.input.resize,
        target.input.letterbox_value,
        [](void* to, uint32_t y, uint32_t x, const uint8_t* pixel) {
          Context& c = *static_cast<Context*>(to);
          uint8_t values[3];
          ModelChannels(pixel, c.channels, c.target->input.colour, c.target->channels, values);
          for (uint32_t k = 0; k < c.target->channels; ++k) {
            c.bytes[(size_t{y} * c.target->width + x) * c.target->channels + k] =
                static_cast<uint8_t>(c.target->entries[k * 256 + values[k]]);
          }
        },
        &context);
    std::vector<uint8_t> bytes(target.bytes());
    input_frame_reference(target.Args(source.frame, bytes.data()), Share{0, 1});
    ASSERT_EQ(bytes, context.bytes) << "trial " << trial;
  }
}

// Every YUV triple against BT.601 in double precision: 7-bit coefficients are at most 0.4 away.
TEST(FrameRule, YuvIsCloseToTheRealConversion) {
  for (int y = 0; y < 256; ++y) {
    for (int u = 0; u < 256; u += 5) {
      for (int v = 0; v < 256; v += 3) {
        uint8_t values[3] = {static_cast<uint8_t>(y), static_cast<uint8_t>(u),
                             static_cast<uint8_t>(v)};
        YuvToRgb(values);
        const double luma = 255.0 / 219 * (y - 16), cb = (u - 128) / 112.0 * 255,
                     cr = (v - 128) / 112.0 * 255;
        const double rgb[3] = {luma + 0.701 * cr,
                               luma - 0.886 * 0.114 / 0.587 * cb - 0.701 * 0.299 / 0.587 * cr,
                               luma + 0.886 * cb};
        for (int c = 0; c < 3; ++c) {
          ASSERT_NEAR(values[c], std::clamp(rgb[c], 0.0, 255.0), 0.9)
              << y << " " << u << " " << v << " channel " << c;
        }
      }
    }
  }
}

// Planes one pixel large: the colours of the formats, by hand. White, and the red of the bars.
TEST(FrameRule, PinnedColours) {
  const uint8_t luma[4] = {235, 81, 16, 255}, u[1] = {90}, v[1] = {240}, uv[2] = {90, 240};
  const uint8_t yuyv[8] = {235, 90, 81, 240, 16, 90, 255, 240};
  const Frame frames[] = {{PixelFormat::kYuv420p, 2, 2, {luma, u, v}, {2, 1, 1}},
                          {PixelFormat::kNv12, 2, 2, {luma, uv, nullptr}, {2, 2, 0}},
                          {PixelFormat::kYuyv, 2, 2, {yuyv, nullptr, nullptr}, {4, 0, 0}}};
  Random random(1);
  Target target(random, 2, 2, blob::ResizeMode::kStretch);
  target.channels = 3;
  target.fp16 = false;
  target.input.colour = blob::ColourOrder::kRgb;
  target.entries.clear();
  for (uint16_t i = 0; i < 768; ++i) target.entries.push_back(i & 255);
  for (const Frame& frame : frames) {
    ASSERT_TRUE(FrameIsValid(frame));
    std::vector<uint8_t> bytes(12);
    input_frame_reference(target.Args(frame, bytes.data()), Share{0, 1});
    EXPECT_EQ(bytes, (std::vector<uint8_t>{255, 179, 178, 254, 0, 0, 179, 0, 0, 255, 202, 202}));
  }
}

TEST(FrameRule, WhatIsNoFrame) {
  const uint8_t bytes[16] = {};
  const Frame good = {PixelFormat::kNv12, 3, 3, {bytes, bytes, nullptr}, {3, 4, 0}};
  EXPECT_TRUE(FrameIsValid(good));
  const auto broken = [&](auto change) {
    Frame frame = good;
    change(frame);
    return !FrameIsValid(frame);
  };
  EXPECT_TRUE(broken([](Frame& f) { f.width = 0; }));
  EXPECT_TRUE(broken([](Frame& f) { f.height = 0; }));
  EXPECT_TRUE(broken([](Frame& f) { f.height = 65536; }));
  EXPECT_TRUE(broken([](Frame& f) { f.width = f.strides[0] = f.strides[1] = 65536; }));
  EXPECT_TRUE(broken([](Frame& f) { f.planes[0] = nullptr; }));
  EXPECT_TRUE(broken([](Frame& f) { f.planes[1] = nullptr; }));
  EXPECT_TRUE(broken([](Frame& f) { f.strides[0] = 2; }));
  EXPECT_TRUE(broken([](Frame& f) { f.strides[1] = 3; }));  // two chroma pairs
  EXPECT_TRUE(broken([](Frame& f) { f.format = static_cast<PixelFormat>(5); }));
}

}  // namespace
}  // namespace octet::kernels_test
