#include "converter/sections/golden/golden.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "converter/write/edit.h"
#include "converter/write/sections.h"
#include "octet/self_test.h"
#include "octet/state.h"
#include "ports/linux/cpu.h"
#include "runtime/format/golden.h"

namespace octet::sections {
namespace {

struct Free {
  void operator()(uint8_t* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using Aligned = std::unique_ptr<uint8_t[], Free>;

Aligned Allocate(size_t bytes) {
  return Aligned(static_cast<uint8_t*>(::operator new[](bytes + 1, std::align_val_t{64})));
}

void CheckGolden(octet_status status) {
  if (status.code == OCTET_OK) return;
  throw std::logic_error(
      fmt::format("golden vectors: {} at byte {}", octet_code_name(status.code), status.offset));
}

// The middle of the picture.
images::Image Crop(const images::Image& image) {
  images::Image crop;
  crop.height = std::min(image.height, kGoldenSide);
  crop.width = std::min(image.width, kGoldenSide);
  crop.channels = image.channels;
  const int top = (image.height - crop.height) / 2, left = (image.width - crop.width) / 2;
  for (int y = top; y < top + crop.height; ++y) {
    const auto row = image.pixels.begin() +
                     (std::ptrdiff_t{y} * image.width + left) * std::ptrdiff_t{image.channels};
    crop.pixels.insert(crop.pixels.end(), row, row + crop.width * crop.channels);
  }
  return crop;
}

void AppendBytes(const void* bytes, size_t count, blob::GoldenInput* input,
                 std::vector<uint8_t>* section) {
  section->resize((section->size() + 3) / 4 * 4);
  input->offset = static_cast<uint32_t>(section->size());
  input->bytes = static_cast<uint32_t>(count);
  const auto* first = static_cast<const uint8_t*>(bytes);
  section->insert(section->end(), first, first + count);
}

blob::GoldenInput MakeInput(const images::Dataset& data, int64_t sample, uint32_t seed,
                            std::vector<uint8_t>* section) {
  blob::GoldenInput input{};
  if (const images::Image image = data.Pixels(sample); !image.pixels.empty()) {
    const images::Image crop = Crop(image);
    input.kind = blob::GoldenKind::kPicture;
    input.height = static_cast<uint32_t>(crop.height);
    input.width = static_cast<uint32_t>(crop.width);
    input.channels = static_cast<uint32_t>(crop.channels);
    AppendBytes(crop.pixels.data(), crop.pixels.size(), &input, section);
    return input;
  }
  const graph::Tensor tensor = data.Load(sample);
  const auto& values = tensor.floats;
  if (values.size() * sizeof(float) <= kGoldenValueBytes) {
    input.kind = blob::GoldenKind::kValues;
    AppendBytes(values.data(), values.size() * sizeof(float), &input, section);
    return input;
  }
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  input.kind = blob::GoldenKind::kGenerated;
  input.low = *low;
  input.high = *high;
  input.seed = seed;
  return input;
}

// The section with digests of zeros.
std::vector<uint8_t> MakeSection(const std::vector<const images::Dataset*>& datasets,
                                 uint32_t count, uint64_t seed, const octet_blob_info& info,
                                 const octet_session* session) {
  blob::GoldenRecord record{};
  record.vector_count = count;
  record.input_count = static_cast<uint32_t>(datasets.size());
  record.output_count = octet_output_count(session);
  // Of a model with states the vectors are the beginning of a sequence.
  const bool in_sequence = octet_state_count(session) != 0;
  record.plan_count = info.plan_count;
  std::vector<uint8_t> section(sizeof(record));
  std::vector<blob::GoldenInput> inputs(size_t{count} * datasets.size());
  record.inputs_offset = write::Append(inputs, &section);
  record.digests_offset = static_cast<uint32_t>(section.size());
  section.resize(section.size() +
                 size_t{kSha256Bytes} * info.plan_count * count * record.output_count);
  for (uint32_t v = 0; v < count; ++v) {
    for (size_t i = 0; i < datasets.size(); ++i) {
      const int64_t sample = in_sequence ? int64_t{v} : datasets[i]->size() * v / count;
      const auto own_seed = static_cast<uint32_t>(seed + v * datasets.size() + i);
      inputs[v * datasets.size() + i] = MakeInput(*datasets[i], sample, own_seed, &section);
    }
  }
  if (!inputs.empty()) {
    std::memcpy(section.data() + record.inputs_offset, inputs.data(),
                inputs.size() * sizeof(blob::GoldenInput));
  }
  std::memcpy(section.data(), &record, sizeof(record));
  return section;
}

// Bound in memory of its own.
struct Bound {
  explicit Bound(const std::vector<uint8_t>& bytes) : blob(Allocate(bytes.size())) {
    std::copy(bytes.begin(), bytes.end(), blob.get());
    octet_config config{};
    config.isa = port::BestIsa(port::DetectCpu());
    config.cpu_features = port::Features(port::DetectCpu());
    config.float_sums = 1;
    size_t arena_bytes = 0;
    CheckGolden(octet_arena_bytes(blob.get(), bytes.size(), config.isa, 1, 0, &arena_bytes));
    arena = Allocate(arena_bytes);
    CheckGolden(octet_bind(blob.get(), bytes.size(), arena.get(), arena_bytes, &config, &session));
  }
  Aligned blob, arena;
  octet_session* session = nullptr;
};

}  // namespace

uint32_t AddGolden(std::vector<const images::Dataset*> datasets, uint32_t wanted, uint64_t seed,
                   std::vector<uint8_t>* blob) {
  // A model without inputs gives one answer.
  const int64_t samples = datasets.empty() ? 1 : datasets[0]->size();
  const auto count = static_cast<uint32_t>(std::min<int64_t>(wanted, samples));
  std::vector<uint8_t> section;
  {
    const Bound bound(*blob);
    datasets.resize(octet_input_count(bound.session));  // states follow
    octet_blob_info info;
    CheckGolden(octet_blob_describe(bound.blob.get(), blob->size(), &info));
    section = MakeSection(datasets, count, seed, info, bound.session);
  }
  *blob = write::WithSection(*blob, blob::SectionKind::kGolden, section);
  const Bound bound(*blob);
  const Aligned memory = Allocate(octet_golden_bytes(bound.session));
  blob::GoldenRecord record;
  std::memcpy(&record, section.data(), sizeof(record));
  uint8_t* digest = section.data() + record.digests_offset;
  for (uint32_t plan = 0; plan < record.plan_count; ++plan) {
    CheckGolden(octet_set_plan(bound.session, plan));
    CheckGolden(octet_reset(bound.session));
    for (uint32_t v = 0; v < count; ++v) {
      CheckGolden(octet_golden_set(bound.session, v, memory.get()));
      CheckGolden(octet_run(bound.session));
      for (uint32_t o = 0; o < record.output_count; ++o, digest += kSha256Bytes) {
        CheckGolden(octet_output_digest(bound.session, o, digest));
      }
    }
  }
  *blob = write::WithSection(*blob, blob::SectionKind::kGolden, section);
  return count;
}

}  // namespace octet::sections
