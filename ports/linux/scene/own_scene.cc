#include "ports/linux/scene/own_scene.h"

#include <filesystem>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

// Relative to bin/: the folder of cmake --install and packages, and that of the sources.
constexpr const char* kPlaces[] = {"../share/octet/scene", "../../../demo/scene"};

}  // namespace

std::string OwnSceneFolder(const std::string& instead) {
  namespace fs = std::filesystem;
  std::error_code unreadable, absent;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  for (const char* place : kPlaces) {
    const fs::path folder = (program.parent_path() / place).lexically_normal();
    if (!unreadable && fs::is_directory(folder, absent)) return folder.string();
  }
  throw InputError(
      "--source scene: the scene's files are not beside this program (share/octet/scene); give " +
      instead);
}

}  // namespace octet::port
