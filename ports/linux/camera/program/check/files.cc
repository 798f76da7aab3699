#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "ports/linux/board.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/slot/slot_store.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr uint64_t kLeastFreeBytes = 1 << 20;         // of folders that get small files
constexpr uint64_t kStorePatienceNs = 1'000'000'000;  // for a camera that runs

// Of the file system that a path lies on; none: it cannot be asked.
std::optional<uint64_t> FreeBytesAt(const std::string& path) {
  struct statvfs info;
  if (statvfs(path.c_str(), &info) != 0) return std::nullopt;
  return uint64_t{info.f_bavail} * info.f_frsize;
}

std::string FreeWords(uint64_t bytes) {
  return std::to_string(bytes) + " bytes free";
}

// "mode 2770, user 990, group 990"
std::string RightsOf(const struct stat& info) {
  char text[96];
  std::snprintf(text, sizeof(text), "mode %04o, user %lu, group %lu",
                static_cast<unsigned>(info.st_mode & 07777u),
                static_cast<unsigned long>(info.st_uid), static_cast<unsigned long>(info.st_gid));
  return text;
}

// A folder that has to be there, and to be written to.
Finding FolderFinding(const char* name, const std::string& folder) {
  const std::string word = ShellWord(folder);
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) {
    const bool absent = errno == ENOENT;
    return {name, FindingState::kFails, folder + ": " + ErrorText(errno),
            absent ? "mkdir -p " + word : "ls -ld " + word};
  }
  if (!S_ISDIR(info.st_mode)) {
    return {name, FindingState::kFails, folder + ": is not a folder", "name another one"};
  }
  if (faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    return {name, FindingState::kFails,
            folder + ": cannot be written: " + ErrorText(errno) + "; " + RightsOf(info),
            "sudo chown $USER " + word};
  }
  const uint64_t free_bytes = FreeBytesAt(folder).value_or(0);
  const bool room = free_bytes >= kLeastFreeBytes;
  return {name, room ? FindingState::kFine : FindingState::kFails,
          folder + ", " + RightsOf(info) + ", " + FreeWords(free_bytes),
          room ? "" : "df " + word + "; remove files there", free_bytes};
}

Finding StateFinding(const CameraOptions& options) {
  if (!options.state.empty()) return FolderFinding("state folder", options.state);
  if (options.metrics.empty()) return {"state folder", FindingState::kFine, "no --state given", ""};
  return {"state folder", FindingState::kLacks,
          "no --state given: starts after a crash are not counted",
          "--state FOLDER, or StateDirectory= in the unit"};
}

// The program may run as another user than the check, as in the unit; root may write everything.
bool IsRootAlone(const struct stat& info) {
  const bool owner = info.st_uid != 0 && (info.st_mode & S_IWUSR) != 0;
  const bool group = info.st_gid != 0 && (info.st_mode & S_IWGRP) != 0;
  return !owner && !group && (info.st_mode & S_IWOTH) == 0;
}

