#include "ports/linux/camera/program/settings.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "ports/linux/camera/program/rtsp.h"
#include "ports/linux/cpu.h"

namespace octet::port {
namespace {

constexpr const char* kDescription =
    "Runs an Octet blob on a stream of frames; always takes the newest frame";
constexpr const char* kName = "name";
constexpr size_t kMostNameBytes = 32;

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

// As --print-config shows it: without a password.
FileSetting Shown(const Setting& setting) {
  FileSetting shown{setting.name, setting.values, 0, setting.is_list};
  for (std::string& value : shown.values) value = WithoutPassword(value);
  return shown;
}

bool IsSame(const FileSetting* a, const FileSetting* b) {
  const auto same = [](const std::vector<FileSetting>& x, const std::vector<FileSetting>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const FileSetting& one, const FileSetting& other) {
                        return one.name == other.name && one.values == other.values;
                      });
  };
  if (a == nullptr || b == nullptr) return a == b;
  return std::equal(a->maps.begin(), a->maps.end(), b->maps.begin(), b->maps.end(), same);
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
void CameraSettings::Make(const Entries* entries) {
  ParseWords();
  if (done_) return;
  if (entries != nullptr) {
    entries_ = *entries;
  } else if (!file_.empty()) {
    entries_ = ReadSettingsFile(file_, kCameras);
  }
  cameras_.clear();
  if (const FileSetting* const list = Find(entries_, kCameras)) return MakeList(*list);
  cameras_.push_back(Parse(nullptr, true));
  settings_ = cameras_.front().settings;
}

// What is done without the settings, and where they are.
void CameraSettings::ParseWords() {
  CameraOptions options;
  CommandLine app(kDescription);
  file_.clear();
  DescribeCamera(app, options, &file_, &print_);
  std::vector<char*> words;
  for (std::string& word : words_) words.push_back(word.data());
  done_ = app.Parse(static_cast<int>(words.size()), words.data()).has_value();
  if (!done_ && options.isa == "list") {
    std::puts(RunnableWords(DetectCpu(), "\n").c_str());
    done_ = true;
  }
}

void CameraSettings::MakeList(const FileSetting& list) {
  settings_ = Parse(nullptr, false).settings;
  RefuseOutsideTheList();
  for (const Entries& own : list.maps) {
    const std::string name = NameOf(own, list.line);
    cameras_.push_back(Parse(&own, true));
    cameras_.back().name = name;
  }
  RefuseShared();
  // Without a MODEL the scene's detector runs where all have that.
  const auto has_own = [](const NamedCamera& camera) { return camera.options.own_detector; };
  if (std::any_of(cameras_.begin(), cameras_.end(), has_own) &&
      !std::all_of(cameras_.begin(), cameras_.end(), has_own)) {
    throw InputError("no MODEL given; see --help");
  }
  // Those that a check has set: an option may turn another one on.
  for (size_t i = 0; i < settings_.size(); ++i) {
    if (Find(list.maps.front(), settings_[i].name) != nullptr) continue;
    settings_[i] = cameras_.front().settings[i];
  }
}

NamedCamera CameraSettings::Parse(const Entries* own, bool is_whole) {
  NamedCamera camera;
  CameraOptions& options = camera.options;
  CommandLine app(kDescription);
  const CheckSettings check = DescribeCamera(app, options, &file_, &print_);
  std::vector<char*> words;
  for (std::string& word : words_) words.push_back(word.data());
  app.Parse(static_cast<int>(words.size()), words.data());
  Set(own, &app);
  try {
    if (is_whole) {
      app.CheckNeeds();
      check();
      if (!print_) CheckWhatRuns(options);
    }
  } catch (const InputError& error) {
    // An error "--NAME: ..." gets the line of the file, if the file set NAME.
    const std::string line = error.what();
    const std::string name =
        line.rfind("--", 0) == 0 ? line.substr(2, line.find_first_of(": ") - 2) : "";
    throw InputError(Line(name, own) + line);
  }
  camera.settings = app.Settings();
  return camera;
}

// Of the file what the command line does not give; own first.
void CameraSettings::Set(const Entries* own, CommandLine* app) const {
  const std::vector<Setting> given = app->Settings();
  const auto find = [&](const std::string& name) {
    return std::find_if(given.begin(), given.end(),
                        [&](const Setting& setting) { return setting.name == name; });
  };
  const auto set = [&](const FileSetting& entry) {
    const auto known = find(entry.name);
    if (known != given.end() && known->given) return;
    try {
      app->Set(entry.name, entry.values);
    } catch (const InputError& error) {
      throw InputError(file_ + ":" + std::to_string(entry.line) + ": " + error.what());
    }
  };
  if (own != nullptr) {
    for (const FileSetting& entry : *own) {
      if (entry.name == kName) continue;
      const auto known = find(entry.name);
      if (known != given.end() && !known->of_camera) {
        throw InputError(file_ + ":" + std::to_string(entry.line) + ": " + entry.name +
                         ": is the same for all cameras; set it outside the list");
      }
      set(entry);
    }
  }
  for (const FileSetting& entry : entries_) {
    if (entry.name == kCameras || (own != nullptr && Find(*own, entry.name) != nullptr)) continue;
    set(entry);
  }
}

std::string CameraSettings::NameOf(const Entries& own, int line) const {
  const FileSetting* const entry = Find(own, kName);
  if (entry == nullptr || entry->values.size() != 1) {
    const int at = own.empty() ? line : own.front().line;
    throw InputError(file_ + ":" + std::to_string(at) +
                     ": a camera of the list has no name; add a line as name: door");
  }
  const std::string& name = entry->values.front();
  const bool is_plain =
      !name.empty() && name.size() <= kMostNameBytes && name.front() != '.' &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.');
      });
  const std::string at = file_ + ":" + std::to_string(entry->line) + ": name: '" + name + "' ";
  if (!is_plain) {
    throw InputError(at + "is not possible; use 1 to " + std::to_string(kMostNameBytes) +
                     " letters, digits, '-', '_' and '.'");
  }
  for (const NamedCamera& camera : cameras_) {
    if (camera.name == name) throw InputError(at + "is the name of another camera; use each once");
  }
  return name;
}

