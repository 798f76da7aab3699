#include "ports/linux/camera/program/slots/check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "ports/linux/camera/program/slots/slots.h"
#include "ports/linux/slot/report.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr uint64_t kStorePatienceNs = 1'000'000'000;  // for a camera that runs

// The service may run as another user than this check. Root can write everything.
bool IsRootAlone(const struct stat& info) {
  const bool owner = info.st_uid != 0 && (info.st_mode & S_IWUSR) != 0;
  const bool group = info.st_gid != 0 && (info.st_mode & S_IWGRP) != 0;
  return !owner && !group && (info.st_mode & S_IWOTH) == 0;
}

// What this user may do with the store, and who else may change it.
Finding StoreRights(const SlotsOptions& options, const SlotStore& store) {
  const std::string word = ShellWord(options.store);
  struct stat info {};
  stat(options.store.c_str(), &info);
  const std::string rights = RightsOf(info) + "; checked as user " + std::to_string(geteuid());
  if (!store.IsWritable()) {
    return {"store permissions", FindingState::kFails,
            rights + ": this user cannot write, so no trial can be counted or confirmed",
            "sudo chown :$(id -gn) " + word + " && sudo chmod " +
                (store.is_folder() ? "2770 " : "660 ") + word};
  }
  if ((info.st_mode & S_IWOTH) != 0) {
    return {"store permissions", FindingState::kLacks,
            rights + ": everybody on this machine can replace the model", "chmod o-w " + word};
  }
  if (IsRootAlone(info)) {
    return {"store permissions", FindingState::kLacks,
            rights + ": only root can write; the user octet of the unit cannot",
            "sudo chown -R octet:octet " + word + " && sudo chmod " +
                (store.is_folder() ? "2770 " : "660 ") + word};
  }
  return {"store permissions", FindingState::kFine, rights, ""};
}

// There must be room for a second model of the same size.
Finding StoreRoom(const SlotsOptions& options, SlotStore& store, uint64_t model_bytes) {
  const uint64_t free_bytes = store.FreeBytes();
  const bool room = free_bytes >= model_bytes;
  return {"store space", room ? FindingState::kFine : FindingState::kLacks,
          FreeWords(free_bytes) +
              (room ? "" : ", less than a model of " + std::to_string(model_bytes) + " takes"),
          room ? "" : "df " + ShellWord(options.store) + "; remove files there", free_bytes};
}

// Fills `model` with the model that would run. False: none would run.
bool LookAtStore(const SlotsOptions& options, std::unique_ptr<SlotStore>* store, SlotChoice* model,
                 std::vector<Finding>* findings) {
  const std::string word = ShellWord(options.store);
  const std::string way_out =
      "octet-slot " + word + " stage MODEL.octet && octet-slot " + word + " activate";
  StoreOptions patient = options.access;
  patient.lock_patience_ns = kStorePatienceNs;
  try {
    *store = std::make_unique<SlotStore>(options.store, patient);
    const octet_slots_info info = (*store)->Info();
    const SlotAnswer answer = (*store)->BootActive(model);
    if (answer) {
      const std::string trial = info.pending == OCTET_SLOT_NONE ? "" : "; a model is on trial";
      findings->push_back({"store", FindingState::kFine,
                           options.store + ": slot " + SlotName(model->slot) + " runs" + trial,
                           ""});
    } else if (info.pending != OCTET_SLOT_NONE) {
      findings->push_back(
          {"store", FindingState::kFine, options.store + ": the first model is on trial", ""});
    } else {
      findings->push_back({"store", FindingState::kFails, answer.why, way_out});
    }
    findings->push_back(StoreRights(options, **store));
    if ((*store)->is_folder()) {
      uint64_t bytes = kLeastFreeBytes;
      if (answer) bytes = info.slots[model->slot].bytes;
      findings->push_back(StoreRoom(options, **store, bytes));
    }
    return static_cast<bool>(answer);
  } catch (const InputError& error) {
    Finding finding = FailedFinding("store", error.what());
    if (access(options.store.c_str(), F_OK) != 0 && errno == ENOENT) {
      finding.mend = "mkdir -m 2770 " + word + " && " + way_out;
    }
    findings->push_back(finding);
    return false;
  }
}

}  // namespace

void CheckSlots(const CameraOptions& options, Checked* checked) {
  const auto& slots = options.features.Get<SlotsOptions>();
  if (slots.store.empty()) {
    checked->Add(Checked::kModel, {"store", FindingState::kFine, "no --slots given", ""});
    return;
  }
  std::unique_ptr<SlotStore> store;  // the model of a device is a copy that it holds
  SlotChoice model;
  std::vector<Finding> findings;
  const bool runs = LookAtStore(slots, &store, &model, &findings);
  for (Finding& finding : findings) checked->Add(Checked::kModel, std::move(finding));
  if (runs) CheckModel(options, model.path, checked);
}

StoredRecord RecordOfSlots(const CameraOptions& options) {
  const auto& slots = options.features.Get<SlotsOptions>();
  if (slots.store.empty()) return {StoredRecord::kOfStore, "--slots", "no --slots given\n"};
  StoreOptions patient = slots.access;
  patient.lock_patience_ns = kStorePatienceNs;
  std::string text;
  try {
    SlotStore store(slots.store, patient);
    text = "store " + slots.store + "\n" + StoreText(store.Info(), store);
  } catch (const InputError& error) {
    text = std::string("store: ") + error.what() + "\n";
  }
  return {StoredRecord::kOfStore, "--slots", text};
}

}  // namespace octet::port
