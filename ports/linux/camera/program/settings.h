// The settings of octet-camera: one list of options, from the command line and the file that
// --config names. The command line has priority over the file.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_H_

#include <string>
#include <vector>

#include "ports/linux/camera/program/options.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/settings_file/settings_file.h"

namespace octet::port {

// An entry of the list of cameras, with the settings outside the list that it does not replace.
struct NamedCamera {
  std::string name;  // empty: there is no list, and this is the one camera
  CameraOptions options;
  std::vector<Setting> settings;  // in force
};

// The name of the list in a settings file.
constexpr const char* kCameras = "cameras";

class CameraSettings {
 public:
  // Throws InputError; returns false where the program is done (--help, --isa list,
  // --print-config).
  bool Read(int argc, char** argv);
  // Never empty.
  const std::vector<NamedCamera>& cameras() const { return cameras_; }
  // Of the first camera: what no entry of the list may have is the same for all.
  const CameraOptions& options() const { return cameras_.front().options; }
  // --config; empty: none.
  const std::string& file() const { return file_; }

  // --print-config: what is in force, as a settings file.
  std::string AsYaml() const;

  struct Reread;
  // What the file says now, with what may not change while the program runs as it was. Reads files,
  // so it is for the thread for storage. Throws InputError: a file that would not start the program
  // changes nothing.
  Reread ReadAgain() const;

 private:
  using Entries = std::vector<FileSetting>;

  void Make(const Entries* entries);
  void ParseWords();
  void MakeList(const FileSetting& list);
  // own: the entry of a camera; null: there is no list.
  NamedCamera Parse(const Entries* own, bool is_whole);
  void Set(const Entries* own, CommandLine* app) const;
  std::string NameOf(const Entries& own, int line) const;
  void RefuseOutsideTheList() const;
  void RefuseShared() const;
  FileSetting ListInForce() const;
  std::string Line(const std::string& setting, const Entries* own = nullptr) const;

  std::vector<std::string> words_;  // of the command line
  std::string file_;
  Entries entries_;                // of the file, in force or not
  std::vector<Setting> settings_;  // in force, but those of cameras of a list
  std::vector<NamedCamera> cameras_;
  bool print_ = false, done_ = false;
};

struct CameraSettings::Reread {
  CameraSettings settings;
  std::vector<std::string> changed, held;  // names: those that are others now, those that cannot be
  bool load_model = false;                 // for what changed
  std::string Told() const;                // one line
};

// From now on SIGHUP asks for ReadAgain, instead of ending the program.
void ObeyReloadSignal();
// Whether one came since the last call.
bool TakeReloadSignal();

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_H_
