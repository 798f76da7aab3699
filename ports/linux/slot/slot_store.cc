#include "ports/linux/slot/slot_store.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/cpu.h"
#include "ports/linux/file.h"
#include "ports/linux/slot/self_test.h"
#include "ports/linux/whitelist.h"

namespace octet::port {

const char* SlotName(octet_slot slot) {
  return slot == OCTET_SLOT_A ? "A" : slot == OCTET_SLOT_B ? "B" : "none";
}

SlotStore::SlotStore(const std::string& path, const StoreOptions& options)
    : storage_(path), options_(options), verify_mode_(VerifyMode(DetectCpu())) {
  if (options.require_signature && options.keys.empty()) {
    throw InputError(
        "--require-signature: --key is missing; the store's own key.pub is ignored, because it is "
        "beside the models");
  }
  ReadTrust();
  port_ = storage_.port();
}

bool SlotStore::ReadTrust() {
  const bool first = trust_.empty();
  std::string trust = "keys";
  std::vector<PublicKey> keys;
  bool signed_only = !options_.keys.empty();
  const auto add = [&](const std::string& path) {
    keys.push_back(ReadPublicKey(path));
    trust.append(reinterpret_cast<const char*>(keys.back().data()), keys.back().size());
  };
  for (const std::string& key : options_.keys) {
    // A key whose file was removed while this program runs is revoked.
    if (!first && access(key.c_str(), F_OK) != 0 && errno == ENOENT && key.find(' ') == key.npos) {
      continue;
    }
    add(key);
  }
  // A store with a key requires signatures, whatever the options say.
  if (!options_.require_signature && !storage_.ReadText("key.pub").empty()) {
    signed_only = true;
    add(path() + "/key.pub");
  }
  trust += signed_only ? " signed " : " any ";
  std::optional<octet_board> board;
  if (!options_.board.empty()) {
    board = ReadWhitelist(options_.board);
  } else if (const std::string text = storage_.ReadText("board"); !text.empty()) {
    board = ParseWhitelist(text, path() + "/board");
  }
  if (board) trust.append(reinterpret_cast<const char*>(&*board), sizeof(*board));
  const bool changed = trust != trust_;
  keys_ = std::move(keys);
  signed_only_ = signed_only;
  board_ = board;
  trust_ = std::move(trust);
  return changed;
}

octet_slots_config SlotStore::Config() {
  octet_slots_config config{};
  config.verify_hashes = verify_mode_ | OCTET_VERIFY_CONTENT;
  config.tries = options_.tries;
  config.least_counter = std::max(options_.least_counter, seen_counter_);
  if (board_) {
    config.board = board_->compatible;
    config.allows = Allows;
    config.allows_context = this;
  }
  if (signed_only_) config.verify_signature = VerifySignature;
  config.verify_context = &keys_;
  config.accepts = Accepts;
  config.accepts_context = this;
  return config;
}

octet_slots_code SlotStore::Open() {
  const octet_slots_config config = Config();
  return octet_slots_open(&slots_, &port_, &config);
}

// Of a device: without a record it may be anything, for example a file system.
void SlotStore::RequireStore() {
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  // If both records are lost, a valid model shows that it is a store.
  if (storage_.is_folder() || info.has_record != 0 || info.active != OCTET_SLOT_NONE) return;
  throw InputError(path() + ": not a store; octet-slot " + path() +
                   " create makes it one and deletes its content");
}

std::string SlotStore::Locked() const {
  return path() + ": another program has kept it locked for " +
         std::to_string(options_.lock_patience_ns / 1'000'000'000) +
         " s; end it, and allow only those who may flash into the folder (mode 2770)";
}

SlotAnswer SlotStore::With(const Act& act, Lock need) {
  // A program that cannot lock must not delay calls that only read.
  constexpr uint64_t kGlanceNs = 200'000'000;
  const uint64_t patience_ns = options_.lock_patience_ns;
  const StoreLock lock(storage_,
                       need == Lock::kNeeded ? patience_ns : std::min(kGlanceNs, patience_ns));
  if (!lock.held() && need == Lock::kNeeded) {
    SlotAnswer answer;
    answer.code = OCTET_SLOTS_STORAGE;
    answer.why = Locked();
    return answer;
  }
  ReadTrust();
  octet_slot slot = OCTET_SLOT_NONE;
  uint32_t detail = 0;
  octet_slots_code code = Open();
  if (code == OCTET_SLOTS_OK) {
    RequireStore();
    code = act(&slot, &detail);
  }
  return Explained(code, slot, detail);
}

octet_slots_info SlotStore::Info() {
  octet_slots_info info{};
  const SlotAnswer answer = With(
      [&](octet_slot*, uint32_t*) {
        octet_slots_describe(&slots_, &info);
        return octet_slots_code{OCTET_SLOTS_OK};
      },
      Lock::kWanted);
  if (!answer) throw InputError(answer.why);
  return info;
}

SlotAnswer SlotStore::Verify(octet_slot slot) {
  SlotAnswer answer = With([&](octet_slot* where, uint32_t* detail) {
    *where = slot;
    octet_slots_code code = octet_slots_verify(&slots_, slot, detail);
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    if (code != OCTET_SLOTS_OK) return code;
    const uint32_t bytes = info.slots[slot].bytes;
    const octet_area area = slot == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B;
    const void* blob = port_.map(port_.context, area, bytes);
    if (blob == nullptr) return octet_slots_code{OCTET_SLOTS_STORAGE};
    // The bytes are read again and compared with the verified digest.
    octet_blob_info now;
    if (octet_validate(blob, bytes, verify_mode_).code != OCTET_OK ||
        octet_blob_describe(blob, bytes, &now).code != OCTET_OK ||
        std::memcmp(now.digest, info.slots[slot].digest, sizeof(now.digest)) != 0) {
      return octet_slots_code{OCTET_SLOTS_CHANGED};
    }
    // Only whether the model works counts here, not whether it is allowed.
    return PassesSelfTest(blob, bytes) ? code : octet_slots_code{OCTET_SLOTS_SELF_TEST};
  });
  if (answer) answer.note = self_test_;
  return answer;
}

SlotAnswer SlotStore::Activate() {
  self_test_.clear();
  SlotAnswer answer = With([&](octet_slot* slot, uint32_t* detail) {
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    *slot = info.active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
    LearnWanted();
    const octet_slots_code code = octet_slots_activate(&slots_);
    octet_slots_describe(&slots_, &info);
    *detail = info.detail;
    return code;
  });
  if (answer) answer.note = self_test_;
  return answer;
}

SlotAnswer SlotStore::Confirm() {
  return With([&](octet_slot* slot, uint32_t* detail) {
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    *slot = info.pending;
    const octet_slots_code code = octet_slots_confirm(&slots_);
    octet_slots_describe(&slots_, &info);
    *detail = info.detail;
    return code;
  });
}

std::string SlotStore::WhyNotBackTo(octet_slot slot) {
  const octet_slots_info info = Info();
  return path() + ": no return to slot " + SlotName(slot) + ": its security counter is " +
         std::to_string(info.slots[slot].security_counter) + ", and this store takes " +
         std::to_string(info.security_counter) + " and above; flash a model with such a counter";
}

SlotAnswer SlotStore::RollBack(octet_slots_code reason) {
  octet_slot previous = OCTET_SLOT_NONE;
  SlotAnswer answer = With([&](octet_slot* slot, uint32_t*) {
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    *slot = previous = info.active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
    return octet_slots_roll_back(&slots_, reason);
  });
  if (answer.code == OCTET_SLOTS_COUNTER) answer.why = WhyNotBackTo(previous);
  return answer;
}

Trial::Verdict Trial::Add(bool good, size_t camera) {
  if (good) {
    bad_in_a_row_[camera] = 0;
    return ++good_ >= good_needed_ ? Verdict::kConfirm : Verdict::kGoesOn;
  }
  return ++bad_in_a_row_[camera] >= bad_allowed_ ? Verdict::kRollBack : Verdict::kGoesOn;
}

}  // namespace octet::port
