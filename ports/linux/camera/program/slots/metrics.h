// The state of a store of slots as metrics. States, not only changes, so that events before the
// start are seen too, such as a crash loop that was rolled back.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_METRICS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_METRICS_H_

#include <atomic>
#include <cstdint>
#include <iterator>
#include <limits>

#include "octet/slots.h"
#include "ports/linux/metrics/counters.h"
#include "ports/linux/metrics/metrics.h"

namespace octet::port {

// octet_flash_refusals_total{reason}: why a new blob was not taken.
enum class FlashRefusal : uint8_t {
  kDamaged,    // format or hash
  kSignature,  // missing, or of another key
  kCounter,    // older than the one that runs
  kBoard,      // made for another board, or not allowed on this one
  kSelfTest,   // its golden vectors give other bytes here
  kStorage,    // cannot be written or read back
  kKind,       // not the kind of model that runs
  kProduct,    // of another product, or of none
  kRandom,     // its ranges come from random data
};
inline constexpr const char* kFlashRefusals[] = {
    "damaged", "signature", "counter", "board", "selftest", "storage", "kind", "product", "random"};

// octet_slot_events_total{event}.
enum class SlotEvent : uint8_t { kActivate, kConfirm, kRollback };
inline constexpr const char* kSlotEvents[] = {"activate", "confirm", "rollback"};

struct StoreState {
  bool known = false;  // the store was looked at
  bool has_record = false, readable = false, writable = false;
  octet_slot active = OCTET_SLOT_NONE, pending = OCTET_SLOT_NONE;
  uint32_t attempts = 0, sequence = 0, refusals = 0;
  octet_slots_code last_refusal = OCTET_SLOTS_OK;
  uint64_t free_bytes = 0;
};

// From one reading to the next.
struct StoreChange {
  uint64_t refusals =
      0;                 // more than before; a number that fell is another store's, and counts none
  bool refused = false;  // the last of them was a model that was not taken: `refusal`
  FlashRefusal refusal = FlashRefusal::kStorage;
  bool activated = false, confirmed = false;
};
StoreChange ChangeOf(const StoreState& before, const StoreState& now);

class SlotNumbers final : public FeatureMetrics {
 public:
  void Write(MetricPlace place, Exposition* out) const override;

  // The loop's: the store, whenever it was looked at. Counts what it has refused and rolled back
  // since.
  void SetStore(const StoreState& state);
  // Of the last model on trial with the one before, 0 to 1. NaN: none was compared.
  void SetTrialAgreement(float share) { agreement_.store(share, std::memory_order_relaxed); }
  // 'a' or 'b'; 0: no slots.
  void SetSlot(char slot) { slot_.store(slot, std::memory_order_relaxed); }
  // The store has not answered for long.
  void SetStoreStuck(bool stuck) { stuck_.store(stuck, std::memory_order_relaxed); }

  Counters<FlashRefusal, std::size(kFlashRefusals)> refusals{kFlashRefusals};
  Counters<SlotEvent, std::size(kSlotEvents)> events{kSlotEvents};

 private:
  std::atomic<float> agreement_{std::numeric_limits<float>::quiet_NaN()};
  std::atomic<char> slot_{0};
  std::atomic<bool> stuck_{false};
  Seqlock<StoreState> store_;
  StoreState last_store_{};  // the loop's
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SLOTS_METRICS_H_
