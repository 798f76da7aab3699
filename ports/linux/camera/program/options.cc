#include "ports/linux/camera/program/options.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "ports/linux/affinity.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/own_scene.h"
#include "ports/linux/pictures/pictures.h"
#include "ports/linux/words/numbers.h"
#include "ports/linux/words/shell_word.h"

namespace octet::port {
namespace {

constexpr double kSceneFps = 30;
constexpr const char* kDetector = "/detector.octet";

// The built-in scene as a source of frames with known boxes.
class SceneSource : public Source {
 public:
  SceneSource(const SceneConfig& config, const Garments& garments, double frames_per_second)
      : scene_(config, garments), pace_(frames_per_second) {}

  Took Next(FrameBuffer* frame, const StopRequest& stop) override {
    if (!pace_.Wait(stop)) return Took::kStopped;
    frame->Resize(OCTET_PIXELS_RGB24, scene_.config().width, scene_.config().height);
    for (const SceneBox& box : scene_.Render(next_++, frame->bytes.data())) {
      frame->truth.push_back({static_cast<float>(box.x0), static_cast<float>(box.y0),
                              static_cast<float>(box.x1), static_cast<float>(box.y1), box.label});
    }
    return Took::kFrame;
  }

 private:
  Scene scene_;
  Pace pace_;
  uint64_t next_ = 0;
};

void ReadSize(const std::string& size, uint32_t* width, uint32_t* height) {
  if (!ReadNumbers(size, 'x', {width, height}) ||
      FrameBytes(OCTET_PIXELS_GREY8, *width, *height) == 0) {
    throw InputError("--size " + size + ": not a size; write it as 1280x720");
  }
}

// What ffmpeg reads, as a stream.
std::string Ffmpeg(const std::string& input) {
  return "ffmpeg -i " + input +
         " -f yuv4mpegpipe -pix_fmt yuv420p - | octet-camera MODEL --source -";
}

// Sources as other programs name them: what they are here. "": it is none of them.
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

// What this source would ignore. used: names of the options that it has a use for.
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

void ListIsas() {
  std::puts(RunnableWords(DetectCpu(), "\n").c_str());
}

CheckSettings DescribeCamera(CommandLine& app, CameraOptions& o, std::string* config, bool* print) {
  app.Add("MODEL", o.blob,
          "blob made by octet convert (--task, --decode); optional with --source scene: without a "
          "MODEL, the scene's own detector runs")
      .Reloads(Reload::kWithModel);
  app.Group("Options");
  app.Add("--config", *config,
          "settings file: YAML lines NAME: VALUE, NAME is an option without its dashes (MODEL: "
          "model). The command line has priority over the file. SIGHUP reads the file again "
          "(docs/config.md)")
      .OnCommandLineOnly();
  app.AddFlag("--print-config", *print, "print the settings in use as a settings file, and end")
      .OnCommandLineOnly();
  app.AddFlag("--check", o.check,
              "check that this board has what the other options need, print a command for each "
              "missing part, and end. Exit status: 0 nothing is missing, 1 something is missing. "
              "The check changes nothing and takes no frame")
      .OnCommandLineOnly();
  app.Add("--support-bundle", o.bundle,
          "write a tar archive for a report, and end: versions, these settings, what --check says, "
          "state, sensors, numbers and last lines of the camera that runs. It has no pictures and "
          "no keys. Nothing else is written, and no frame is taken")
      .OnCommandLineOnly();
  app.Add("--source", o.source,
          std::string("scene, a folder of pictures (") + pictures::kExtensions +
              "; without any, the pictures of its subfolders), one picture, /dev/videoN, or - for "
              "a stream on stdin");
  app.Add(
      "--format", o.format,
      "stream: y4m (default), or raw rgb24, bgr24, grey8, nv12, yuv420p, yuyv with --size. camera: "
      "one of these but bgr24, or mjpeg (default: the first available of nv12, yuv420p, yuyv, "
      "rgb24, "
      "grey8, mjpeg)");
  app.Add("--size", o.size, "WxH of raw frames, of the scene, or requested from the camera");
  app.Add("--stride", o.stride,
          "bytes from row to row of raw frames whose rows are padded; of yuv420p and nv12 those of "
          "the first plane, or FIRST,OTHERS (default: no padding). rpicam-vid pads rows to 64 "
          "pixels, GStreamer those of each plane to 4 bytes");
  app.Add("--fps", o.fps,
          "frame rate of the scene (default 30; 0: as fast as it renders), of a folder (default: "
          "every picture, none dropped), or requested from the camera");
  app.AddFlag("--every-frame", o.every_frame,
              "the source waits for the model, so no frame is dropped; for films, not for cameras");
  app.Add("--frames", o.frames, "stop after this many results; 0: never")
      .ShowDefault()
      .Reloads(Reload::kNow);
  app.Add("--plan", o.model.plan, "plan by name (default: the blob's first)")
      .Reloads(Reload::kWithModel);
  app.Add("--isa", o.isa, "highest instruction set to use, or 'list'").Reloads(Reload::kWithModel);
  app.Add("--threads", o.model.threads, "number of inference threads, including the main thread")
      .Range(1u, 256u)
      .ShowDefault()
      .Reloads(Reload::kWithModel);
  app.AddFlag("--json", o.json, "one JSON object per frame, and a summary at the end")
      .Reloads(Reload::kNow);
  std::vector<CheckSettings> checks;
  app.MoreGroup("While it runs");
  for (const Feature& feature : Features()) checks.push_back(feature.describe(app, o));
  app.MoreGroup("Machine");
  app.AddFlag("--map", o.map, kMapHelp).Reloads(Reload::kWithModel);
  app.Add("--cpus", o.cpus, kCpusHelp);
  app.Add("--priority", o.priority,
          "real-time priority 1 to 99 (SCHED_FIFO), where the system allows it")
      .Range(0, 99);
  app.MoreGroup("Scene and tests");
  app.Add(
      "--garments", o.garments,
      "of the scene: folder with test.npy and labels.npy, written by demo/pictures.py (default: "
      "100 garments that come with the program)");
  app.Add("--disturb", o.disturb,
          "disturb frames for tests: noise:SIGMA, blur:RADIUS, exposure:FACTOR, each with frames, "
          "for example noise:40@300-599,exposure:2.5@900-");
  app.Add("--seed", o.seed, "of the scene: seed").ShowDefault();
  app.Footer(
      "Raspberry Pi:  rpicam-vid -t 0 -n --codec yuv420 --width 640 --height 480 -o - |\n"
      "                 octet-camera MODEL.octet --source - --format yuv420p --size 640x480\n"
      "Jetson:        gst-launch-1.0 -q nvarguscamerasrc ! 'video/x-raw(memory:NVMM),width=1280,"
      "height=720' !\\\n                 nvvidconv ! video/x-raw,format=NV12 ! fdsink |\n"
      "                 octet-camera MODEL.octet --source - --format nv12 --size 1280x720");
  app.Name("octet-camera", OCTET_VERSION_TEXT);
  return [&o, checks] {
    for (const CheckSettings& check : checks) check();
    if (o.map) o.model.storage = BlobStorage::kMapped;
    if (!o.isa.empty()) {
      octet_isa isa;
      if (octet_isa_from_name(o.isa.c_str(), &isa).code != OCTET_OK) {
        throw InputError("--isa " + o.isa + ": unknown word; see --isa list");
      }
      o.model.isa = isa;
    }
    if (o.fps < 0) throw InputError("--fps: must be at least 0; see --help");
    o.own_detector = o.source == "scene" && o.blob.empty() && o.slots.empty();
    if (o.own_detector) o.blob = OwnSceneFolder("a MODEL, made by octet convert") + kDetector;
  };
}

void CheckWhatRuns(const CameraOptions& o) {
  const bool none = o.blob.empty() && o.slots.empty();
  const bool looks_only = o.check || !o.bundle.empty();
  if (o.blob.empty() == o.slots.empty() && !(looks_only && none)) {
    throw InputError(o.blob.empty() ? "no MODEL given; see --help"
                                    : "MODEL and --slots: give only one of them");
  }
  if (o.source.empty() && !looks_only) {
    throw InputError("no --source given; give scene, a folder, /dev/videoN, or - for stdin");
  }
}

std::unique_ptr<Source> OpenSource(const CameraOptions& o, std::unique_ptr<Garments>* garments) {
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
    *garments = std::make_unique<Garments>(folder + "/test.npy", folder + "/labels.npy");
    return std::make_unique<SceneSource>(config, **garments, std::isnan(o.fps) ? kSceneFps : o.fps);
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
