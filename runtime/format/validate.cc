#include "runtime/format/validate.h"

#include "runtime/core/bytes.h"

namespace octet {
namespace {

using blob::Header;
using blob::Section;

// Operators' own rules.
Status ValidateLayers(const BlobView& view, const PlanView& plan, const LayerRules& rules) {
  for (uint32_t k = 0; k < plan.header->layer_count; ++k) {
    const uint32_t at =
        plan.offset + plan.header->layers_offset + k * (uint32_t)sizeof(blob::LayerRecord);
    if (!rules.is_linked(plan.layers[k])) return Status{Code::kOperatorUnavailable, at};
    if (!rules.check(view, plan, k)) return Malformed(at);
  }
  return Ok();
}

}  // namespace

void HeaderDigest(const Header* header, Sha256BlocksFn hash, uint8_t digest[kSha256Bytes]) {
  static const uint8_t kZeros[kSha256Bytes] = {};
  const auto* bytes = reinterpret_cast<const uint8_t*>(header);
  Sha256 state;
  Sha256Start(&state, hash);
  size_t done = 0;
  // [done, at) as it stands, then 32 zeros for a hash.
  const auto skip_hash = [&](size_t at) {
    Sha256Update(&state, bytes + done, at - done);
    Sha256Update(&state, kZeros, sizeof(kZeros));
    done = at + sizeof(kZeros);
  };
  skip_hash(offsetof(Header, sha256));
  size_t at = header->section_table_offset;
  for (uint32_t i = 0; i < header->section_count; ++i, at += header->section_entry_bytes) {
    if (SectionAt(header, i)->kind != blob::SectionKind::kSignature) continue;
    skip_hash(at + offsetof(Section, sha256));
  }
  Sha256Update(&state, bytes + done, at - done);
  Sha256Finish(&state, digest);
}

static void Tell(void (*watcher)(void*, uint32_t, uint32_t), const HashWatch& watch, uint64_t begin,
                 uint64_t end) {
  if (watcher != nullptr && begin < end) watcher(watch.context, (uint32_t)begin, (uint32_t)end);
}

// No hash covers the padding up to the next section, so it has to be zero: a changed byte anywhere
// in the file is seen.
static Status CheckPadding(const BlobView& view, uint64_t begin, uint32_t next_section,
                           const HashWatch& watch) {
  const bool last = next_section == view.header->section_count;
  const uint64_t end =
      last ? view.header->file_bytes : SectionAt(view.header, next_section)->offset;
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
  Status status = CheckPadding(view, table_end, 0, watch);
  for (uint32_t i = 0; i < view.header->section_count && IsOk(status); ++i) {
    status = ValidateSectionHash(view, i, hash, watch);
    if (!IsOk(status)) return status;
    const Section* section = SectionAt(view.header, i);
    status = CheckPadding(view, (uint64_t)section->offset + section->bytes, i + 1, watch);
  }
  return status;
}

uint32_t PlansOf(const BlobView& view, uint32_t plan_mask) {
  const uint32_t all = (1u << view.model->plan_count) - 1;  // 1 to 8 plans
  plan_mask &= kPlanBits;
  return plan_mask == 0 ? all : plan_mask & all;
}

Status ValidateBlob(const void* base, size_t bytes, Sha256BlocksFn hash, uint32_t plan_mask,
                    const LayerRules& rules, BlobView* view) {
  Status status = ViewBlob(base, bytes, view);
  if (!IsOk(status)) return status;
  const uint32_t plans = PlansOf(*view, plan_mask);
  if (plans == 0) return Status{Code::kInvalidArgument, 0};
  if (hash != nullptr) {
    status = ValidateHashes(*view, hash, HashWatch{});
    if (!IsOk(status)) return status;
  }
  PlanView first = {};
  for (uint32_t i = 0; i < view->model->plan_count; ++i) {
    if ((plans >> i & 1) == 0) continue;
    PlanView plan;
    status = ViewPlan(*view, i, &plan);
    if (!IsOk(status)) return status;
    if (first.record == nullptr) first = plan;
    status = ValidatePlan(*view, plan, first);
    if (!IsOk(status)) return status;
    status = ValidateLifetimes(plan);
    if (!IsOk(status)) return status;
    status = ValidateLayers(*view, plan, rules);
    if (!IsOk(status)) return status;
  }
  return Ok();
}

}  // namespace octet
