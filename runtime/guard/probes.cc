#include <string.h>

#include "octet/guard.h"
#include "octet/state.h"
#include "runtime/core/half.h"
#include "runtime/core/sized.h"
#include "runtime/engine/c_api.h"
#include "runtime/format/guard_record.h"
#include "runtime/format/view.h"
#include "runtime/guard/from_blob.h"

namespace {

// Runs of neighbours instead of single values: a cache line each.
constexpr uint32_t kRuns = 32, kRunValues = 8, kValues = kRuns * kRunValues;
constexpr uint32_t kMost = octet::blob::kMostProbes;

// A sample of a tensor, as it stood in the arena.
struct Sample {
  uint8_t values[2 * kValues];  // int8 (with its sign byte) or halves
  octet_element element;        // 0: nothing yet
  float scale;
  int32_t zero_point;
  uint32_t sign;
  uint32_t count;  // of values
};

struct Probe {
  const char* name;
  uint32_t baseline;
  uint32_t layers[OCTET_MAX_PLANS];
  float error;
  uint32_t cut;  // values at an end of the range, in the last frame
  Sample frame, shadow;
};

struct State {
  uint32_t count;
  Probe probes[kMost];
};
static_assert(sizeof(State) <= sizeof(octet_probes), "octet_probes holds the state");
static_assert(alignof(State) <= alignof(octet_probes), "octet_probes holds the state");

State& StateOf(octet_probes* probes) {
  return *static_cast<State*>(static_cast<void*>(probes));
}
const State& StateOf(const octet_probes* probes) {
  return *static_cast<const State*>(static_cast<const void*>(probes));
}

int32_t IntegerAt(const Sample& sample, uint32_t i) {
  return static_cast<int8_t>(sample.values[i] ^ sample.sign);
}

float ValueAt(const Sample& sample, uint32_t i) {
  if (sample.element == OCTET_ELEMENT_INT8) {
    return sample.scale * static_cast<float>(IntegerAt(sample, i) - sample.zero_point);
  }
  uint16_t half;
  memcpy(&half, sample.values + 2 * i, sizeof(half));
  return sample.scale * octet::HalfToFloat(half);
}

void Take(const octet_tensor_view& view, Sample* sample) {
  sample->element = 0;
  if (view.element != OCTET_ELEMENT_INT8 && view.element != OCTET_ELEMENT_FP16) return;
  const uint32_t value_bytes = view.element == OCTET_ELEMENT_INT8 ? 1 : 2;
  const size_t elements = view.bytes / value_bytes;
  const auto* data = static_cast<const uint8_t*>(view.data);
  sample->count = 0;
  if (elements >= kValues) {
    for (uint32_t run = 0; run < kRuns; ++run) {
      const size_t first = (elements - kRunValues) / (kRuns - 1) * run;
      memcpy(sample->values + size_t{run} * kRunValues * value_bytes, data + first * value_bytes,
             size_t{kRunValues} * value_bytes);
    }
    sample->count = kValues;
  } else {
    memcpy(sample->values, data, view.bytes);
    sample->count = static_cast<uint32_t>(elements);
  }
  sample->element = view.element;
  sample->scale = view.scale;
  sample->zero_point = view.zero_point;
  sample->sign = view.sign;
}

// At the ends of the int8 range; where it begins at 0, as behind ReLU, that end is no cut.
uint32_t CountCut(const Sample& sample) {
  if (sample.element != OCTET_ELEMENT_INT8) return 0;
  const bool low_counts = sample.zero_point != -128;
  uint32_t cut = 0;
  for (uint32_t i = 0; i < sample.count; ++i) {
    const int32_t q = IntegerAt(sample, i);
    cut += q == 127 || (low_counts && q == -128) ? 1u : 0u;
  }
  return cut;
}

float RangeShare(const Sample& sample) {
  if (sample.element != OCTET_ELEMENT_INT8) return 0;
  int32_t largest = 0;
  for (uint32_t i = 0; i < sample.count; ++i) {
    const int32_t distance = IntegerAt(sample, i) - sample.zero_point;
    const int32_t size = distance < 0 ? -distance : distance;
    if (size > largest) largest = size;
  }
  const int32_t up = 127 - sample.zero_point, down = sample.zero_point + 128;
  return static_cast<float>(largest) / static_cast<float>(up > down ? up : down);
}

}  // namespace

