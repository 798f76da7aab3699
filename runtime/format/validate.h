// The whole blob, once, in every build. What passes here can be bound and run without any further
// check. Allocates nothing; the time is bounded by the limits in view.h.
#ifndef OCTET_FORMAT_VALIDATE_H_
#define OCTET_FORMAT_VALIDATE_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/format/sha256.h"
#include "runtime/format/view.h"

namespace octet {

// The rules of single operators live with the operators; the engine hands them in.
struct LayerRules {
  // False where this program was linked without the layer's operator.
  bool (*is_linked)(const blob::LayerRecord& layer);
  // Every rule of the operator. Called once indices, tensors and data references are known to be
  // sound.
  bool (*check)(const BlobView& view, const PlanView& plan, uint32_t layer);
};

// hash: null leaves the hashes unchecked. plan_mask: bit p says that plan p is wanted; of the
// others no byte is read but for its hash. On success `view` is filled. Errors: kInvalidArgument,
// kMisaligned, kNotABlob, kUnsupportedVersion, kTruncated, kCorrupt, kMalformed,
// kOperatorUnavailable, with the offset of the first broken rule.
Status ValidateBlob(const void* base, size_t bytes, Sha256BlocksFn hash, uint32_t plan_mask,
                    const LayerRules& rules, BlobView* view);
// For which plans there are: ValidateBlob's mask where 0 stands for all of them; 0: none is left.
uint32_t PlansOf(const BlobView& view, uint32_t plan_mask);
constexpr uint32_t kPlanBits = 0x1FFFFFFFu;  // of a plan_mask; those above ask for features

// Who is told which bytes of the blob [begin, end) are about to be read for their hash, and which
// were: in the order of the section table, each byte of the file once, but for header and table.
struct HashWatch {
  void* context;
  void (*before)(void* context, uint32_t begin, uint32_t end);  // or null
  void (*after)(void* context, uint32_t begin, uint32_t end);   // or null
};

// Parts of it, each in a file of its own.
Status ValidateHashes(const BlobView& view, Sha256BlocksFn hash, const HashWatch& watch);
Status ValidateSectionHash(const BlobView& view, uint32_t section, Sha256BlocksFn hash,
                           const HashWatch& watch);
// first: a plan that has passed, or this one.
Status ValidatePlan(const BlobView& view, const PlanView& plan, const PlanView& first);
// Part of ValidatePlan: the tensors of the model's inputs, states and outputs.
Status ValidatePoints(const BlobView& view, const PlanView& plan, const PlanView& first);
Status ValidateLifetimes(const PlanView& plan);  // who may share bytes

// Of a record that nobody checked yet.
uint64_t SaturatedElementCount(const blob::TensorRecord& tensor);

// Digest of header and section table (FORMAT.md, "Hashes"): what stands for the file, and what is
// signed.
void HeaderDigest(const blob::Header* header, Sha256BlocksFn hash, uint8_t digest[kSha256Bytes]);

}  // namespace octet

#endif  // OCTET_FORMAT_VALIDATE_H_
