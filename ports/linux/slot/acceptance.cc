// Which models a store takes.
#include <algorithm>
#include <cstring>

#include "ports/linux/slot/self_test.h"
#include "ports/linux/slot/slot_store.h"
#include "ports/linux/whitelist.h"
#include "runtime/format/optional_features.h"

namespace octet::port {

// The face of the active model, before another one may take its place. Read once, while there is no
// other model in memory; one that cannot be read, or is not what the records say, may be replaced
// by any.
void SlotStore::LearnRunning() {
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  if (options_.any_kind || info.active == OCTET_SLOT_NONE) return running_.reset();
  const octet_slot_info& active = info.slots[info.active];
  if (running_ &&
      std::equal(running_digest_.begin(), running_digest_.end(), std::begin(active.digest))) {
    return;
  }
  running_.reset();
  const octet_area area = info.active == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B;
  const void* blob = port_.map(port_.context, area, active.bytes);
  octet_blob_info found{};
  if (blob == nullptr || octet_validate(blob, active.bytes, verify_mode_).code != OCTET_OK ||
      octet_blob_describe(blob, active.bytes, &found).code != OCTET_OK ||
      std::memcmp(found.digest, active.digest, sizeof(found.digest)) != 0) {
    return;
  }
  running_ = FaceOf(blob, active.bytes);
  std::copy(std::begin(active.digest), std::end(active.digest), running_digest_.begin());
}

// The product that the next model must have: that of the store, or else that of the running model.
void SlotStore::LearnWanted() {
  LearnRunning();
  product_.clear();
  if (options_.any_kind) return;
  product_ = storage_.ReadProduct();
  if (product_.empty() && running_) product_ = running_->product;
}

bool SlotStore::PassesSelfTest(const void* blob, size_t bytes) {
  const SelfTest test = RunSelfTest(blob, bytes);
  self_test_ = test.line;
  return test.passed;
}

int SlotStore::Accepts(void* context, const void* blob, size_t bytes) {
  auto* self = static_cast<SlotStore*>(context);
  const bool is_random = blob::HasRandomRanges(*static_cast<const blob::Header*>(blob));
  if (is_random && !self->options_.random_ranges) return OCTET_SLOTS_RANDOM;
  const ModelFace face = FaceOf(blob, bytes);
  if (!self->product_.empty() && face.product != self->product_) {
    self->difference_ = "its product is " + (face.product.empty() ? "not named" : face.product) +
                        ", and " + self->product_ + " is wanted; convert it with --product " +
                        self->product_;
    return OCTET_SLOTS_PRODUCT;
  }
  if (self->running_) {
    self->difference_ = DifferenceOf(*self->running_, face);
    if (!self->difference_.empty()) return OCTET_SLOTS_OTHER;
  }
  return self->PassesSelfTest(blob, bytes) ? 1 : 0;
}

int SlotStore::Allows(void* context, const void* blob, size_t bytes) {
  auto* self = static_cast<SlotStore*>(context);
  const std::string why = WhyNotOn(*self->board_, blob, bytes, 0);
  if (!why.empty()) self->not_allowed_ = why;
  return why.empty() ? 1 : 0;
}

}  // namespace octet::port
