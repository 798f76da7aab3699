// A run with a deadline, whose int8 outputs are read in place: deadline MODEL.octet, with the C++
// API. The first run may take no time at all, so its hook ends it before the second layer. The next
// has a second. Prints the first output as float, one value in each line. The blob's output must be
// int8 (octet convert --int8-everywhere): by default the last layers run in FP16.
#include <octet/linux.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <octet/octet.hpp>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;  // 64-byte aligned, as octet.h wants it

Memory Allocate(size_t bytes) {
  return Memory(std::aligned_alloc(64, (bytes + 63) / 64 * 64));
}

// octet_config.before_layer, on the thread that called Run: not 0 ends the run.
struct Deadline {
  Clock::time_point end;
  uint32_t layer;  // the last one looked at

  static int Look(void* context, uint32_t layer) {
    auto* deadline = static_cast<Deadline*>(context);
    deadline->layer = layer;
    return layer != 0 && Clock::now() >= deadline->end ? 1 : 0;
  }
};

// An int8 part of the output, element by element from the arena to its place in `values`.
bool ReadPart(const octet_tensor_view& view, std::vector<float>* values) {
  if (view.element != OCTET_ELEMENT_INT8 || view.function != 0) return false;
  const auto* byte = static_cast<const uint8_t*>(view.data);
  size_t element = 0;
  for (uint32_t n = 0; n < view.dims[0]; ++n) {
    for (uint32_t h = 0; h < view.dims[1]; ++h) {
      for (uint32_t w = 0; w < view.dims[2]; ++w) {
        for (uint32_t c = 0; c < view.dims[3]; ++c) {
          const int q = static_cast<int8_t>(*byte++ ^ view.sign);
          float value = view.scale * static_cast<float>(q - view.zero_point);
          if (view.offset_count != 0) value += view.offsets[element++ % view.offset_count];
          (*values)[view.base + n * view.strides[0] + h * view.strides[1] + w * view.strides[2] +
                    c * view.strides[3]] = value;
        }
      }
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: deadline MODEL.octet\n"), 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty())
    return std::fprintf(stderr, "%s: cannot be read; check the path\n", argv[1]), 2;
  const Memory blob = Allocate(bytes.size());
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(blob.get()));

  Deadline deadline = {};
  octet_config config = {};
  config.isa = octet_linux_best_isa();
  config.verify_hashes = octet_linux_verify_mode();
  config.plan_mask = 1;
  config.cpu_features = octet_linux_cpu_features();
  config.before_layer = Deadline::Look;
  config.before_layer_context = &deadline;
  size_t arena_bytes = 0;
  octet_status status = octet::Model::ArenaBytes(blob.get(), bytes.size(), config.isa, 1,
                                                 config.plan_mask, &arena_bytes);
  const Memory arena = Allocate(arena_bytes);
  octet::Model model;
  if (status.code == OCTET_OK) {
    status = model.Bind(blob.get(), bytes.size(), arena.get(), arena_bytes, config);
  }
  if (status.code != OCTET_OK) {
    std::fprintf(stderr, "%s: %s at byte %u\n", argv[1], octet_code_name(status.code),
                 status.offset);
    return 2;
  }

  octet_tensor_info in, out;
  model.InputInfo(0, &in);
  model.OutputInfo(0, &out);
  const std::vector<float> input(in.element_count);
  for (const auto time : {std::chrono::seconds(0), std::chrono::seconds(1)}) {
    model.SetInput(0, input.data(), input.size());  // a run that ended early may have written there
    deadline.end = Clock::now() + time;
    status = model.Run();
    if (status.code == OCTET_OK) break;
    std::fprintf(stderr, "%s before layer %u\n", octet_code_name(status.code), deadline.layer);
  }
  if (status.code != OCTET_OK) return 1;

  std::vector<float> values(out.element_count);
  for (uint32_t part = 0; part < model.output_part_count(0); ++part) {
    octet_tensor_view view;
    if (model.OutputView(0, part, &view).code != OCTET_OK || !ReadPart(view, &values)) {
      return std::fprintf(stderr,
                          "part %u of the output is not an int8 tensor without a function\n", part),
             2;
    }
  }
  for (const float value : values) std::printf("%g\n", static_cast<double>(value));
  return 0;
}
