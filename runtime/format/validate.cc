#include "runtime/format/validate.h"

#include "runtime/core/bytes.h"

namespace octet {
namespace {

using blob::Header;
using blob::Section;

// Operators' own rules, and the scratch sizes that follow from them.
Status ValidateLayers(const BlobView& view, const PlanView& plan, const LayerRules& rules) {
  uint64_t scratch_bytes = 0;
  for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
    const uint32_t at =
        plan.offset + plan.header->layers_offset + k * (uint32_t)sizeof(blob::LayerRecord);
    if (!rules.is_linked(plan.layers[k])) return Status{Code::kOperatorUnavailable, at};
    if (!rules.check(view, plan, k)) return Malformed(at);
    const uint64_t bytes = rules.scratch_bytes(view, plan, k);
    if (bytes > scratch_bytes) scratch_bytes = bytes;
  }
  // The other levels hold 0 or the same number (validate_model.cc).
  if (plan.record->scratch_bytes[0] != scratch_bytes) {
    return Malformed(
        (uint32_t)(reinterpret_cast<const uint8_t*>(&plan.record->scratch_bytes[0]) - view.base));
  }
  return Ok();
}

}  // namespace

void HeaderDigest(const Header* header, Sha256BlocksFn hash, uint8_t digest[kSha256Bytes]) {
  static const uint8_t kZeros[sizeof(header->sha256)] = {};
  const auto* bytes = reinterpret_cast<const uint8_t*>(header);
  const size_t end =
      header->section_table_offset + (size_t)header->section_count * header->section_entry_bytes;
  constexpr size_t kField = offsetof(Header, sha256);
  Sha256 state;
  Sha256Start(&state, hash);
  Sha256Update(&state, bytes, kField);
  Sha256Update(&state, kZeros, sizeof(kZeros));
  Sha256Update(&state, bytes + kField + sizeof(kZeros), end - kField - sizeof(kZeros));
  Sha256Finish(&state, digest);
}

static void Tell(void (*watcher)(void*, uint32_t, uint32_t), const HashWatch& watch, uint64_t begin,
                 uint64_t end) {
  if (watcher != nullptr && begin < end) watcher(watch.context, (uint32_t)begin, (uint32_t)end);
}

// No hash covers the padding up to the next page, so it has to be zero: a changed byte anywhere in
// the file is seen.
static Status CheckPadding(const BlobView& view, uint64_t begin, const HashWatch& watch) {
  uint64_t end = (begin + blob::kSectionAlignment - 1) & ~(uint64_t)(blob::kSectionAlignment - 1);
  if (end > view.header->file_bytes) end = view.header->file_bytes;
  Tell(watch.before, watch, begin, end);
  for (uint64_t at = begin; at < end; ++at) {
    if (view.base[at] != 0) return Status{Code::kCorrupt, (uint32_t)at};
  }
  Tell(watch.after, watch, begin, end);
  return Ok();
}

Status ValidateSectionHash(const BlobView& view, uint32_t index, Sha256BlocksFn hash,
                           const HashWatch& watch) {
  constexpr uint64_t kStepBytes = (uint64_t)1 << 20;
  const Section* section = SectionAt(view.header, index);
  const uint64_t end = (uint64_t)section->offset + section->bytes;
  Sha256 state;
  Sha256Start(&state, hash);
  for (uint64_t at = section->offset; at < end; at += kStepBytes) {
    const uint64_t step = end - at < kStepBytes ? end - at : kStepBytes;
    Tell(watch.before, watch, at, at + step);
    Sha256Update(&state, view.base + at, (size_t)step);
    Tell(watch.after, watch, at, at + step);
  }
  uint8_t digest[kSha256Bytes];
  Sha256Finish(&state, digest);
  if (SameBytes(digest, section->sha256, sizeof(digest))) return Ok();
  return Status{Code::kCorrupt, section->offset};
}

Status ValidateHashes(const BlobView& view, Sha256BlocksFn hash, const HashWatch& watch) {
  uint8_t digest[kSha256Bytes];
  HeaderDigest(view.header, hash, digest);
  if (!SameBytes(digest, view.header->sha256, sizeof(digest))) {
    return Status{Code::kCorrupt, offsetof(Header, sha256)};
  }
  const uint64_t table_end =
      view.header->section_table_offset +
      (uint64_t)view.header->section_count * view.header->section_entry_bytes;
  Status status = CheckPadding(view, table_end, watch);
  for (uint32_t i = 0; i < view.header->section_count && IsOk(status); ++i) {
    status = ValidateSectionHash(view, i, hash, watch);
    if (!IsOk(status)) return status;
    const Section* section = SectionAt(view.header, i);
    status = CheckPadding(view, (uint64_t)section->offset + section->bytes, watch);
  }
  return status;
}

Status ValidateBlob(const void* base, size_t bytes, Sha256BlocksFn hash, const LayerRules& rules,
                    BlobView* view) {
  Status status = ViewBlob(base, bytes, view);
  if (!IsOk(status)) return status;
  if (hash != nullptr) {
    status = ValidateHashes(*view, hash, HashWatch{});
    if (!IsOk(status)) return status;
  }
  for (uint32_t i = 0; i < view->model->plan_count; ++i) {
    PlanView plan;
    status = ViewPlan(*view, i, &plan);
    if (!IsOk(status)) return status;
    status = ValidatePlan(*view, plan);
    if (!IsOk(status)) return status;
    status = ValidateLifetimes(plan);
    if (!IsOk(status)) return status;
    status = ValidateLayers(*view, plan, rules);
    if (!IsOk(status)) return status;
  }
  return Ok();
}

}  // namespace octet
