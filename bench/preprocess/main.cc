// bench-preprocess: frames of camera sizes and formats into int8 and FP16 tensors of detector
// sizes, by the kernels of one level. Prints the median and the least time of each case; one
// thread, pin it to a core (taskset -c 1).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/clock.h"
#include "runtime/engine/isa_names.h"
#include "runtime/image/preprocess.h"
#include "runtime/kernels/kernel_table.h"

namespace octet::bench {
namespace {

constexpr const char* kFormats[] = {"rgb24", "grey8", "nv12", "yuv420p", "yuyv"};
constexpr const char* kModes[] = {"stretch", "letterbox", "crop"};

struct Options {
  std::string isa = "avx2", format, mode, size, target;
  int repeat = 30;
  bool json = false, fp16 = false, table = false;
};

struct Case {
  PixelFormat format;
  uint32_t width, height, target;
  blob::ResizeMode mode;
};

struct Result {
  double median_ms, min_ms;
};

Result Measure(const Case& c, const Options& options, InputFrameFn run) {
  // The largest format has 3 bytes a pixel.
  std::vector<uint8_t> pixels(size_t{c.width} * c.height * 3);
  uint32_t state = 1;
  for (uint8_t& pixel : pixels)
    pixel = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  Frame frame{};
  frame.format = c.format;
  frame.width = c.width;
  frame.height = c.height;
  const uint8_t* base = pixels.data();
  const size_t luma = size_t{c.width} * c.height;
  switch (c.format) {
    case PixelFormat::kRgb24:
      frame.planes[0] = base;
      frame.strides[0] = 3 * c.width;
      break;
    case PixelFormat::kGrey8:
      frame.planes[0] = base;
      frame.strides[0] = c.width;
      break;
    case PixelFormat::kNv12:
      frame.planes[0] = base;
      frame.planes[1] = base + luma;
      frame.strides[0] = frame.strides[1] = c.width;
      break;
    case PixelFormat::kYuv420p:
      frame.planes[0] = base;
      frame.planes[1] = base + luma;
      frame.planes[2] = base + luma + luma / 4;
      frame.strides[0] = c.width;
      frame.strides[1] = frame.strides[2] = c.width / 2;
      break;
    case PixelFormat::kYuyv:
      frame.planes[0] = base;
      frame.strides[0] = 2 * c.width;
      break;
  }
  // The bytes themselves, as for mean 0 and deviation 1; or, with --table, three tables of which
  // none is an XOR, as for ImageNet's mean and deviation.
  blob::InputRecord input{};
  input.resize = c.mode;
  input.letterbox_value = 114;
  std::vector<uint16_t> entries(768);
  for (uint32_t i = 0; i < 768; ++i) {
    const uint32_t x = i & 255;
    entries[i] = static_cast<uint16_t>(
        options.table || options.fp16 ? (x * (200 + i / 256) >> 8) + i / 256 : x);
  }
  blob::TensorRecord tensor{};
  tensor.dims[0] = 1;
  tensor.dims[1] = tensor.dims[2] = c.target;
  tensor.dims[3] = 3;
  tensor.type = options.fp16 ? blob::ElementType::kFp16 : blob::ElementType::kInt8;
  std::vector<uint16_t> output(size_t{c.target} * c.target * 3);
  std::vector<double> ms;
  for (int i = 0; i < options.repeat + (options.repeat > 3 ? 3 : 0); ++i) {
    const double start = SecondsNow();
    run(MakeInputFrameArgs(frame, input, tensor, entries.data(),
                           reinterpret_cast<uint8_t*>(output.data())),
        Share{0, 1});
    ms.push_back((SecondsNow() - start) * 1e3);
  }
  if (options.repeat > 3) ms.erase(ms.begin(), ms.begin() + 3);  // caches warm
  std::sort(ms.begin(), ms.end());
  return Result{ms[ms.size() / 2], ms[0]};
}

int Run(const Options& options) {
  Isa isa = Isa::kReference;
  for (uint32_t i = 0; i < kIsaCount; ++i) {
    if (options.isa == IsaName(static_cast<Isa>(i))) isa = static_cast<Isa>(i);
  }
  KernelTable table;
  if (options.isa != IsaName(isa) || !FillKernelTable(isa, 0, &table)) {
    std::fprintf(stderr, "bench-preprocess: --isa %s is not in this build\n", options.isa.c_str());
    return 2;
  }
  if (!options.json) {
    std::printf("%s, kernel %s, %s%s\n%-8s %-10s %6s %-10s %10s %10s\n", IsaName(isa),
                IsaName(table.input_frame_isa), options.fp16 ? "fp16" : "int8",
                options.table ? ", with tables" : "", "format", "source", "target", "mode",
                "median ms", "min ms");
  }
  const char* separator = "[";
  for (uint32_t f = 0; f < 5; ++f) {
    for (const auto& [width, height] : {std::pair{640u, 480u}, {1280u, 720u}, {1920u, 1080u}}) {
      for (const uint32_t target : {224u, 320u, 416u, 640u}) {
        for (uint32_t m = 0; m < 3; ++m) {
          const std::string size = std::to_string(width) + "x" + std::to_string(height);
          if ((!options.format.empty() && options.format != kFormats[f]) ||
              (!options.size.empty() && options.size != size) ||
              (!options.target.empty() && options.target != std::to_string(target)) ||
              (!options.mode.empty() && options.mode != kModes[m])) {
            continue;
          }
          const Case c = {static_cast<PixelFormat>(f), width, height, target,
                          static_cast<blob::ResizeMode>(m)};
          const Result result = Measure(c, options, table.input_frame);
          if (options.json) {
            std::printf(
                "%s{\"isa\":\"%s\",\"kernel\":\"%s\",\"format\":\"%s\",\"width\":%u,\"height\":%u,"
                "\"target\":%u,\"mode\":\"%s\",\"fp16\":%s,\"tables\":%s,\"median_ms\":%.4f,"
                "\"min_ms\":%.4f}",
                separator, IsaName(isa), IsaName(table.input_frame_isa), kFormats[f], width, height,
                target, kModes[m], options.fp16 ? "true" : "false",
                options.table ? "true" : "false", result.median_ms, result.min_ms);
            separator = ",\n";
          } else {
            std::printf("%-8s %-10s %6u %-10s %10.4f %10.4f\n", kFormats[f], size.c_str(), target,
                        kModes[m], result.median_ms, result.min_ms);
          }
        }
      }
    }
  }
  if (options.json) std::printf("%s]\n", separator[0] == '[' ? "[" : "");
  return 0;
}

int Usage() {
  std::fprintf(stderr,
               "usage: bench-preprocess [--isa WORD] [--format rgb24|grey8|nv12|yuv420p|yuyv] "
               "[--size WxH] [--target N] [--mode stretch|letterbox|crop] [--fp16] [--table] "
               "[--repeat N] [--json]\n");
  return 2;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--json" || word == "--fp16" || word == "--table") {
      (word == "--json" ? options.json : word == "--fp16" ? options.fp16 : options.table) = true;
      continue;
    }
    if (i + 1 == argc) return Usage();
    const std::string value = argv[++i];
    if (word == "--isa") {
      options.isa = value;
    } else if (word == "--format") {
      options.format = value;
    } else if (word == "--size") {
      options.size = value;
    } else if (word == "--target") {
      options.target = value;
    } else if (word == "--mode") {
      options.mode = value;
    } else if (word == "--repeat") {
      options.repeat = std::max(1, std::atoi(value.c_str()));
    } else {
      return Usage();
    }
  }
  return Run(options);
}

}  // namespace
}  // namespace octet::bench

int main(int argc, char** argv) {
  return octet::bench::Main(argc, argv);
}
