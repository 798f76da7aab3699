// Storage whose power can fail at any byte, and models to put there.
#ifndef OCTET_TESTS_RUNTIME_SLOTS_FAKE_STORAGE_H_
#define OCTET_TESTS_RUNTIME_SLOTS_FAKE_STORAGE_H_

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "octet/slots.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

// What lies behind the byte at which a write or an erase was cut short.
enum class Torn {
  kOld,      // as it was
  kGarbage,  // anything
  kErased,   // ones, as flash erases a sector before it writes it
  kUnsynced  // a cache: of all that was not synced, any part is lost
};
inline constexpr std::array kAllTorn = {Torn::kOld, Torn::kGarbage, Torn::kErased, Torn::kUnsynced};

constexpr uint32_t kSlotBytes = 4096;

class FakeStorage {
 public:
  FakeStorage();

  octet_storage port();
  // The power fails after so many steps: a step is a byte written or erased, or a call.
  void CutAfter(uint64_t steps, Torn torn, uint32_t seed);
  // Power is back; what was torn is decided.
  void PowerOn();
  bool is_cut() const { return dead_; }
  uint64_t steps() const { return steps_; }

  std::vector<uint8_t>& area(octet_area area) { return live_[area]; }
  // The device fails from then on, without a power cut.
  void FailReads(bool fail) { fails_reads_ = fail; }
  void FailWrites(bool fail) { fails_writes_ = fail; }
  // Bytes arrive changed.
  void Distort(bool distort) { distorts_ = distort; }

 private:
  // Whether power is still there.
  bool Step();
  void PutByte(octet_area area, uint32_t at, uint8_t value) { live_[area][at] = value; }
  void Tear(octet_area area, uint32_t begin, uint32_t end);

  std::array<std::vector<uint8_t>, 4> live_, durable_;
  AlignedBytes mapped_;
  std::mt19937 random_;
  Torn torn_ = Torn::kOld;
  uint64_t steps_ = 0, cut_after_ = UINT64_MAX;
  bool dead_ = false, fails_reads_ = false, fails_writes_ = false, distorts_ = false;
};

struct ModelSpec {
  int id = 1;  // its bytes and its digest differ from those of other ids
  uint64_t counter = 0;
  std::string board = {};
  uint32_t key = 1;  // signed with this test key; 0: not signed
};
// A valid blob of about 2 KB.
Blob MakeModel(const ModelSpec& spec);
// As the test key signs: no cryptography, but as the port's function it knows right from wrong.
// context: pointer to the number of the key that is trusted.
int VerifyWithTestKey(void* context, const uint8_t* key_id, const uint8_t* signature,
                      const uint8_t* message, size_t message_bytes);
// Offset of the signature record.
size_t SignatureOffset(const Blob& blob);

// Trusts key 1, is board "board".
octet_slots_config TestConfig();

octet_slots_code Stage(octet_slots* slots, const Blob& blob, uint32_t chunk_bytes = 300);
octet_slots_info Describe(const octet_slots& slots);

// What open and boot name after power is back.
struct Booted {
  octet_slots_code opened = OCTET_SLOTS_OK, code = OCTET_SLOTS_OK;
  octet_boot boot{};
  std::vector<uint8_t> blob;
};
Booted OpenAndBoot(octet_slots* slots, FakeStorage* storage, const octet_slots_config& config);
bool Is(const Booted& booted, const Blob& blob);

// A store in which `blob` is confirmed; with `before`, that one was confirmed before it.
FakeStorage StoreWith(const Blob& blob, const Blob* before = nullptr);

}  // namespace octet::test

#endif  // OCTET_TESTS_RUNTIME_SLOTS_FAKE_STORAGE_H_
