// Drift sections of a blob that is sound else: refused, or every rule of FORMAT.md that keeps
// memory safe holds, and moves of any size run within the arena and are told as they were made.
// The first bytes are what each group moves by, the rest is the section.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "octet/drift.h"
#include "runtime/drift/bank.h"
#include "runtime/drift/record.h"
#include "runtime/engine/session.h"
#include "runtime/format/sha256.h"
#include "tests/fuzz/fuzz.h"
#include "tests/runtime/drift/drift_blob.h"
#include "tests/support/session.h"

namespace octet::fuzz {
namespace {

constexpr size_t kStepBytes = 16;
constexpr size_t kMostArenaBytes = size_t{8} << 20;

struct Good {
  test::Blob blob = test::MakeDriftBlob();
  size_t begin = 0, bytes = 0;
  Good() {
    BlobView view;
    FUZZ_CHECK(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
    begin = static_cast<size_t>(test::DriftSectionOf(view).data - blob.data());
    bytes = test::DriftSectionOf(view).bytes;
  }
};
const Good& TheGood() {
  static const Good good;
  return good;
}

Input Seed(uint8_t step, void (*change)(test::DriftParts*)) {
  Input input(kStepBytes);
  for (size_t i = 0; i < kStepBytes; ++i) input[i] = static_cast<uint8_t>(i * step);
  const test::Blob blob = test::MakeDriftBlob(change);
  BlobView view;
  FUZZ_CHECK(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  const Bytes section = test::DriftSectionOf(view);
  input.insert(input.end(), section.data, section.data + section.bytes);
  return input;
}

}  // namespace

const size_t kLongestInput = 4096;

std::vector<Input> Seeds() {
  return {Seed(0, nullptr), Seed(3, nullptr),
          Seed(31, [](test::DriftParts* p) { p->group_of[8] = blob::kNoDriftGroup; }),
          Seed(5, [](test::DriftParts* p) { p->layers[4].first_channel = 0; })};
}

namespace {

// What memory safety rests on, from the bytes alone.
void CheckRules(const drift::Section& section, const BlobView& blob) {
  const blob::DriftRecord& r = *section.record;
  const Bytes all = test::DriftSectionOf(blob);
  const auto within = [&all](const void* array, size_t bytes) {
    const auto* begin = static_cast<const uint8_t*>(array);
    return begin >= all.data && begin + bytes <= all.data + all.bytes;
  };
  FUZZ_CHECK(r.group_count >= 1 && r.group_count <= blob::kMostDriftGroups);
  FUZZ_CHECK(within(section.groups, r.group_count * sizeof(blob::DriftGroup)));
  FUZZ_CHECK(within(section.layers, r.layer_count * sizeof(blob::DriftLayer)));
  FUZZ_CHECK(within(section.group_of, r.tensor_count * sizeof(uint16_t)));
  FUZZ_CHECK(within(section.channels, r.channel_count * sizeof(blob::DriftChannel)));
  FUZZ_CHECK(r.tensor_count == section.plan.header->tensor_count);
  for (uint32_t g = 0; g < r.group_count; ++g) {
    FUZZ_CHECK(section.groups[g].tensor < section.observe.header->tensor_count);
  }
  for (uint32_t i = 0; i < r.tensor_count; ++i) {
    const uint16_t group = section.group_of[i];
    if (group == blob::kNoDriftGroup) continue;
    FUZZ_CHECK((group & 0x7FFFu) < r.group_count);
    FUZZ_CHECK(section.plan.tensors[i].type == blob::ElementType::kInt8);
  }
  int64_t before = -1;
  for (uint32_t i = 0; i < r.layer_count; ++i) {
    const blob::DriftLayer& entry = section.layers[i];
    FUZZ_CHECK(entry.layer > before && entry.layer < section.plan.header->layer_count);
    before = entry.layer;
    FUZZ_CHECK(!std::isnan(entry.alpha) && !std::isnan(entry.beta));
    if (entry.first_channel == blob::kNone) continue;
    const uint32_t output = section.plan.layers[entry.layer].output;
    const uint64_t end = uint64_t{entry.first_channel} + section.plan.tensors[output].dims[3];
    FUZZ_CHECK(end <= r.channel_count);
    for (uint64_t c = entry.first_channel; c < end; ++c) {
      FUZZ_CHECK(std::isnormal(section.channels[c].scale) && section.channels[c].scale > 0);
    }
  }
}

octet_drift_record RecordOf(const test::Blob& blob, uint32_t groups, const uint8_t* steps) {
  drift::Record record{};
  std::memcpy(record.magic, drift::kRecordMagic, sizeof(record.magic));
  record.version = drift::kRecordVersion;
  record.group_count = static_cast<uint16_t>(groups);
  record.sequence = 7;
  std::memcpy(record.digest, reinterpret_cast<const blob::Header*>(blob.data())->sha256,
              sizeof(record.digest));
  for (uint32_t g = 0; g < groups; ++g) {
    record.steps[g] = static_cast<int8_t>(steps[g % kStepBytes] % 33 - 16);
  }
  Sha256Of(reinterpret_cast<const uint8_t*>(&record), offsetof(drift::Record, sha256),
           Sha256BlocksPortable, record.sha256);
  octet_drift_record stored;
  std::memcpy(stored.bytes, &record, sizeof(record));
  return stored;
}

void SetInput(octet_session* session) {
  std::vector<float> values(test::kDriftInputs);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 41) / 8 - 2;
  FUZZ_CHECK(octet_set_input_f32(session, 0, values.data(), values.size()).code == OCTET_OK);
}

// Whether what is said to run is what was loaded.
void CheckMoves(octet_session* session, const octet_drift_record& record, uint32_t groups) {
  const auto& steps = reinterpret_cast<const drift::Record*>(record.bytes)->steps;
  int32_t largest = 0;
  const auto moved = std::count_if(steps, steps + groups, [](int8_t step) { return step != 0; });
  FUZZ_CHECK(octet_drift_moved(session, &largest) == static_cast<uint32_t>(moved));
  octet_drift_record saved;
  FUZZ_CHECK(octet_drift_save(session, &saved).code == OCTET_OK);
  FUZZ_CHECK(std::memcmp(reinterpret_cast<const drift::Record*>(saved.bytes)->steps, steps,
                         sizeof(steps)) == 0);
}

}  // namespace
}  // namespace octet::fuzz

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size)
    __attribute__((weak));
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  using namespace octet;
  std::mt19937 random(seed);
  if (random() % 4 == 0 && LLVMFuzzerMutate != nullptr) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  constexpr size_t kRecordEnd = fuzz::kStepBytes + sizeof(blob::DriftRecord);
  if (size < kRecordEnd) return size;
  for (uint32_t i = random() % 3 + 1; i > 0; --i) {
    switch (random() % 4) {
      case 0:
        fuzz::MutateWord(data + fuzz::kStepBytes, sizeof(blob::DriftRecord), random);
        break;
      case 1:  // one group number more or less, as of a tensor
        if (size > kRecordEnd + 1) {
          const size_t at = kRecordEnd + random() % ((size - kRecordEnd) / 2) * 2;
          data[at] = static_cast<uint8_t>(data[at] + (random() % 2 == 0 ? 1 : -1));
        }
        break;
      default:
        fuzz::MutateWord(data + kRecordEnd, size - kRecordEnd, random);
    }
  }
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace octet;
  using fuzz::kStepBytes;
  if (size < kStepBytes) return 0;
  const fuzz::Good& good = fuzz::TheGood();
  test::Blob blob = good.blob;
  std::copy_n(data + kStepBytes, std::min(size - kStepBytes, good.bytes),
              blob.begin() + static_cast<std::ptrdiff_t>(good.begin));
  BlobView view;
  FUZZ_CHECK(IsOk(ViewBlob(blob.data(), blob.size(), &view)));
  drift::Section section{};
  const bool sound = IsOk(drift::ViewSection(view, &section));
  octet_drift_info info{};
  info.size = sizeof(info);
  const octet_code described = octet_drift_describe(blob.data(), blob.size(), &info).code;
  FUZZ_CHECK(sound ? described == OCTET_OK : described == OCTET_MALFORMED);
  size_t bytes = 0;
  const octet_code sized =
      octet_arena_bytes(blob.data(), blob.size(), OCTET_ISA_REFERENCE, 1, OCTET_WITH_DRIFT, &bytes)
          .code;
  FUZZ_CHECK(sound ? sized == OCTET_OK : sized == OCTET_MALFORMED);
  if (!sound || bytes > fuzz::kMostArenaBytes) return 0;
  fuzz::CheckRules(section, view);
  const test::TestSession session(
      blob, {.verify_hashes = OCTET_VERIFY_NONE, .plan_mask = OCTET_WITH_DRIFT});
  if (session.status().code != OCTET_OK) {
    FUZZ_CHECK(session.status().code == OCTET_MALFORMED);
    return 0;
  }
  const octet_drift_record record = fuzz::RecordOf(blob, info.group_count, data);
  const octet_code loaded = octet_drift_load(session.get(), &record).code;
  FUZZ_CHECK(loaded == OCTET_OK || loaded == OCTET_MALFORMED);
  if (loaded == OCTET_OK) fuzz::CheckMoves(session.get(), record, info.group_count);
  fuzz::SetInput(session.get());
  FUZZ_CHECK(octet_run(session.get()).code == OCTET_OK);
  // A round over what the finer plan has.
  octet_drift_config config{};
  config.size = sizeof(config);
  octet_drift_defaults(&config);
  config.fit_frames = config.judge_frames = 1;
  FUZZ_CHECK(octet_drift_configure(session.get(), &config).code == OCTET_OK);
  FUZZ_CHECK(octet_set_plan(session.get(), info.observe_plan).code == OCTET_OK);
  fuzz::SetInput(session.get());
  octet_drift_observe(session.get(), 0);
  FUZZ_CHECK(octet_run(session.get()).code == OCTET_OK);
  for (uint32_t layer = 1; layer <= octet_layer_count(session.get()); ++layer) {
    octet_drift_observe(session.get(), layer);
  }
  if (octet_drift_fitted(session.get()) == OCTET_DRIFT_PROPOSED) {
    FUZZ_CHECK(octet_set_plan(session.get(), info.plan).code == OCTET_OK);
    FUZZ_CHECK(octet_drift_use(session.get(), OCTET_DRIFT_CANDIDATE).code == OCTET_OK);
    fuzz::SetInput(session.get());
    FUZZ_CHECK(octet_run(session.get()).code == OCTET_OK);
    const octet_drift_answer before{0, 0}, after{1000, 25600};
    FUZZ_CHECK(octet_drift_judged(session.get(), &before, &after) == OCTET_DRIFT_KEPT);
    int32_t largest = 0;
    octet_drift_moved(session.get(), &largest);
    FUZZ_CHECK(largest >= -16 && largest <= 16);
  }
  session.ExpectGuardsIntact();
  return 0;
}
