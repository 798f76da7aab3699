// Staging: a whole blob in memory, looked at, and only then over the model to fall back to.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ports/linux/file.h"
#include "ports/linux/slot/slot_store.h"
#include "runtime/format/blob.h"

namespace octet::port {
namespace {

constexpr uint32_t kChunkBytes = uint32_t{1} << 20;
static_assert(kChunkBytes >= OCTET_FRONT_BYTES, "the first chunk tells whether more is wanted");

}  // namespace

void SlotStore::Bytes::Reserve(uint64_t bytes) {
  constexpr uint64_t kAlignment = 64;
  std::unique_ptr<uint8_t, Free> larger(static_cast<uint8_t*>(
      std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment)));
  if (larger == nullptr) {
    throw InputError("no memory for a blob of " + std::to_string(bytes) +
                     " bytes; nothing was staged");
  }
  std::copy_n(data.get(), count, larger.get());
  data = std::move(larger);
}

// All of a blob that would be taken; of any other as much as tells why not.
octet_slots_code SlotStore::Receive(const Reader& read, Bytes* blob, uint32_t* detail) {
  const auto fill = [&](uint64_t end) {
    while (blob->count < end) {
      const size_t most = static_cast<size_t>(end - blob->count);
      const size_t count = read(blob->data.get() + blob->count, most);
      if (count == 0) return;
      blob->count += count;
    }
  };
  blob->Reserve(kChunkBytes);
  fill(kChunkBytes);
  if (blob->count == 0) return OCTET_SLOTS_EMPTY;
  if (blob->count == kChunkBytes) {
    const octet_slots_code code =
        octet_slots_admit(&slots_, blob->data.get(), kChunkBytes, 0, detail);
    if (code != OCTET_SLOTS_OK) return code;
    // One byte more than it says that it has, to see whether that is its end.
    const auto* header = reinterpret_cast<const blob::Header*>(blob->data.get());
    const uint64_t end = std::max<uint64_t>(header->file_bytes, kChunkBytes) + 1;
    blob->Reserve(end);
    fill(end);
  }
  if (blob->count > UINT32_MAX) return OCTET_SLOTS_FULL;
  const auto count = static_cast<uint32_t>(blob->count);
  return octet_slots_admit(&slots_, blob->data.get(), count, count, detail);
}

SlotAnswer SlotStore::Stage(const Reader& read) {
  SlotAnswer answer = With([&](octet_slot* slot, uint32_t* detail) {
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    *slot = info.active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
    Bytes blob;
    octet_slots_code code = Receive(read, &blob, detail);
    if (code != OCTET_SLOTS_OK) return code;
    code = octet_slots_stage_begin(&slots_, static_cast<uint32_t>(blob.count));
    for (uint64_t at = 0; at < blob.count && code == OCTET_SLOTS_OK; at += kChunkBytes) {
      const uint64_t count = std::min<uint64_t>(blob.count - at, kChunkBytes);
      code = octet_slots_stage_write(&slots_, blob.data.get() + at, static_cast<uint32_t>(count));
    }
    blob.data.reset();  // what is read back now takes as much
    if (code == OCTET_SLOTS_OK) code = octet_slots_stage_finish(&slots_);
    octet_slots_describe(&slots_, &info);
    *detail = info.detail;
    return code;
  });
  if (answer.code == OCTET_SLOTS_EMPTY) {
    answer.why = path() + ": no bytes came to be staged; the slots are as they were";
  }
  return answer;
}

}  // namespace octet::port