octet_status octet_probes_init(octet_probes* probes, const void* blob, size_t blob_bytes) {
  if (probes == nullptr) return {OCTET_INVALID_ARGUMENT, 0};
  memset(probes, 0, sizeof(*probes));
  const uint8_t* bytes;
  uint32_t byte_count;
  const octet_status found = octet::guard::FindRecord(blob, blob_bytes, &bytes, &byte_count);
  if (found.code != OCTET_OK || bytes == nullptr) return found;
  octet::BlobView view;
  const octet::Status status = octet::ViewBlob(blob, blob_bytes, &view);
  if (!octet::IsOk(status)) return octet::ToC(status);
  octet::blob::GuardRecord record;
  memcpy(&record, bytes, sizeof(record));
  State& state = StateOf(probes);
  for (uint32_t i = 0; i < record.probe_count; ++i) {
    octet::blob::ProbeRecord entry;
    memcpy(&entry, bytes + record.probes_offset + i * sizeof(entry), sizeof(entry));
    if (entry.name >= view.strings.bytes) return {OCTET_MALFORMED, 0};
    Probe& probe = state.probes[i];
    probe.name = octet::StringAt(view, entry.name);
    probe.baseline = entry.baseline;
    memcpy(probe.layers, entry.layers, sizeof(probe.layers));
    probe.error = -1;
  }
  state.count = record.probe_count;
  return {OCTET_OK, 0};
}

uint32_t octet_probes_count(const octet_probes* probes) {
  return StateOf(probes).count;
}

void octet_probes_take(octet_probes* probes, octet_session* session, uint32_t layer, int shadow) {
  State& state = StateOf(probes);
  if (shadow == 0 && octet_is_aside(session) != 0) return;  // no frame
  const uint32_t plan = octet_plan(session);
  const uint32_t written = layer == 0 ? octet::blob::kProbedInput : layer - 1;
  for (uint32_t i = 0; i < state.count; ++i) {
    Probe& probe = state.probes[i];
    if (probe.layers[plan] != written) continue;
    octet_tensor_view view = {};
    view.size = sizeof(view);
    // An input may be written through its view; here it is only read.
    const octet_status seen = layer == 0 ? octet_input_view(session, 0, &view)
                                         : octet_layer_view(session, written, &view);
    if (seen.code != OCTET_OK) continue;
    Take(view, shadow != 0 ? &probe.shadow : &probe.frame);
    if (shadow == 0) probe.cut = CountCut(probe.frame);
  }
}

void octet_probes_compare(octet_probes* probes) {
  State& state = StateOf(probes);
  for (uint32_t i = 0; i < state.count; ++i) {
    Probe& probe = state.probes[i];
    if (probe.frame.element == 0 || probe.shadow.count != probe.frame.count) continue;
    const bool frame_is_finer = probe.frame.element == OCTET_ELEMENT_FP16;
    float difference = 0, finer = 0;  // 256 squares: float's rounding is nowhere near an error's
    for (uint32_t k = 0; k < probe.frame.count; ++k) {
      const float a = ValueAt(probe.frame, k), b = ValueAt(probe.shadow, k);
      difference += (a - b) * (a - b);
      finer += frame_is_finer ? a * a : b * b;
    }
    if (!(finer > 0)) continue;
    // Newton's method from above; x = sqrt(ratio) to float's precision in few steps.
    const float ratio = difference / finer;
    float root = ratio > 1 ? ratio : 1;
    for (int step = 0; step < 24; ++step) root = 0.5f * (root + ratio / root);
    probe.error = root;
  }
}

uint32_t octet_probes_score(const octet_probes* probes) {
  const State& state = StateOf(probes);
  uint32_t worst = OCTET_GUARD_NO_SCORE;
  for (uint32_t i = 0; i < state.count; ++i) {
    const Probe& probe = state.probes[i];
    if (probe.frame.element != OCTET_ELEMENT_INT8 || probe.frame.count == 0) continue;
    const uint32_t cut = probe.cut * OCTET_GUARD_FULL_SCORE / probe.frame.count;
    const uint32_t beyond = cut > probe.baseline ? cut - probe.baseline : 0;
    const uint32_t score = OCTET_GUARD_FULL_SCORE - beyond;
    if (score < worst) worst = score;
  }
  return worst;
}

octet_status octet_probes_info(const octet_probes* probes, uint32_t index, octet_probe_info* info) {
  const State& state = StateOf(probes);
  if (index >= state.count || !octet::IsSized(info)) return {OCTET_INVALID_ARGUMENT, 0};
  const Probe& probe = state.probes[index];
  octet_probe_info own = {};
  own.name = probe.name;
  own.error = probe.error;
  if (probe.frame.element == OCTET_ELEMENT_INT8 && probe.frame.count != 0) {
    own.saturation = static_cast<float>(probe.cut) / static_cast<float>(probe.frame.count);
    own.range_share = RangeShare(probe.frame);
  }
  octet::WriteSized(own, info);
  return {OCTET_OK, 0};
}
