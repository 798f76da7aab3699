// State records of a store: whatever storage holds, what is read of it keeps the rules, each call
// leaves records that say what it said, and one that fails leaves those before.
#include <algorithm>
#include <array>
#include <cstring>

#include "octet/slots.h"
#include "runtime/slots/record.h"
#include "tests/fuzz/fuzz.h"

namespace octet::fuzz {
namespace {

constexpr size_t kRecordBytes = OCTET_STATE_BYTES;

Input Seed(uint8_t flags, const slots::StateRecord& first, const slots::StateRecord& second) {
  Input input(1 + 2 * kRecordBytes);
  input[0] = flags;
  std::memcpy(input.data() + 1, &first, kRecordBytes);
  std::memcpy(input.data() + 1 + kRecordBytes, &second, kRecordBytes);
  return input;
}

}  // namespace

const size_t kLongestInput = 1 + 2 * kRecordBytes;

std::vector<Input> Seeds() {
  slots::StateRecord empty = slots::EmptyState(), trial = empty;
  trial.sequence = 7;
  trial.active = OCTET_SLOT_A;
  trial.pending = OCTET_SLOT_B;
  trial.attempts = 1;
  trial.slots[0].standing = OCTET_STANDING_CONFIRMED;
  trial.slots[1].standing = OCTET_STANDING_STAGED;
  trial.slots[0].bytes = trial.slots[1].bytes = 4096;
  slots::StateRecord wrapped = trial;
  wrapped.sequence = UINT32_MAX;
  return {Seed(3, empty, trial), Seed(7, trial, wrapped), Seed(1, trial, empty)};
}

}  // namespace octet::fuzz

namespace {

using octet::slots::StateRecord;

// Slots without a blob, and records in memory.
struct Storage {
  std::array<std::array<uint8_t, OCTET_STATE_BYTES>, 2> records{};
  bool fails = false;

  octet_storage port() {
    octet_storage port{};
    port.slot_bytes = 1 << 20;
    port.context = this;
    port.read = [](void* context, octet_area area, uint32_t offset, void* bytes, uint32_t count) {
      if (area > OCTET_AREA_STATE_1) return 1;
      const auto& record = static_cast<Storage*>(context)->records[area];
      FUZZ_CHECK(offset + count <= record.size());
      std::memcpy(bytes, record.data() + offset, count);
      return 0;
    };
    port.erase = [](void* context, octet_area area) {
      auto* self = static_cast<Storage*>(context);
      if (self->fails) return -1;
      if (area <= OCTET_AREA_STATE_1) self->records[area].fill(0xFF);
      return 0;
    };
    port.write = [](void* context, octet_area area, uint32_t offset, const void* bytes,
                    uint32_t count) {
      auto* self = static_cast<Storage*>(context);
      if (self->fails || area > OCTET_AREA_STATE_1) return self->fails ? -1 : 0;
      FUZZ_CHECK(offset + count <= self->records[area].size());
      std::memcpy(self->records[area].data() + offset, bytes, count);
      return 0;
    };
    port.sync = [](void* context, octet_area) {
      return static_cast<Storage*>(context)->fails ? -1 : 0;
    };
    port.map = [](void*, octet_area, uint32_t) -> const void* { return nullptr; };
    return port;
  }
};

void CheckRules(const octet_slots_info& info) {
  FUZZ_CHECK(info.active <= OCTET_SLOT_B || info.active == OCTET_SLOT_NONE);
  FUZZ_CHECK(info.pending <= OCTET_SLOT_B || info.pending == OCTET_SLOT_NONE);
  FUZZ_CHECK(info.pending == OCTET_SLOT_NONE || info.pending != info.active);
  for (const octet_slot_info& slot : info.slots) FUZZ_CHECK(slot.standing <= 2);
}

bool Same(const octet_slots_info& a, const octet_slots_info& b) {
  return a.sequence == b.sequence && a.has_record == b.has_record && a.active == b.active &&
         a.pending == b.pending && a.attempts == b.attempts && a.refusals == b.refusals &&
         a.last_refusal == b.last_refusal && a.security_counter == b.security_counter &&
         std::memcmp(a.slots, b.slots, sizeof(a.slots)) == 0;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const uint8_t flags = data[0];
  Storage storage;
  for (size_t i = 0; i < 2; ++i) {
    const size_t at = 1 + i * OCTET_STATE_BYTES;
    if (at >= size) break;
    auto& record = storage.records[i];
    std::copy_n(data + at, std::min(size - at, record.size()), record.begin());
    // A checksum that is right would never come by chance.
    if ((flags >> i & 1) != 0) octet::slots::Seal(reinterpret_cast<StateRecord*>(record.data()));
  }
  octet_slots slots;
  const octet_storage port = storage.port();
  octet_slots_config config{};
  if (octet_slots_open(&slots, &port, &config) != OCTET_SLOTS_OK) return 0;
  octet_slots_info before{};
  octet_slots_describe(&slots, &before);
  CheckRules(before);
  // The newest that is valid counts.
  for (const auto& bytes : storage.records) {
    StateRecord record;
    std::memcpy(&record, bytes.data(), sizeof(record));
    if (ValidityOf(record) != octet::slots::Validity::kValid) continue;
    FUZZ_CHECK(before.has_record != 0);
    FUZZ_CHECK(!octet::slots::IsNewer(record.sequence, before.sequence));
  }
  const auto records = storage.records;
  storage.fails = (flags & 0x80) != 0;
  octet_boot boot{};
  uint32_t detail = 0;
  octet_slots_code code = OCTET_SLOTS_OK;
  switch (flags >> 2 & 7) {
    case 0:
      code = octet_slots_boot(&slots, &boot);
      FUZZ_CHECK(code != OCTET_SLOTS_OK);  // there is no blob
      break;
    case 1:
      code = octet_slots_confirm(&slots);
      break;
    case 2:
      code = octet_slots_roll_back(&slots, OCTET_SLOTS_TRIES + (flags >> 5 & 3));
      break;
    case 3:
      code = octet_slots_take_back(&slots);
      break;
    case 4:
      code = octet_slots_activate(&slots);
      FUZZ_CHECK(code != OCTET_SLOTS_OK);
      break;
    case 5:
      code = octet_slots_stage_begin(&slots, 100);
      break;
    default:
      code = octet_slots_admit(&slots, &flags, 0, 0, &detail);
  }
  octet_slots_info after{}, again{};
  octet_slots_describe(&slots, &after);
  CheckRules(after);
  FUZZ_CHECK(after.security_counter >= before.security_counter);
  FUZZ_CHECK(after.refusals - before.refusals <= 2);
  if (storage.fails) FUZZ_CHECK(storage.records == records && Same(before, after));
  // What it says is what stands in the storage.
  octet_slots reopened;
  FUZZ_CHECK(octet_slots_open(&reopened, &port, &config) == OCTET_SLOTS_OK);
  octet_slots_describe(&reopened, &again);
  FUZZ_CHECK(Same(after, again));
  return 0;
}
