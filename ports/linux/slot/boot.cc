// Which model runs: named by the records, counted, or chosen again.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "ports/linux/file.h"
#include "ports/linux/output/whole.h"
#include "ports/linux/slot/slot_store.h"
#include "runtime/format/blob.h"

namespace octet::port {

octet_slots_code SlotStore::Name(SlotChoice* model, std::string* note, octet_slot* slot,
                                 uint32_t* detail) {
  octet_boot boot;
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  const bool had_record = info.has_record != 0;
  const bool can_try = info.pending != OCTET_SLOT_NONE && info.attempts < info.tries;
  const octet_slots_info before = info;
  const octet_slots_code code = octet_slots_boot(&slots_, &boot);
  octet_slots_describe(&slots_, &info);
  *slot = info.active;
  refused_.clear();
  if (code != OCTET_SLOTS_OK) {
    // Without an active slot, the code is about the first slot that has a model.
    for (octet_slot at = OCTET_SLOT_A; at <= OCTET_SLOT_B && *slot == OCTET_SLOT_NONE; ++at) {
      if (octet_slots_verify(&slots_, at, detail) != OCTET_SLOTS_EMPTY) *slot = at;
    }
    if (*slot != OCTET_SLOT_NONE) octet_slots_verify(&slots_, *slot, detail);
    return code;
  }
  if (const uint32_t refused = info.refusals - before.refusals; refused != 0) {
    // Of two refusals the last one: the trial is refused first.
    const bool was_trial = refused == 1 && before.pending != OCTET_SLOT_NONE;
    const octet_slot of = was_trial ? before.pending : before.active;
    const std::string where = std::string("slot ") + SlotName(of) + ": ";
    refused_ = Explained(info.last_refusal, of, info.detail).why.substr(path().size() + 2);
    if (refused_.rfind(where, 0) == 0) refused_.erase(0, where.size());
  }
  model->slot = boot.slot;
  model->on_trial = boot.on_trial != 0;
  model->attempt = boot.attempt;
  model->security_counter = static_cast<const blob::Header*>(boot.blob)->security_counter;
  std::copy(std::begin(boot.digest), std::end(boot.digest), model->digest.begin());
  model->path = storage_.is_folder() ? storage_.FileOf(boot.slot) : CopyOf(boot);
  const bool uncounted = can_try && info.pending != OCTET_SLOT_NONE && boot.on_trial == 0;
  model->unrecorded = boot.unrecorded != 0 || uncounted || (!had_record && info.has_record == 0);
  if (!model->unrecorded) return code;
  *note = uncounted ? "the trial of slot " + std::string(SlotName(info.pending)) +
                          " waits, because it cannot be counted"
          : boot.unrecorded != 0
              ? "slot " + std::string(SlotName(*slot)) + " cannot run, and that is not recorded"
              : "it has no record, and a record cannot be written";
  *note += ": " + storage_.error();
  return code;
}

SlotAnswer SlotStore::Boot(SlotChoice* model) {
  *model = SlotChoice();
  std::string note;
  const Act boot = [&](octet_slot* slot, uint32_t* detail) {
    return Name(model, &note, slot, detail);
  };
  SlotAnswer answer = With(boot);
  if (!answer && answer.why == Locked()) {
    // Then the model runs that the records name without a change.
    SlotAnswer unlocked = With(boot, Lock::kWanted);
    if (unlocked) {
      note = "another program has locked the store, so nothing is recorded" +
             (note.empty() ? "" : "; " + note);
      model->unrecorded = true;
      answer = std::move(unlocked);
    }
  }
  if (answer) answer.refused = refused_;
  if (answer && !note.empty()) answer.note = path() + ": " + note;
  return answer;
}

SlotAnswer SlotStore::BootActive(SlotChoice* model) {
  *model = SlotChoice();
  std::string note;
  return With(
      [&](octet_slot* slot, uint32_t* detail) {
        storage_.ForbidWrites(true);  // until the lock goes
        return Name(model, &note, slot, detail);
      },
      Lock::kWanted);
}

SlotAnswer SlotStore::TakeBack() {
  return With([&](octet_slot*, uint32_t*) {
    const octet_slots_code code = octet_slots_take_back(&slots_);
    const bool nothing = code == OCTET_SLOTS_NOT_PENDING || code == OCTET_SLOTS_NOT_BOOTED;
    return nothing ? octet_slots_code{OCTET_SLOTS_OK} : code;
  });
}

// An unnamed file with the checked blob, for programs that open a path.
std::string SlotStore::CopyOf(const octet_boot& boot) {
  if (copy_ >= 0) close(copy_);
  copy_ = memfd_create("octet-slot", MFD_CLOEXEC);
  if (copy_ < 0 || !WriteWhole(copy_, boot.blob, boot.blob_bytes)) {
    throw InputError("no memory for a copy of " + path() + "'s blob: " + ErrorText(errno) +
                     "; end other programs");
  }
  return "/proc/self/fd/" + std::to_string(copy_);
}

}  // namespace octet::port
