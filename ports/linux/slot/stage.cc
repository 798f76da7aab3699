// Staging: the whole blob is received and checked in memory, and only then replaces the older
// model.
#include <algorithm>
#include <cstdint>
#include <string>

#include "ports/linux/file.h"
#include "ports/linux/slot/slot_header.h"
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

void SlotStore::Fill(const Reader& read, uint64_t end, Bytes* blob) {
  while (blob->count < end) {
    const size_t count =
        read(blob->data.get() + blob->count, static_cast<size_t>(end - blob->count));
    if (count == 0) return;
    blob->count += count;
  }
}

// The blob is received before the store is locked, because a network may stall. A blob that is
// refused is read only as far as needed for the reason.
SlotAnswer SlotStore::Stage(const Reader& read) {
  octet_slots_info info{};
  const auto admit = [&](const Bytes& blob, uint32_t bytes, octet_slot* slot, uint32_t* detail) {
    *slot = kNoSlotYet;
    if (blob.count >= sizeof(blob::Header)) {
      candidate_board_ = BoardNameOf(*reinterpret_cast<const blob::Header*>(blob.data.get()));
    }
    return octet_slots_admit(&slots_, blob.data.get(), static_cast<uint32_t>(blob.count), bytes,
                             detail);
  };
  Bytes blob;
  blob.Reserve(kChunkBytes);
  Fill(read, kChunkBytes, &blob);
  if (blob.count == kChunkBytes) {
    SlotAnswer front = With([&](octet_slot* slot, uint32_t* detail) {
      LearnWanted();
      return admit(blob, 0, slot, detail);
    });
    if (!front) return front;
    // Tries to read one byte more, to see whether the blob ends where its header says.
    const auto* header = reinterpret_cast<const blob::Header*>(blob.data.get());
    const uint64_t end = std::max<uint64_t>(header->file_bytes, kChunkBytes) + 1;
    blob.Reserve(end);
    Fill(read, end, &blob);
  }
  SlotAnswer answer = With([&](octet_slot* slot, uint32_t* detail) {
    if (blob.count == 0) return octet_slots_code{OCTET_SLOTS_EMPTY};
    if (blob.count > UINT32_MAX) return octet_slots_code{OCTET_SLOTS_FULL};
    LearnWanted();
    octet_slots_code code = admit(blob, static_cast<uint32_t>(blob.count), slot, detail);
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
    answer.why = path() + ": no bytes came; nothing was staged, the slots did not change";
  }
  return answer;
}

}  // namespace octet::port
