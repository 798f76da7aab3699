// The golden section (FORMAT.md, "Golden section"). Validation of a blob reads nothing of it but
// its hash: whoever uses it calls ViewGolden.
#ifndef OCTET_FORMAT_GOLDEN_H_
#define OCTET_FORMAT_GOLDEN_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/core/status.h"
#include "runtime/format/sha256.h"
#include "runtime/format/view.h"

namespace octet {
namespace blob {

constexpr uint32_t kMaxGoldenVectors = 64;

struct GoldenRecord {  // 32 bytes, at offset 0 of the section
  uint32_t vector_count;
  uint32_t input_count, output_count, plan_count;  // those of the model
  uint32_t inputs_offset;                          // GoldenInput[vector_count][input_count]
  uint32_t digests_offset;                         // u8[plan_count][vector_count][output_count][32]
  uint32_t reserved[2];
};
static_assert(sizeof(GoldenRecord) == 32, "GoldenRecord layout");

enum class GoldenKind : uint32_t {
  kPicture = 1,    // bytes [height][width][channels], for an input that takes pictures
  kValues = 2,     // f32, in the model's own layout
  kGenerated = 3,  // as many, computed: GoldenGenerator
};

struct GoldenInput {  // 40 bytes
  GoldenKind kind;
  uint32_t offset, bytes;            // in the section; kinds 1 and 2
  uint32_t height, width, channels;  // kind 1
  float low, high;                   // kind 3
  uint32_t seed;                     // kind 3
  uint32_t reserved;
};
static_assert(sizeof(GoldenInput) == 40, "GoldenInput layout");

}  // namespace blob

// Numbers between low and high: x = x * 1664525 + 1013904223 mod 2^32 (Numerical Recipes'
// constants) from x = seed on, and of each x the upper 24 bits as a share of 2^24, which float
// holds exactly.
struct GoldenGenerator {
  uint32_t x;
  float low, high;
  float Next() {
    x = x * 1664525u + 1013904223u;
    const float share = static_cast<float>(x >> 8) * (1.0f / 16777216.0f);
    return low + (high - low) * share;
  }
};

struct GoldenView {
  const blob::GoldenRecord* record;  // null: the blob has no golden section
  const blob::GoldenInput* inputs;
  const uint8_t* digests;
  Bytes section;
};

// Checks all rules of the section. view: as ViewBlob filled it.
Status ViewGolden(const BlobView& view, GoldenView* golden);

static inline const blob::GoldenInput& GoldenInputOf(const GoldenView& golden, uint32_t vector,
                                                     uint32_t input) {
  return golden.inputs[(size_t)vector * golden.record->input_count + input];
}
static inline const uint8_t* GoldenDigestOf(const GoldenView& golden, uint32_t plan,
                                            uint32_t vector, uint32_t output) {
  const blob::GoldenRecord& record = *golden.record;
  const size_t index = ((size_t)plan * record.vector_count + vector) * record.output_count + output;
  return golden.digests + index * kSha256Bytes;
}

}  // namespace octet

#endif  // OCTET_FORMAT_GOLDEN_H_
