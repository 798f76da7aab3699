// SIGHUP with --config: the thread for storage reads the file again. The loop takes the result
// between two frames.
#ifndef OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_FOLLOWER_H_
#define OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_FOLLOWER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/settings.h"

namespace octet::port {

class SettingsFollower {
 public:
  explicit SettingsFollower(Helper& storage) : storage_(storage) {}

  // Never waits. What the file says now, once for each signal; a file that cannot be used is told
  // in `news` and changes nothing.
  std::optional<CameraSettings::Reread> Follow(const CameraSettings& settings, uint64_t now_ns,
                                               std::string* news) {
    std::optional<CameraSettings::Reread> reread;
    try {
      reread = errand_.Take();
    } catch (const InputError& error) {
      *news = std::string(error.what()) + "; the previous settings stay in force";
    }
    if (!errand_.at_work() && TakeReloadSignal()) {
      // Of what the loop takes now, not of what was before it.
      errand_.Start(storage_, now_ns,
                    [before = reread ? reread->settings : settings] { return before.ReadAgain(); });
    }
    return reread;
  }

 private:
  Helper& storage_;
  Errand<CameraSettings::Reread> errand_;
};

}  // namespace octet::port

#endif  // OCTET_PORTS_LINUX_CAMERA_PROGRAM_SETTINGS_FOLLOWER_H_
