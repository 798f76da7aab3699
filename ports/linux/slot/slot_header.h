// What the header of a blob in a slot says of it. Its bytes are not checked here.
#ifndef OCTET_PORTS_LINUX_SLOT_SLOT_HEADER_H_
#define OCTET_PORTS_LINUX_SLOT_SLOT_HEADER_H_

#include <string>

#include "octet/slots.h"
#include "runtime/format/blob.h"

namespace octet::port {

// False: the slot is too short, or the storage does not read.
bool ReadHeader(const octet_storage& storage, octet_slot slot, blob::Header* header);
// The board that a blob is for; "any board" where it names none. Bytes that are no printable ASCII
// become '?': it may be shown before it is verified.
std::string BoardNameOf(const blob::Header& header);

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_SLOT_HEADER_H_
