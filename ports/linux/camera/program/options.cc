#include "ports/linux/camera/program/options.h"

#include <algorithm>
#include <vector>

#include "ports/linux/affinity.h"
#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/rtsp.h"
#include "ports/linux/pictures/pictures.h"
#include "ports/linux/scene/own_scene.h"

namespace octet::port {
namespace {

constexpr const char* kDetector = "/detector.octet";

void DescribeSource(CommandLine& app, CameraOptions& o) {
  app.Add("--source", o.source,
          std::string("scene, a folder of pictures (") + pictures::kExtensions +
              "; without any, the pictures of its subfolders), one picture, /dev/videoN, rtsp:// "
              "and "
              "an address, exec: and a program that writes a stream to its stdout, or - for a "
              "stream on stdin")
      .OfCamera();
  app.Add("--format", o.format,
          "stream: y4m (default), or raw rgb24, bgr24, grey8, nv12, yuv420p, yuyv with --size. "
          "camera: "
          "one of these but bgr24, or mjpeg (default: the first available of nv12, yuv420p, yuyv, "
          "rgb24, "
          "grey8, mjpeg)")
      .OfCamera();
  app.Add("--size", o.size, "WxH of raw frames, of the scene, or requested from the camera")
      .OfCamera();
  app.Add("--stride", o.stride,
          "bytes from row to row of raw frames whose rows are padded; of yuv420p and nv12 those of "
          "the first plane, or FIRST,OTHERS (default: no padding). rpicam-vid pads rows to 64 "
          "pixels, GStreamer those of each plane to 4 bytes")
      .OfCamera();
  app.Add("--fps", o.fps,
          "frame rate of the scene (default 30; 0: as fast as it renders), of a folder (default: "
          "every picture, none dropped), or requested from the camera")
      .OfCamera();
  app.Add("--rtsp-command", o.rtsp_command,
          "of rtsp:// sources: the program that writes YUV4MPEG2 to its stdout. {input} stands for "
          "the options of ffmpeg that name the source, {url} for its address (default: ffmpeg, "
          "with the video decoder of the board)")
      .OfCamera();
  app.Add("--password-file", o.password_file,
          "of rtsp:// sources: file with the password of the user that the address names, in its "
          "first line")
      .OfCamera();
  app.Add("--source-timeout-s", o.source_timeout_s,
          "of rtsp:// and exec: sources: a program that gives no frame for as long is ended and "
          "started again")
      .Range(1u, 3600u)
      .ShowDefault()
      .OfCamera();
  app.AddFlag("--every-frame", o.every_frame,
              "the source waits for the model, so no frame is dropped; for films, not for cameras")
      .OfCamera();
  app.Add("--budget", o.budget,
          "most share of the time that the frames of the camera may take, 0.01 to 1")
      .ShowDefault()
      .OfCamera();
  app.Add("--outputs", o.outputs,
          "where results go: lines (stdout), page (of --http), or none (default: lines and page)")
      .Among({kLinesOutput, kPageOutput, kNoOutput})
      .Delimiter(',')
      .OfCamera();
}

void DescribeScene(CommandLine& app, CameraOptions& o) {
  app.MoreGroup("Scene and tests");
  app.Add(
      "--garments", o.garments,
      "of the scene: folder with test.npy and labels.npy, written by demo/pictures.py (default: "
      "100 garments that come with the program)");
  app.Add("--disturb", o.disturb,
          "disturb frames for tests: noise:SIGMA, blur:RADIUS, exposure:FACTOR, each with frames, "
          "for example noise:40@300-599,exposure:2.5@900-")
      .OfCamera();
  app.Add("--seed", o.seed, "of the scene: seed").ShowDefault().OfCamera();
}

void ReadOutputs(CameraOptions* o) {
  const auto has = [&](const char* word) {
    return o->outputs.empty() ||
           std::find(o->outputs.begin(), o->outputs.end(), word) != o->outputs.end();
  };
  o->writes_lines = has(kLinesOutput);
  o->shows_page = has(kPageOutput);
  if (o->outputs.size() > 1 && has(kNoOutput)) {
    throw InputError("--outputs: none with another one; give only one of them");
  }
}

}  // namespace

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
  std::vector<CheckSettings> checks;
  checks.push_back(DescribeCheck(app, o));
  checks.push_back(DescribeBundle(app, o));
  DescribeSource(app, o);
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
  app.Add("--state-gap-ms", o.state_gap_ms,
          "of a model with states: if frames are further apart than this, the states begin again; "
          "0: "
          "never")
      .Range(0u, 3600000u)
      .ShowDefault()
      .OfCamera()
      .Reloads(Reload::kNow);
  app.AddFlag("--json", o.json, "one JSON object per frame, and a summary at the end")
      .Reloads(Reload::kNow);
  app.MoreGroup("While it runs");
  for (const Feature& feature : Features()) checks.push_back(feature.describe(app, o));
  app.MoreGroup("Machine");
  app.AddFlag("--map", o.map, kMapHelp).Reloads(Reload::kWithModel);
  app.Add("--cpus", o.cpus, kCpusHelp);
  app.Add("--priority", o.priority,
          "real-time priority 1 to 99 (SCHED_FIFO), where the system allows it")
      .Range(0, 99);
  DescribeScene(app, o);
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
    if (o.budget < 0.01 || o.budget > 1) {
      throw InputError("--budget: must be 0.01 to 1; see --help");
    }
    ReadOutputs(&o);
    if (IsRtsp(o.source) && o.rtsp_command.empty()) o.rtsp_command = RtspCommand(o);
    o.own_detector = o.source == "scene" && o.blob.empty() && o.models_of.empty();
    if (o.own_detector) o.blob = OwnSceneFolder("a MODEL, made by octet convert") + kDetector;
  };
}

void CheckWhatRuns(const CameraOptions& o) {
  const bool none = o.blob.empty() && o.models_of.empty();
  if (o.blob.empty() == o.models_of.empty() && !(o.looks_only && none)) {
    throw InputError(none ? "no MODEL given; see --help"
                          : "MODEL and " + o.models_of + ": give only one of them");
  }
  if (o.source.empty() && !o.looks_only) {
    throw InputError(
        "no --source given; give scene, a folder, /dev/videoN, rtsp://..., exec:..., or - for "
        "stdin");
  }
}

}  // namespace octet::port
