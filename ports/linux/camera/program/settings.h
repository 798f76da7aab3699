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

class CameraSettings {
 public:
  // Throws InputError; returns false where the program is done (--help, --isa list,
  // --print-config).
  bool Read(int argc, char** argv);
  const CameraOptions& options() const { return options_; }
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
  void Make(const std::vector<FileSetting>* entries);
  std::string Line(const std::string& setting) const;

  std::vector<std::string> words_;  // of the command line
  std::string file_;
  std::vector<FileSetting> entries_;  // of the file, in force or not
  std::vector<Setting> settings_;     // in force
  CameraOptions options_;
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
