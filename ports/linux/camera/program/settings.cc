#include "ports/linux/camera/program/settings.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "ports/linux/cpu.h"

namespace octet::port {
namespace {

// 32 bits: RISC-V has no lock-free exchange of a byte.
std::atomic<uint32_t> asked{0};
static_assert(std::atomic<uint32_t>::is_always_lock_free, "used in a signal handler");

std::string Joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

const FileSetting* Find(const std::vector<FileSetting>& entries, const std::string& name) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const FileSetting& entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

// Sets the entry `name` back to the value in `before`.
void PutBack(const std::string& name, const std::vector<FileSetting>& before,
             std::vector<FileSetting>* entries) {
  entries->erase(std::remove_if(entries->begin(), entries->end(),
                                [&](const FileSetting& entry) { return entry.name == name; }),
                 entries->end());
  if (const FileSetting* entry = Find(before, name)) entries->push_back(*entry);
}

}  // namespace

bool CameraSettings::Read(int argc, char** argv) {
  words_.assign(argv, argv + argc);
  Make(nullptr);
  if (!done_ && print_) std::fputs(AsYaml().c_str(), stdout);
  return !done_ && !print_;
}

// entries: null if the file must be read.
void CameraSettings::Make(const std::vector<FileSetting>* entries) {
  CameraOptions options;
  CommandLine app("Runs an Octet blob on a stream of frames; always takes the newest frame");
  file_.clear();
  const CheckSettings check = DescribeCamera(app, options, &file_, &print_);
  std::vector<char*> words;
  for (std::string& word : words_) words.push_back(word.data());
  done_ = app.Parse(static_cast<int>(words.size()), words.data()).has_value();
  if (!done_ && options.isa == "list") {
    for (const octet_isa isa : RunnableIsas(DetectCpu())) std::puts(octet_isa_name(isa));
    done_ = true;
  }
  if (done_) return;
  if (entries == nullptr && !file_.empty()) {
    entries_ = ReadSettingsFile(file_);
  } else if (entries != nullptr) {
    entries_ = *entries;
  }
  const std::vector<Setting> given = app.Settings();
  for (const FileSetting& entry : entries_) {
    const auto known = std::find_if(given.begin(), given.end(), [&](const Setting& setting) {
      return setting.name == entry.name;
    });
    if (known != given.end() && known->given) continue;
    try {
      app.Set(entry.name, entry.values);
    } catch (const InputError& error) {
      throw InputError(Line(entry.name) + error.what());
    }
  }
  try {
    app.CheckNeeds();
    check();
    if (!print_) CheckWhatRuns(options);
  } catch (const InputError& error) {
    // An error "--NAME: ..." gets the line of the file, if the file set NAME.
    const std::string line = error.what();
    const std::string name =
        line.rfind("--", 0) == 0 ? line.substr(2, line.find_first_of(": ") - 2) : "";
    throw InputError(Line(name) + line);
  }
  settings_ = app.Settings();
  options_ = std::move(options);
}

// "FILE:LINE: ", or "" if the setting is not from the file.
std::string CameraSettings::Line(const std::string& setting) const {
  const FileSetting* entry = Find(entries_, setting);
  return entry == nullptr ? "" : file_ + ":" + std::to_string(entry->line) + ": ";
}

std::string CameraSettings::AsYaml() const {
  std::vector<FileSetting> in_force;
  std::vector<std::string> others;
  for (const Setting& setting : settings_) {
    if (setting.values.empty()) {
      others.push_back(setting.name);
    } else {
      in_force.push_back({setting.name, setting.values, 0, setting.is_list});
    }
  }
  return WriteSettings(in_force) + (others.empty() ? "" : "# not set: " + Joined(others) + "\n");
}

CameraSettings::Reread CameraSettings::ReadAgain() const {
  Reread reread{*this, {}, {}, false};
  CameraSettings& now = reread.settings;
  now.Make(nullptr);  // as a start would
  std::vector<FileSetting> mixed = now.entries_;
  for (size_t i = 0; i < settings_.size(); ++i) {
    const Setting& setting = settings_[i];
    if (setting.reload != Reload::kNever || setting.values == now.settings_[i].values) continue;
    reread.held.push_back(setting.name);
    PutBack(setting.name, entries_, &mixed);
  }
  if (!reread.held.empty()) now.Make(&mixed);
  std::vector<std::string> implied;
  for (size_t i = 0; i < settings_.size(); ++i) {
    const Setting& setting = settings_[i];
    if (setting.values == now.settings_[i].values) continue;
    (setting.reload == Reload::kNever ? implied : reread.changed).push_back(setting.name);
    reread.load_model = reread.load_model || setting.reload == Reload::kWithModel;
  }
  // Such as a flag that another option turns on.
  if (!implied.empty()) {
    throw InputError(file_ + ": " + Joined(implied) +
                     " would change too, but cannot change while octet-camera runs; restart it");
  }
  return reread;
}

std::string CameraSettings::Reread::Told() const {
  const std::string& file = settings.file();
  std::string told =
      changed.empty() ? file + ": nothing changed" : file + ": in force now: " + Joined(changed);
  if (!held.empty()) {
    told += "; cannot change while octet-camera runs: " + Joined(held) + " (restart it)";
  }
  return told;
}

void ObeyReloadSignal() {
  struct sigaction action = {};
  action.sa_handler = [](int) { asked.store(1); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGHUP, &action, nullptr);
}

bool TakeReloadSignal() {
  return asked.load(std::memory_order_relaxed) != 0 && asked.exchange(0) != 0;
}

}  // namespace octet::port