void CameraSettings::RefuseOutsideTheList() const {
  for (const Setting& setting : settings_) {
    if (setting.name != "source" || setting.values.empty()) continue;
    throw InputError(Line(setting.name) + "--source: " + file_ +
                     " has a list of cameras, and each of them its own source; remove this one, "
                     "or the list");
  }
}

void CameraSettings::RefuseShared() const {
  for (size_t i = 0; i < settings_.size(); ++i) {
    if (!settings_[i].is_alone) continue;
    for (const NamedCamera& camera : cameras_) {
      for (const NamedCamera& other : cameras_) {
        const std::vector<std::string>& values = camera.settings[i].values;
        if (&camera == &other || values.empty() || values != other.settings[i].values) continue;
        throw InputError(Line(settings_[i].name) + settings_[i].name + ": " + values.front() +
                         " is that of " + camera.name + " and of " + other.name +
                         "; give each camera its own");
      }
    }
  }
}

// "FILE:LINE: ", or "" if the setting is not from the file.
std::string CameraSettings::Line(const std::string& setting, const Entries* own) const {
  const FileSetting* entry = own != nullptr ? Find(*own, setting) : nullptr;
  if (entry == nullptr) entry = Find(entries_, setting);
  return entry == nullptr ? "" : file_ + ":" + std::to_string(entry->line) + ": ";
}

std::string CameraSettings::AsYaml() const {
  std::vector<FileSetting> in_force;
  std::vector<std::string> others;
  for (const Setting& setting : settings_) {
    if (setting.values.empty()) {
      others.push_back(setting.name);
    } else {
      in_force.push_back(Shown(setting));
    }
  }
  if (!cameras_.front().name.empty()) in_force.push_back(ListInForce());
  return WriteSettings(in_force) + (others.empty() ? "" : "# not set: " + Joined(others) + "\n");
}

// Of each camera its name, and what is not as outside the list.
FileSetting CameraSettings::ListInForce() const {
  FileSetting list;
  list.name = kCameras;
  for (const NamedCamera& camera : cameras_) {
    Entries& own = list.maps.emplace_back();
    own.push_back({kName, {camera.name}});
    for (size_t i = 0; i < settings_.size(); ++i) {
      const Setting& setting = camera.settings[i];
      if (!setting.of_camera || setting.values.empty() || setting.values == settings_[i].values) {
        continue;
      }
      own.push_back(Shown(setting));
    }
  }
  return list;
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
  if (!IsSame(Find(entries_, kCameras), Find(now.entries_, kCameras))) {
    reread.held.push_back(kCameras);
    PutBack(kCameras, entries_, &mixed);
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
