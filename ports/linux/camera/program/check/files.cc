#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/whitelist.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {

std::optional<uint64_t> FreeBytesAt(const std::string& path) {
  struct statvfs info;
  if (statvfs(path.c_str(), &info) != 0) return std::nullopt;
  return uint64_t{info.f_bavail} * info.f_frsize;
}

std::string FreeWords(uint64_t bytes) {
  return std::to_string(bytes) + " bytes free";
}

std::string RightsOf(const struct stat& info) {
  char text[96];
  std::snprintf(text, sizeof(text), "mode %04o, user %lu, group %lu",
                static_cast<unsigned>(info.st_mode & 07777u),
                static_cast<unsigned long>(info.st_uid), static_cast<unsigned long>(info.st_gid));
  return text;
}

Finding FolderFinding(const std::string& name, const std::string& folder) {
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

void CheckModel(const CameraOptions& options, const std::string& path, Checked* checked) {
  const auto add = [checked](Finding finding) {
    checked->Add(Checked::kModel, std::move(finding));
  };
  try {
    ModelOptions wanted = options.model;
    // An --isa that cannot run is a finding of the processor, not of the model.
    if (wanted.isa && !CanRun(DetectCpu(), *wanted.isa)) wanted.isa.reset();
    const Model model(path, wanted);
    if (options.board) RequireAllowed(*options.board, model, path);
    if (model.blob().model->input_count != 1 || model.blob().inputs[0].is_image == 0) {
      add({"model", FindingState::kFails, path + ": its input does not take pictures",
           "octet convert MODEL.onnx PICTURES of a model of pictures"});
      return;
    }
    const uint64_t bytes = model.blob_bytes() + model.arena_bytes();
    const std::string found = path + ": " + std::to_string(model.blob_bytes()) + " bytes, plan " +
                              StringAt(model.blob(), model.blob().plans[model.plan()].name);
    if (model.blob().decode.data == nullptr) {
      add({"model", FindingState::kLacks, found + "; no decoder: only times are printed",
           "octet convert MODEL.onnx with --task and --decode"});
    } else {
      add({"model", FindingState::kFine, found, ""});
    }
    checked->model_bytes = bytes;
  } catch (const InputError& error) {
    add(FailedFinding("model", error.what()));
  }
}

void CheckFiles(const CameraOptions& options, Checked* checked) {
  if (options.models_of.empty() && options.blob.empty()) {
    checked->Add(Checked::kModel, {"model", FindingState::kFine, "no MODEL given", ""});
  } else if (options.models_of.empty()) {
    CheckModel(options, options.blob, checked);
  }
  const uint64_t here = FreeBytesAt(".").value_or(0);
  checked->Add(Checked::kSpace,
               {"free space", FindingState::kFine, FreeWords(here) + " in this folder", "", here});
}

}  // namespace octet::port
