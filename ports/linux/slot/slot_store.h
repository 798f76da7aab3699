// A store of two slots as programs use it: every call takes the store's lock, reads what its
// records say now, acts, and lets go, so that octet-slot and a camera that runs can share one.
#ifndef OCTET_PORTS_LINUX_SLOT_SLOT_STORE_H_
#define OCTET_PORTS_LINUX_SLOT_SLOT_STORE_H_

#include <array>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "octet/board.h"
#include "octet/slots.h"
#include "ports/linux/slot/key.h"
#include "ports/linux/slot/model_face.h"
#include "ports/linux/slot/storage.h"

namespace octet::port {

struct StoreOptions {
  std::vector<std::string> keys;  // files of public keys, beside the folder's own key.pub
  // As ReadWhitelist takes it: a board's name or file; empty: the folder's file `board`.
  std::string board;
  uint32_t tries = 0;  // octet_slots_config.tries
  // Models must be signed by one of `keys`; the folder's own key.pub, which lies where models
  // are written, says nothing.
  bool require_signature = false;
  // Models with a lower security counter are refused, whatever the store's records say: these too
  // lie where models are written. 0: the records alone count.
  uint64_t least_counter = 0;
  // A model of another product, or of another task, input, output or labels than the one that runs.
  bool any_kind = false;
  bool random_ranges = false;                  // a model whose ranges come from random data
  uint64_t lock_patience_ns = 10'000'000'000;  // for another program that is at the store
};

// What came of a call. `why`: one line without an end, where it was not done.
struct SlotAnswer {
  octet_slots_code code = OCTET_SLOTS_OK;
  std::string why;
  std::string note;  // of a call that was done: what the self-test said
  // Of a boot that was done: why it refused another model, one line with the way out.
  std::string refused;
  explicit operator bool() const { return code == OCTET_SLOTS_OK; }
};

// What runs, or is to run.
struct SlotChoice {
  octet_slot slot = OCTET_SLOT_NONE;
  bool on_trial = false;
  uint32_t attempt = 0;
  std::string path;  // for Model; of a device a copy in memory
  std::array<uint8_t, 32> digest{};
  // As its own header says, which was checked: those who flash can write records with any counter.
  uint64_t security_counter = 0;
  bool unrecorded = false;  // it runs, and the records could not be made to say so
};

class SlotStore {
 public:
  // Opens folder, device or file. A device must be made a store before (Create). Throws
  // InputError, here and below, for what is not an answer: no store, no key, a build without
  // signatures.
  SlotStore(const std::string& path, const StoreOptions& options);

  const std::string& path() const { return storage_.path(); }
  bool is_folder() const { return storage_.is_folder(); }
  bool signed_only() const { return signed_only_; }
  const std::vector<PublicKey>& keys() const { return keys_; }
  // Its name; empty: none is known.
  std::string board() const { return board_ ? board_->compatible : ""; }

  octet_slots_info Info();
  // Of a slot that the records leave empty, or without records: what is wrong with the bytes that
  // lie there, as "damaged: 17 bytes that are no valid blob: truncated"; empty: there are none.
  std::string Damage(octet_slot slot);
  // Of a device or a file: what is on it is lost. Of a folder nothing needs to be made. Throws
  // InputError where there are records, a model, or a file system already, unless `force`; and
  // where the device is in use, whatever `force` says.
  // product: models of this name alone are taken from now on; "": of any. With a name a folder gets
  // it too: its models stay, and one that has another name already keeps that, unless `force`.
  SlotAnswer Create(bool force = false, const std::string& product = {});
  // The name in force; empty: none. Throws InputError where it cannot be read.
  std::string Product() const { return storage_.ReadProduct(); }
  // Gives up to `count` bytes of the blob, 0 at its end; throws what it likes.
  using Reader = std::function<size_t(void* bytes, size_t count)>;
  // Into memory first, as much as the blob has, without the lock: what is refused, breaks off or
  // stalls costs the slot nothing and delays no other program.
  SlotAnswer Stage(const Reader& read);
  SlotAnswer Verify(octet_slot slot);  // and the golden vectors
  SlotAnswer Activate();               // after the golden vectors
  SlotAnswer Confirm();
  SlotAnswer RollBack(octet_slots_code reason);
  // Of a confirmed model whose security counter is below the recorded one.
  std::string WhyNotBackTo(octet_slot slot);
  // Which model to run; a trial is counted. Where no record can be written, or another program
  // keeps the lock, one runs all the same: `note` says what is wrong.
  SlotAnswer Boot(SlotChoice* model);
  // The active model, or the one before where that cannot run; nothing is recorded.
  SlotAnswer BootActive(SlotChoice* model);
  // The boot counted last says nothing about its model. Done where none is on trial.
  SlotAnswer TakeBack();

