// What programs tell of a store.
#ifndef OCTET_PORTS_LINUX_SLOT_REPORT_H_
#define OCTET_PORTS_LINUX_SLOT_REPORT_H_

#include <string>

#include "ports/linux/slot/slot_store.h"

namespace octet::port {

// Lines with their ends.
std::string StoreText(const octet_slots_info& info, SlotStore& store);
std::string StoreJson(const octet_slots_info& info, SlotStore& store);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_REPORT_H_
