#include "ports/linux/slot/slot_header.h"

namespace octet::port {

bool ReadHeader(const octet_storage& storage, octet_slot slot, blob::Header* header) {
  if (slot > OCTET_SLOT_B) return false;
  const octet_area area = slot == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B;
  return storage.read(storage.context, area, 0, header, sizeof(*header)) == 0;
}

std::string BoardNameOf(const blob::Header& header) {
  std::string name;
  for (const uint8_t byte : header.board) {
    if (byte == 0) break;
    name += byte > ' ' && byte < 0x7F ? static_cast<char>(byte) : '?';
  }
  return name.empty() ? "any board" : name;
}

}  // namespace octet::port
