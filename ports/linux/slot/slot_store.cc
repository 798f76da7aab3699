#include "ports/linux/slot/slot_store.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "ports/linux/board.h"
#include "ports/linux/cpu.h"
#include "ports/linux/file.h"
#include "ports/linux/output/again.h"
#include "ports/linux/slot/self_test.h"
#include "runtime/format/optional_features.h"

namespace octet::port {
namespace {

// The way out of each, behind what it is.
const char* WayOut(octet_slots_code code) {
  switch (code) {
    case OCTET_SLOTS_READ_BACK:
      return "replace the storage";
    case OCTET_SLOTS_FULL:
      return "use a smaller model, or a larger device";
    case OCTET_SLOTS_EMPTY:
      return "stage one first";
    case OCTET_SLOTS_PENDING:
      return "confirm it or roll back first";
    case OCTET_SLOTS_NOT_PENDING:
      return "start a trial with activate";
    case OCTET_SLOTS_NOT_BOOTED:
      return "start the program that runs it, or roll back";
    case OCTET_SLOTS_NO_PREVIOUS:
      return "stage and activate another model";
    case OCTET_SLOTS_VERSION:
      return "use programs as new as those that wrote them";
    case OCTET_SLOTS_BLOB:
      return "convert the model again, or copy the file again";
    case OCTET_SLOTS_CHANGED:
      return "stage the model again";
    case OCTET_SLOTS_UNSIGNED:
      return "octet sign MODEL.octet --key K with the key of this store";
    case OCTET_SLOTS_SIGNATURE:
      return "sign the model with the key of this store, or copy the file again";
    case OCTET_SLOTS_COUNTER:
      return "convert it with a --security-counter as high as this store's";
    case OCTET_SLOTS_BOARD:
      return "convert it for this board";
    case OCTET_SLOTS_OTHER:
      return "octet-slot STORE stage FILE --force, then activate --force, accept it anyway";
    case OCTET_SLOTS_PRODUCT:
      return "stage --force and activate --force accept it anyway";
    case OCTET_SLOTS_RANDOM:
      return "convert it with pictures; stage --force and activate --force accept it anyway";
    case OCTET_SLOTS_SELF_TEST:
      return "convert the model again; if it happens again, this machine computes wrongly";
    default:
      return nullptr;
  }
}

}  // namespace

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
    // A key whose file went away while this program runs has been revoked.
    if (!first && access(key.c_str(), F_OK) != 0 && errno == ENOENT && key.find(' ') == key.npos) {
      continue;
    }
    add(key);
  }
  // A store that came with a key asks for it whatever the options say.
  if (!options_.require_signature && !storage_.ReadText("key.pub").empty()) {
    signed_only = true;
    add(path() + "/key.pub");
  }
  trust += signed_only ? " signed " : " any ";
  std::optional<octet_board> board;
  if (!options_.board.empty()) {
    board = ReadBoard(options_.board);
  } else if (const std::string text = storage_.ReadText("board"); !text.empty()) {
    board = ParseBoard(text, path() + "/board");
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
  config.verify_hashes = verify_mode_;
  config.tries = options_.tries;
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

// The face of the active model, before another one may take its place. Read once, while there is no
// other model in memory; one that cannot be read, or is not what the records say, may be replaced
// by any.
void SlotStore::LearnRunning() {
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  if (options_.any_kind || info.active == OCTET_SLOT_NONE) return running_.reset();
  const octet_slot_info& active = info.slots[info.active];
  if (running_ &&
      std::equal(running_digest_.begin(), running_digest_.end(), std::begin(active.digest))) {
    return;
  }
  running_.reset();
  const octet_area area = info.active == OCTET_SLOT_A ? OCTET_AREA_SLOT_A : OCTET_AREA_SLOT_B;
  const void* blob = port_.map(port_.context, area, active.bytes);
  octet_blob_info found{};
  if (blob == nullptr || octet_validate(blob, active.bytes, verify_mode_).code != OCTET_OK ||
      octet_blob_describe(blob, active.bytes, &found).code != OCTET_OK ||
      std::memcmp(found.digest, active.digest, sizeof(found.digest)) != 0) {
    return;
  }
  running_ = FaceOf(blob, active.bytes);
  std::copy(std::begin(active.digest), std::end(active.digest), running_digest_.begin());
}

// What the next model has to be like: of the store's product, else of that of the model that runs.
void SlotStore::LearnWanted() {
  LearnRunning();
  product_.clear();
  if (options_.any_kind) return;
  product_ = storage_.ReadProduct();
  if (product_.empty() && running_) product_ = running_->product;
}

bool SlotStore::PassesSelfTest(const void* blob, size_t bytes) {
  const SelfTest test = RunSelfTest(blob, bytes);
  self_test_ = test.line;
  return test.passed;
}

int SlotStore::Accepts(void* context, const void* blob, size_t bytes) {
  auto* self = static_cast<SlotStore*>(context);
  const bool is_random = blob::HasRandomRanges(*static_cast<const blob::Header*>(blob));
  if (is_random && !self->options_.random_ranges) return OCTET_SLOTS_RANDOM;
  const ModelFace face = FaceOf(blob, bytes);
  if (!self->product_.empty() && face.product != self->product_) {
    self->difference_ = "its product is " + (face.product.empty() ? "not named" : face.product) +
                        ", and " + self->product_ + " is wanted; convert it with --product " +
                        self->product_;
    return OCTET_SLOTS_PRODUCT;
  }
  if (self->running_) {
    self->difference_ = DifferenceOf(*self->running_, face);
    if (!self->difference_.empty()) return OCTET_SLOTS_OTHER;
  }
  return self->PassesSelfTest(blob, bytes) ? 1 : 0;
}

int SlotStore::Allows(void* context, const void* blob, size_t bytes) {
  auto* self = static_cast<SlotStore*>(context);
  self->not_allowed_ = WhyNotOn(*self->board_, blob, bytes, 0);
  return self->not_allowed_.empty() ? 1 : 0;
}

octet_slots_code SlotStore::Open() {
  const octet_slots_config config = Config();
  return octet_slots_open(&slots_, &port_, &config);
}

// Of a device: without a record it may be anything, somebody's file system for one.
void SlotStore::RequireStore() {
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  // Both records may be lost: then a model that passes everything makes it a store.
  if (storage_.is_folder() || info.has_record != 0 || info.active != OCTET_SLOT_NONE) return;
  throw InputError(path() + ": not a store; octet-slot " + path() +
                   " create makes it one and deletes its content");
}

SlotAnswer SlotStore::Answer(octet_slots_code code, octet_slot slot, uint32_t detail) {
  SlotAnswer answer;
  answer.code = code;
  if (code == OCTET_SLOTS_OK) return answer;
  answer.why = path() + ": ";
  if (code == OCTET_SLOTS_EMPTY || code == OCTET_SLOTS_BLOB) {
    for (const octet_slot damaged : {OCTET_SLOT_A, OCTET_SLOT_B}) {
      const std::string damage = DamageOf(damaged);
      if (damage.empty()) continue;
      answer.why += std::string("slot ") + SlotName(damaged) + ": " + damage + kDamageWayOut;
      return answer;
    }
  }
  if (slot <= OCTET_SLOT_B && code >= OCTET_SLOTS_BLOB) {
    answer.why += std::string("slot ") + SlotName(slot) + ": ";
  }
  answer.why += octet_slots_code_name(code);
  if (code == OCTET_SLOTS_STORAGE) answer.why += ": " + storage_.error();
  if (code == OCTET_SLOTS_BLOB) answer.why += std::string(": ") + octet_code_name(detail);
  if (code == OCTET_SLOTS_SELF_TEST) answer.why += ": " + self_test_;
  if (code == OCTET_SLOTS_OTHER || code == OCTET_SLOTS_PRODUCT) answer.why += ": " + difference_;
  if (code == OCTET_SLOTS_BOARD) answer.why += " than " + board();
  if (code == OCTET_SLOTS_WHITELIST) answer.why += ": " + not_allowed_;
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  if (code == OCTET_SLOTS_COUNTER) {
    answer.why += ": must be at least " + std::to_string(info.security_counter);
  }
  if (const char* way_out = WayOut(code)) answer.why += std::string("; ") + way_out;
  return answer;
}

std::string SlotStore::Locked() const {
  return path() + ": another program has kept it locked for " +
         std::to_string(options_.lock_patience_ns / 1'000'000'000) +
         " s; end it, and allow only those who may flash into the folder (mode 2770)";
}

SlotAnswer SlotStore::With(const Act& act, Lock need) {
  // Who may not lock may not keep those waiting who only look.
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
  return Answer(code, slot, detail);
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
    // The bytes are read once more: what was verified is known by its digest.
    octet_blob_info now;
    if (octet_validate(blob, bytes, verify_mode_).code != OCTET_OK ||
        octet_blob_describe(blob, bytes, &now).code != OCTET_OK ||
        std::memcmp(now.digest, info.slots[slot].digest, sizeof(now.digest)) != 0) {
      return octet_slots_code{OCTET_SLOTS_CHANGED};
    }
    // The question is whether it works, not whether it should be here.
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

SlotAnswer SlotStore::RollBack(octet_slots_code reason) {
  return With([&](octet_slot* slot, uint32_t*) {
    octet_slots_info info{};
    octet_slots_describe(&slots_, &info);
    *slot = info.active == OCTET_SLOT_A ? OCTET_SLOT_B : OCTET_SLOT_A;
    return octet_slots_roll_back(&slots_, reason);
  });
}

octet_slots_code SlotStore::Name(SlotModel* model, std::string* note, octet_slot* slot,
                                 uint32_t* detail) {
  octet_boot boot;
  octet_slots_info info{};
  octet_slots_describe(&slots_, &info);
  const bool had_record = info.has_record != 0;
  const bool can_try = info.pending != OCTET_SLOT_NONE && info.attempts < info.tries;
  const octet_slots_code code = octet_slots_boot(&slots_, &boot);
  octet_slots_describe(&slots_, &info);
  *slot = info.active;
  if (code != OCTET_SLOTS_OK) {
    // Without an active one the first that holds anything is what the code is about.
    for (octet_slot at = OCTET_SLOT_A; at <= OCTET_SLOT_B && *slot == OCTET_SLOT_NONE; ++at) {
      if (octet_slots_verify(&slots_, at, detail) != OCTET_SLOTS_EMPTY) *slot = at;
    }
    if (*slot != OCTET_SLOT_NONE) octet_slots_verify(&slots_, *slot, detail);
    return code;
  }
  model->slot = boot.slot;
  model->on_trial = boot.on_trial != 0;
  model->attempt = boot.attempt;
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

SlotAnswer SlotStore::Boot(SlotModel* model) {
  *model = SlotModel();
  std::string note;
  const Act boot = [&](octet_slot* slot, uint32_t* detail) {
    return Name(model, &note, slot, detail);
  };
  SlotAnswer answer = With(boot);
  if (!answer && answer.why == Locked()) {
    // What runs then is what runs without a change of the records.
    SlotAnswer unlocked = With(boot, Lock::kWanted);
    if (unlocked) {
      note = "another program has locked the store, so nothing is recorded" +
             (note.empty() ? "" : "; " + note);
      model->unrecorded = true;
      answer = std::move(unlocked);
    }
  }
  if (answer && !note.empty()) answer.note = path() + ": " + note;
  return answer;
}

SlotAnswer SlotStore::BootActive(SlotModel* model) {
  *model = SlotModel();
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

// A file without a name that holds the checked blob, for those who open files.
std::string SlotStore::CopyOf(const octet_boot& boot) {
  if (copy_ >= 0) close(copy_);
  copy_ = memfd_create("octet-slot", MFD_CLOEXEC);
  size_t done = 0;
  while (copy_ >= 0 && done < boot.blob_bytes) {
    const ssize_t count = Again([&] {
      return write(copy_, static_cast<const uint8_t*>(boot.blob) + done, boot.blob_bytes - done);
    });
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  if (copy_ < 0 || done < boot.blob_bytes) {
    throw InputError("no memory for a copy of " + path() + "'s blob: " + std::strerror(errno));
  }
  return "/proc/self/fd/" + std::to_string(copy_);
}

bool SlotStore::Peek(octet_slots_info* info) {
  octet_slots slots;
  const octet_storage records = storage_.records_port();
  const octet_slots_config config = Config();
  is_readable_ = octet_slots_open(&slots, &records, &config) == OCTET_SLOTS_OK;
  if (!is_readable_) return false;
  octet_slots_describe(&slots, info);
  return info->has_record != 0;
}

bool SlotStore::Trusts(const SlotModel& running) {
  octet_slots_code verdict = OCTET_SLOTS_OK;
  With(
      [&](octet_slot*, uint32_t* detail) {
        verdict = octet_slots_verify(&slots_, running.slot, detail);
        return octet_slots_code{OCTET_SLOTS_OK};
      },
      Lock::kWanted);
  return verdict != OCTET_SLOTS_UNSIGNED && verdict != OCTET_SLOTS_SIGNATURE &&
         verdict != OCTET_SLOTS_BOARD && verdict != OCTET_SLOTS_WHITELIST;
}

bool SlotStore::IsConfirmed(const SlotModel& running) {
  octet_slots_info info{};
  return Peek(&info) && info.active == running.slot;
}

bool SlotStore::IsOutdated(const SlotModel& running) {
  octet_slots_info info{};
  if (!Peek(&info)) return false;
  const bool has_tries = info.attempts < info.tries || info.active == OCTET_SLOT_NONE;
  octet_slot wanted = info.active;
  if (info.pending != OCTET_SLOT_NONE && (has_tries || info.pending == running.slot)) {
    wanted = info.pending;
  }
  if (wanted == OCTET_SLOT_NONE) return false;
  return wanted != running.slot ||
         !std::equal(running.digest.begin(), running.digest.end(), info.slots[wanted].digest);
}

Trial::Verdict Trial::Add(bool good) {
  if (good) {
    bad_in_a_row_ = 0;
    return ++good_ >= good_needed_ ? Verdict::kConfirm : Verdict::kGoesOn;
  }
  return ++bad_in_a_row_ >= bad_allowed_ ? Verdict::kRollBack : Verdict::kGoesOn;
}

}  // namespace octet::port
