#include "ports/linux/camera/program/open_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <utility>

#include "ports/linux/pictures/pictures.h"
#include "ports/linux/scene/own_scene.h"
#include "ports/linux/scene/source.h"
#include "ports/linux/words/numbers.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr double kSceneFps = 30;

void ReadSize(const std::string& size, uint32_t* width, uint32_t* height) {
  if (!ReadNumbers(size, 'x', {width, height}) ||
      FrameBytes(OCTET_PIXELS_GREY8, *width, *height) == 0) {
    throw InputError("--size " + size + ": not a size; write it as 1280x720");
  }
}

// A command that turns an input of ffmpeg into a stream.
std::string Ffmpeg(const std::string& input) {
  return "ffmpeg -i " + input +
         " -f yuv4mpegpipe -pix_fmt yuv420p - | octet-camera MODEL --source -";
}

// For names of sources that other programs use: how to give them here. "": not such a name.
std::string RecipeFor(const std::string& source) {
  const size_t scheme = source.find("://");
  const std::string rest = scheme == std::string::npos ? "" : source.substr(scheme + 3);
  const auto begins = [&](const char* word) { return source.rfind(word, 0) == 0; };
  if (!source.empty() && source.find_first_not_of("0123456789") == std::string::npos) {
    return "a number is not a source; a camera is --source /dev/video" + source;
  }
  if (begins("v4l2://")) return "a camera is --source " + (rest.empty() ? "/dev/video0" : rest);
  if (begins("csi://")) {
    return "the camera of the board comes through a pipe: rpicam-vid or gst-launch-1.0 (see "
           "--help) "
           "| octet-camera MODEL --source -";
  }
  if (begins("rtsp://") || begins("rtsps://")) {
    return "a network camera comes through a pipe: " + Ffmpeg(ShellWord(source));
  }
  if (begins("file://")) return "write the path: --source " + rest;
  if (scheme != std::string::npos) {
    return "a stream of the network comes through a pipe: " + Ffmpeg(ShellWord(source));
  }
  if (source == "stdin" || source == "/dev/stdin" || source == "/dev/fd/0" ||
      source == "/proc/self/fd/0") {
    return "stdin is --source -, as in: " + Ffmpeg("FILE");
  }
  return "";
}

// Refuses options that this source ignores. used: the options that it uses.
void RefuseUnused(const CameraOptions& o, const std::string& source, const std::string& used) {
  const std::pair<const char*, bool> given[] = {{"format", !o.format.empty()},
                                                {"size", !o.size.empty()},
                                                {"stride", !o.stride.empty()},
                                                {"fps", !std::isnan(o.fps)}};
  for (const auto& [name, is_given] : given) {
    if (!is_given || used.find(name) != std::string::npos) continue;
    throw InputError(std::string("--") + name + ": does nothing with " + source + "; remove it");
  }
}

}  // namespace

std::unique_ptr<Source> OpenSource(const CameraOptions& o) {
  uint32_t width = 0, height = 0;
  if (o.source == "-") {
    if (isatty(STDIN_FILENO) != 0) {
      throw InputError("--source -: stdin is a terminal; pipe a stream into the program");
    }
    RefuseUnused(o, "a stream on stdin", "format size stride");
    return OpenStream(STDIN_FILENO,
                      ReadStreamFormat(o.format.empty() ? "y4m" : o.format, o.size, o.stride));
  }
  if (!o.size.empty()) ReadSize(o.size, &width, &height);
  if (o.source == "scene") {
    RefuseUnused(o, "the scene", "size fps");
    SceneConfig config;
    if (width != 0) config.width = width, config.height = height;
    config.seed = o.seed;
    const std::string folder =
        o.garments.empty() ? OwnSceneFolder("--garments FOLDER, written by demo/pictures.py")
                           : o.garments;
    return OpenScene(config, folder, std::isnan(o.fps) ? kSceneFps : o.fps);
  }
  if (const std::string recipe = RecipeFor(o.source); !recipe.empty()) {
    throw InputError("--source " + o.source + ": " + recipe);
  }
  struct stat status;
  if (stat(o.source.c_str(), &status) != 0) {
    if (o.source.rfind("/dev/", 0) == 0) {
      throw InputError("--source " + o.source +
                       ": no such device; ls /dev/video* lists the cameras");
    }
    throw InputError("--source " + o.source +
                     ": no such file or folder; other sources: scene, - and /dev/videoN");
  }
  if (S_ISDIR(status.st_mode) || (S_ISREG(status.st_mode) && pictures::HasPictureName(o.source))) {
    RefuseUnused(o, "pictures", "fps");
    return OpenFolder(o.source, std::isnan(o.fps) ? 0 : o.fps);
  }
  if (S_ISCHR(status.st_mode)) {
    RefuseUnused(o, "a camera", "format size fps");
    return OpenV4l2(o.source, {o.format, width, height, std::isnan(o.fps) ? 0 : o.fps});
  }
  if (S_ISFIFO(status.st_mode)) {
    throw InputError("--source " + o.source +
                     ": a pipe; give it as stdin: octet-camera MODEL --source - <" +
                     ShellWord(o.source));
  }
  throw InputError("--source " + o.source +
                   ": not a folder, picture or camera; for a film: " + Ffmpeg("FILE"));
}

}  // namespace octet::port