// What it may do, and who may change it.
Finding StoreRights(const CameraOptions& options, const SlotStore& store) {
  const std::string word = ShellWord(options.slots);
  struct stat info {};
  stat(options.slots.c_str(), &info);
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

// A model as large as the one that runs has to fit beside it.
Finding StoreRoom(const CameraOptions& options, SlotStore& store, uint64_t model_bytes) {
  const uint64_t free_bytes = store.FreeBytes();
  const bool room = free_bytes >= model_bytes;
  return {"store space", room ? FindingState::kFine : FindingState::kLacks,
          FreeWords(free_bytes) +
              (room ? "" : ", less than a model of " + std::to_string(model_bytes) + " takes"),
          room ? "" : "df " + ShellWord(options.slots) + "; remove files there", free_bytes};
}

// Fills `model` with what would run. False: nothing would.
bool LookAtStore(const CameraOptions& options, std::unique_ptr<SlotStore>* store, SlotModel* model,
                 Findings* findings) {
  const std::string word = ShellWord(options.slots);
  const std::string way_out =
      "octet-slot " + word + " stage MODEL.octet && octet-slot " + word + " activate";
  StoreOptions store_options = options.store;
  store_options.lock_patience_ns = kStorePatienceNs;
  try {
    *store = std::make_unique<SlotStore>(options.slots, store_options);
    const octet_slots_info info = (*store)->Info();
    const SlotAnswer answer = (*store)->BootActive(model);
    if (answer) {
      const std::string trial = info.pending == OCTET_SLOT_NONE ? "" : "; a model is on trial";
      findings->push_back({"store", FindingState::kFine,
                           options.slots + ": slot " + SlotName(model->slot) + " runs" + trial,
                           ""});
    } else if (info.pending != OCTET_SLOT_NONE) {
      findings->push_back(
          {"store", FindingState::kFine, options.slots + ": the first model is on trial", ""});
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
    if (access(options.slots.c_str(), F_OK) != 0 && errno == ENOENT) {
      finding.mend = "mkdir -m 2770 " + word + " && " + way_out;
    }
    findings->push_back(finding);
    return false;
  }
}

uint64_t LookAtModel(const CameraOptions& options, const std::string& path, Findings* findings) {
  try {
    ModelOptions wanted = options.model;
    // The processor's finding says it of --isa.
    if (wanted.isa && !CanRun(DetectCpu(), *wanted.isa)) wanted.isa.reset();
    const Model model(path, wanted);
    if (options.board) RequireAllowed(*options.board, model, path);
    if (model.blob().model->input_count != 1 || model.blob().inputs[0].is_image == 0) {
      findings->push_back({"model", FindingState::kFails,
                           path + ": its input does not take pictures",
                           "octet convert MODEL.onnx PICTURES of a model of pictures"});
      return 0;
    }
    const uint64_t bytes = model.blob_bytes() + model.arena_bytes();
    const std::string found = path + ": " + std::to_string(model.blob_bytes()) + " bytes, plan " +
                              StringAt(model.blob(), model.blob().plans[model.plan()].name);
    if (model.blob().decode.data == nullptr) {
      findings->push_back({"model", FindingState::kLacks,
                           found + "; no decoder: only times are printed",
                           "octet convert MODEL.onnx with --task and --decode"});
    } else {
      findings->push_back({"model", FindingState::kFine, found, ""});
    }
    return bytes;
  } catch (const InputError& error) {
    findings->push_back(FailedFinding("model", error.what()));
    return 0;
  }
}

}  // namespace

uint64_t CheckFiles(const CameraOptions& options, Findings* findings) {
  uint64_t model_bytes = 0;
  if (!options.slots.empty()) {
    std::unique_ptr<SlotStore> store;  // the model of a device is a copy that it holds
    SlotModel model;
    if (LookAtStore(options, &store, &model, findings)) {
      model_bytes = LookAtModel(options, model.path, findings);
    }
  } else {
    findings->push_back({"store", FindingState::kFine, "no --slots given", ""});
    if (!options.blob.empty()) {
      model_bytes = LookAtModel(options, options.blob, findings);
    } else {
      findings->push_back({"model", FindingState::kFine, "no MODEL given", ""});
    }
  }
  findings->push_back(StateFinding(options));
  const auto folder_of = [](const std::string& file) {
    const std::string folder = std::filesystem::path(file).parent_path().string();
    return folder.empty() ? std::string(".") : folder;
  };
  if (!options.drift.empty()) {
    findings->push_back(FolderFinding("folder of --drift", folder_of(options.drift)));
  }
  // It is made where it is not there.
  if (!options.dump.empty()) {
    std::filesystem::path folder = options.dump;
    std::error_code error;
    while (!std::filesystem::exists(folder, error) && folder.has_parent_path() &&
           folder != folder.parent_path()) {
      folder = folder.parent_path();
    }
    const bool here = !std::filesystem::exists(folder, error);
    findings->push_back(FolderFinding("folder of --dump", here ? "." : folder.string()));
  }
  const uint64_t here = FreeBytesAt(".").value_or(0);
  findings->push_back(
      {"free space", FindingState::kFine, FreeWords(here) + " in this folder", "", here});
  return model_bytes;
}

}  // namespace octet::port
