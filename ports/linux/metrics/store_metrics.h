// What a store of slots says, as numbers. States, not only changes: what has happened before the
// program started, a crash loop that was rolled back, is seen as well.
#ifndef OCTET_PORTS_LINUX_METRICS_STORE_METRICS_H_
#define OCTET_PORTS_LINUX_METRICS_STORE_METRICS_H_

#include <cstdint>

#include "octet/slots.h"
#include "ports/linux/metrics/events.h"
#include "ports/linux/metrics/exposition.h"

namespace octet::port {

struct StoreState {
  bool known = false;  // somebody has looked
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

void WriteStore(const StoreState& store, Exposition* out);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_METRICS_STORE_METRICS_H_