  // What the records say now, without the lock and without a look at the slots: one that is being
  // written is none, and the one before it counts. False where there is none at all, or none can be
  // read (is_readable).
  bool Peek(octet_slots_info* info);
  bool is_readable() const { return is_readable_; }
  bool IsWritable() const { return storage_.IsWritable(); }
  uint64_t FreeBytes() const { return storage_.FreeBytes(); }
  // Whether Boot would name another model than this: two small reads, no lock. To be asked once a
  // second or so.
  bool IsOutdated(const SlotChoice& running);
  // Whether it is the active one, confirmed by whomever.
  bool IsConfirmed(const SlotChoice& running);
  // Reads keys and board again, as each call with the lock does. True: they are others than before.
  // Throws InputError where they cannot be read; those before hold on.
  bool ReadTrust();
  // It runs and is confirmed: from now on this program takes no model with a lower security
  // counter, also where the store's records are lost.
  void LearnConfirmed(const SlotChoice& running);
  // Whether keys and board, as they are now, still take the model in this slot.
  bool Trusts(const SlotChoice& running);

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Bytes {  // 64-byte aligned
    std::unique_ptr<uint8_t, Free> data;
    uint64_t count = 0;
    void Reserve(uint64_t bytes);
  };
  // Locked, opened, then `act`, which may set the slot and the detail that its code is about. What
  // only reads does without the lock where it cannot be had; all else is not done then.
  using Act = std::function<octet_slots_code(octet_slot* slot, uint32_t* detail)>;
  enum class Lock { kNeeded, kWanted };
  SlotAnswer With(const Act& act, Lock need = Lock::kNeeded);
  std::string Locked() const;
  octet_slots_code Name(SlotChoice* model, std::string* note, octet_slot* slot, uint32_t* detail);
  octet_slots_code Open();
  void RequireStore();
  std::string WhatIsThere();
  std::string DamageOf(octet_slot slot);
  SlotAnswer Explained(octet_slots_code code, octet_slot slot, uint32_t detail);
  octet_slots_config Config();
  std::string BoardOf(octet_slot slot);
  std::string WayOutOf(octet_slots_code code) const;
  void Fill(const Reader& read, uint64_t end, Bytes* blob);
  void LearnRunning();
  void LearnWanted();
  SlotAnswer NameFolder(bool force, const std::string& product);
  bool PassesSelfTest(const void* blob, size_t bytes);
  static int Accepts(void* context, const void* blob, size_t bytes);
  static int Allows(void* context, const void* blob, size_t bytes);
  std::string CopyOf(const octet_boot& boot);

  SlotStorage storage_;
  const StoreOptions options_;
  std::vector<PublicKey> keys_;
  bool signed_only_ = false;  // also where all keys are gone
  std::string trust_;         // all that ReadTrust has read
  std::optional<octet_board> board_;
  std::string not_allowed_;      // why, by the blob that was refused last for that
  std::string candidate_board_;  // that the model is for which is to be staged
  uint64_t seen_counter_ = 0;    // LearnConfirmed
  std::string refused_;          // SlotAnswer.refused of the boot at work
  uint32_t verify_mode_;
  bool is_readable_ = true;
  std::string self_test_;  // what it said last
  std::optional<ModelFace>
      running_;  // of the active model; none: it cannot run, so nothing is compared
  std::array<uint8_t, 32> running_digest_{};
  std::string product_;  // that a model must be of; empty: of any
  std::string difference_;
  octet_storage port_{};
  octet_slots slots_;
  int copy_ = -1;
};

// Of a model that is not in a slot: one that is to be staged.
constexpr octet_slot kNoSlotYet = OCTET_SLOT_NONE - 1;

// Behind what Damage says.
constexpr const char* kDamageWayOut = "; copy the file again, or stage a model";

// "A", "B" or "none".
const char* SlotName(octet_slot slot);

// When a model on trial has shown enough: confirmed after so many good frames in all, rolled back
// after so many bad ones in a row.
class Trial {
 public:
  enum class Verdict { kGoesOn, kConfirm, kRollBack };
  Trial(uint32_t good_needed, uint32_t bad_allowed, size_t cameras = 1)
      : good_needed_(good_needed), bad_allowed_(bad_allowed), bad_in_a_row_(cameras) {}
  Verdict Add(bool good, size_t camera = 0);
  uint32_t good() const { return good_; }
  uint32_t good_needed() const { return good_needed_; }

 private:
  uint32_t good_needed_, bad_allowed_, good_ = 0;
  std::vector<uint32_t> bad_in_a_row_;  // of each camera
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_SLOT_SLOT_STORE_H_
