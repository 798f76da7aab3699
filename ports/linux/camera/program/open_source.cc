#include "ports/linux/camera/program/open_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "ports/linux/camera/program/rtsp.h"
#include "ports/linux/capture/child.h"
#include "ports/linux/capture/child_source.h"
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
  if (begins("file://")) return "write the path: --source " + rest;
  if (scheme != std::string::npos) {
    return "a stream of the network comes from a program: --source \"exec:ffmpeg -loglevel error "
           "-i " +
           ShellWord(source) + " -f yuv4mpegpipe -pix_fmt yuv420p -\"";
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
                                                {"fps", !std::isnan(o.fps)},
                                                {"password-file", !o.password_file.empty()},
                                                {"rtsp-command", !o.rtsp_command.empty()}};
  for (const auto& [name, is_given] : given) {
    if (!is_given || used.find(name) != std::string::npos) continue;
    throw InputError(std::string("--") + name + ": does nothing with " + source + "; remove it");
  }
}

constexpr const char* kExec = "exec:";

ChildCommand ExecChild(const CameraOptions& o) {
  RefuseUnused(o, "a program", "format size stride");
  ChildCommand child;
  child.words = SplitWords(o.source.substr(std::strlen(kExec)));
  if (const std::string password = PasswordIn(o.source); !password.empty()) {
    child.secrets.push_back(password);
  }
  child.format = ReadStreamFormat(o.format.empty() ? "y4m" : o.format, o.size, o.stride);
  return child;
}

// A program whose stdout is the stream, started again whenever it ends.
std::unique_ptr<Source> OpenProgram(const CameraOptions& o, const Say& say) {
  const bool is_rtsp = IsRtsp(o.source);
  if (is_rtsp) RefuseUnused(o, "rtsp://", "size fps password-file rtsp-command");
  ChildCommand child = is_rtsp ? RtspChild(o) : ExecChild(o);
  const std::string option = is_rtsp ? "--rtsp-command" : "--source " + WithoutPassword(o.source);
  if (child.words.empty()) {
    throw InputError(option +
                     ": no program, or a quote that is open; write it as exec:PROGRAM "
                     "ARGUMENTS");
  }
  child.name = std::filesystem::path(child.words[0]).filename().string();
  child.timeout_ms = o.source_timeout_s * 1000;
  const std::string path = FindProgram(child.words[0]);
  if (path.empty()) {
    throw InputError(option + ": no program " + child.words[0] + " here; install it" +
                     (is_rtsp ? ", or name another one" : ", or write its path"));
  }
  child.words[0] = path;
  return OpenLasting([child, say] { return OpenChild(child, say); }, say);
}

}  // namespace

std::unique_ptr<Source> OpenSource(const CameraOptions& o, const std::string& camera) {
  uint32_t width = 0, height = 0;
  const Say say = [begin = camera.empty() ? "" : camera + ": "](const std::string& line) {
    std::fprintf(stderr, "octet-camera: %s%s\n", begin.c_str(), line.c_str());
  };
  if (IsRtsp(o.source) || o.source.rfind(kExec, 0) == 0) return OpenProgram(o, say);
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
  // In a list it may be unplugged, and come later.
  const auto open_camera = [&]() -> std::unique_ptr<Source> {
    RefuseUnused(o, "a camera", "format size fps");
    const CameraWish wish = {o.format, width, height, std::isnan(o.fps) ? 0 : o.fps};
    if (camera.empty()) return OpenV4l2(o.source, wish);
    return OpenLasting([path = o.source, wish] { return OpenV4l2(path, wish); }, say);
  };
  struct stat status;
  if (stat(o.source.c_str(), &status) != 0) {
    if (o.source.rfind("/dev/", 0) == 0 && !camera.empty()) return open_camera();
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
    return open_camera();
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
