// The mixed blob with one field changed: what refuses it, and where the status points.
#ifndef OCTET_TESTS_RUNTIME_FORMAT_REFUSALS_H_
#define OCTET_TESTS_RUNTIME_FORMAT_REFUSALS_H_

#include <gtest/gtest.h>

#include <vector>

#include "octet/octet.h"
#include "runtime/format/view.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

// Records of a blob, to be changed. Where they lie is read from the sound blob, once, so that what
// a change does to counts and offsets moves nothing.
class Records {
 public:
  explicit Records(Blob sound) : blob_(std::move(sound)) {
    const Status status = ViewBlob(blob_.data(), blob_.size(), &view_);
    EXPECT_EQ(status.code, Code::kOk) << "at " << status.offset;
    for (uint32_t p = 0; p < view_.model->plan_count; ++p) {
      EXPECT_EQ(ViewPlan(view_, p, &plans_[p]).code, Code::kOk);
    }
    if (view_.decode.data == nullptr) return;
    levels_at_ = &Mutable(DecodeLevels(view_));
    anchors_at_ = &Mutable(DecodeAnchors(view_));
    extras_at_ = &Mutable(DecodeExtras(view_));
  }
  Records(const Records&) = delete;

  const Blob& blob() const { return blob_; }
  uint32_t OffsetOf(const void* place) const {
    return static_cast<uint32_t>(static_cast<const uint8_t*>(place) - blob_.data());
  }
  uint8_t* base() { return blob_.data(); }
  blob::Header& header() { return Mutable(view_.header); }
  blob::Section& section(uint32_t i) { return Mutable(SectionAt(view_.header, i)); }
  blob::Section& last_section() { return section(view_.header->section_count - 1); }
  blob::ModelRecord& model() { return Mutable(view_.model); }
  blob::InputRecord& input(uint32_t i = 0) { return Mutable(view_.inputs + i); }
  blob::OutputRecord& output(uint32_t i = 0) { return Mutable(view_.outputs + i); }
  blob::StateRecord& state(uint32_t i = 0) { return Mutable(view_.states + i); }
  // Of a plan: tensor number of a state that is read (0) or written (1).
  uint32_t& state_tensor(uint32_t i, uint32_t which, uint32_t p = 0) {
    return Mutable(view_.plan_io + view_.plans[p].first_state + 2 * size_t{i} + which);
  }
  blob::PlanRecord& plan(uint32_t i = 0) { return Mutable(view_.plans + i); }
  uint32_t& plan_io(uint32_t i) { return Mutable(view_.plan_io + i); }
  blob::OutputPart& part(uint32_t i = 0) { return Mutable(view_.parts + i); }
  uint8_t* strings() { return &Mutable(view_.strings.data); }
  uint32_t strings_bytes() const { return view_.strings.bytes; }
  uint8_t* labels() { return &Mutable(view_.labels.data); }
  blob::PlanHeader& plan_header(uint32_t p = 0) { return Mutable(plans_[p].header); }
  blob::TensorRecord& tensor(uint32_t i, uint32_t p = 0) { return Mutable(plans_[p].tensors + i); }
  blob::LayerRecord& layer(uint32_t i, uint32_t p = 0) { return Mutable(plans_[p].layers + i); }
  uint32_t& operand(uint32_t i, uint32_t p = 0) { return Mutable(plans_[p].operands + i); }
  blob::DecodeRecord& decode() { return Mutable(&DecodeOf(view_)); }
  blob::DecodeLevel& level(uint32_t i = 0) { return levels_at_[i]; }
  blob::DecodeAnchor& anchor(uint32_t i) { return anchors_at_[i]; }
  blob::DecodeExtra& extra(uint32_t i = 0) { return extras_at_[i]; }

 private:
  template <typename T>
  static T& Mutable(const T* record) {
    return *const_cast<T*>(record);
  }

  Blob blob_;
  BlobView view_;
  PlanView plans_[blob::kMaxPlans] = {};
  blob::DecodeLevel* levels_at_ = nullptr;
  blob::DecodeAnchor* anchors_at_ = nullptr;
  blob::DecodeExtra* extras_at_ = nullptr;
};

// change: returns where the refusal has to point; null where the blob stays sound. A limit that is
// just kept shows in that the next rule refuses, elsewhere.
struct Refusal {
  const char* rule;
  const void* (*change)(Records& r);
  octet_code code = OCTET_MALFORMED;
};

inline void ExpectRefusals(const Blob& sound, const std::vector<Refusal>& refusals) {
  const octet_status good = octet_validate(sound.data(), sound.size(), OCTET_VERIFY_NONE);
  ASSERT_EQ(good.code, OCTET_OK) << "at " << good.offset;
  for (const Refusal& refusal : refusals) {
    Records records(sound);
    const void* place = refusal.change(records);
    const octet_status status =
        octet_validate(records.blob().data(), records.blob().size(), OCTET_VERIFY_NONE);
    const octet_code wanted = place == nullptr ? octet_code{OCTET_OK} : refusal.code;
    EXPECT_EQ(octet_code_name(status.code), octet_code_name(wanted)) << refusal.rule;
    EXPECT_EQ(status.offset, place == nullptr ? 0 : records.OffsetOf(place)) << refusal.rule;
  }
}

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_FORMAT_REFUSALS_H_
