// octet-scene: writes frames of the built-in scene and their boxes, to train, calibrate and score
// detectors with.
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "ports/linux/capture/npy.h"
#include "ports/linux/command_line/command_line.h"
#include "ports/linux/file.h"
#include "ports/linux/output/output_file.h"
#include "ports/linux/output/program.h"
#include "ports/linux/scene/scene.h"
#include "ports/linux/words/numbers.h"

namespace octet::port {
namespace {

struct Options {
  std::string pictures, labels, frames_path, boxes_path, classes_path, size = "320x320";
  uint32_t frames = 1000;
  bool video = false;
  SceneConfig scene;
};

void DescribeOptions(CommandLine& app, Options& o) {
  app.Name("octet-scene", OCTET_VERSION_TEXT);
  app.Add("--pictures", o.pictures, "garments, uint8 [N,28,28,1] (demo/pictures.py)").Required();
  app.Add("--labels", o.labels, "their classes, uint8 [N]").Required();
  app.Add("--output", o.frames_path, "frames, uint8 .npy [frames,H,W,3], RGB");
  app.Add("--boxes", o.boxes_path,
          "boxes, float32 .npy [frames,objects,4]: x0, y0, x1, y1 in pixels");
  app.Add("--classes", o.classes_path, "classes, int8 .npy [frames,objects]; -1: no box");
  app.Add("--frames", o.frames, "how many").Range(1u, 10000000u);
  app.Add("--size", o.size, "WIDTHxHEIGHT");
  app.Add("--objects", o.scene.objects, "number of garments at a time");
  app.Add("--noise", o.scene.noise, "largest noise of a pixel");
  app.Add("--seed", o.scene.seed, "video, or first of the videos");
  app.AddFlag("--video", o.video,
              "the frames of one video in order, instead of one frame from each of many videos");
}

void ParseSize(const std::string& text, SceneConfig* scene) {
  if (!ReadNumbers(text, 'x', {&scene->width, &scene->height}) || scene->width > 9999 ||
      scene->height > 9999) {
    throw InputError("--size " + text + ": not a size; write it as 640x480");
  }
}

// Without a path it writes nothing.
class Array {
 public:
  Array(const std::string& path, const std::vector<uint64_t>& shape, const char* type) {
    if (path.empty()) return;
    file_.emplace_back(path);
    const std::string header = NpyHeader(shape, type);
    file_.back().Write(header.data(), header.size());
  }
  template <typename T>
  void Write(const std::vector<T>& row) {
    if (!file_.empty()) file_.back().Write(row.data(), row.size() * sizeof(T));
  }
  void Commit() {
    if (!file_.empty()) file_.back().Commit();
  }

 private:
  std::vector<OutputFile> file_;  // none or one
};

// Any frame of a video will do. At this one every lane has had its first garment.
constexpr uint64_t kMoment = 1000;

void WriteScene(const Options& o) {
  const Garments garments(o.pictures, o.labels);
  Scene scene(o.scene, garments);
  const SceneConfig& config = scene.config();
  Array frames(o.frames_path, {o.frames, config.height, config.width, 3}, "|u1");
  Array boxes(o.boxes_path, {o.frames, config.objects, 4}, "<f4");
  Array classes(o.classes_path, {o.frames, config.objects}, "|i1");
  std::vector<uint8_t> rgb(size_t{config.width} * config.height * 3);
  std::vector<float> box_row(size_t{config.objects} * 4);
  std::vector<int8_t> class_row(config.objects);
  for (uint32_t i = 0; i < o.frames; ++i) {
    if (!o.video && i != 0) scene.Reset(o.scene.seed + i);
    const auto found = scene.Render(o.video ? i : kMoment, rgb.data());
    box_row.assign(box_row.size(), 0.0f);
    class_row.assign(class_row.size(), int8_t{-1});
    for (size_t k = 0; k < found.size(); ++k) {
      const SceneBox& box = found[k];
      const int32_t sides[4] = {box.x0, box.y0, box.x1, box.y1};
      for (size_t side = 0; side < 4; ++side) {
        box_row[4 * k + side] = static_cast<float>(sides[side]);
      }
      class_row[k] = static_cast<int8_t>(box.label);
    }
    frames.Write(rgb);
    boxes.Write(box_row);
    classes.Write(class_row);
  }
  frames.Commit();
  boxes.Commit();
  classes.Commit();
}

int Main(int argc, char** argv) {
  CommandLine app("Writes frames of the built-in scene and the boxes in them");
  Options o;
  DescribeOptions(app, o);
  if (const std::optional<int> status = app.Parse(argc, argv)) return *status;
  ParseSize(o.size, &o.scene);
  if (o.frames_path.empty() && o.boxes_path.empty() && o.classes_path.empty()) {
    throw InputError("nothing to write; give --output, --boxes or --classes");
  }
  for (const std::string& output : {o.frames_path, o.boxes_path, o.classes_path}) {
    std::error_code none;
    if (output.empty() || (!std::filesystem::equivalent(output, o.pictures, none) &&
                           !std::filesystem::equivalent(output, o.labels, none))) {
      continue;
    }
    throw InputError(output + ": this command reads that file and would replace it; name another");
  }
  WriteScene(o);
  return 0;
}

}  // namespace
}  // namespace octet::port

int main(int argc, char** argv) {
  return octet::port::RunProgram("octet-scene", [&] { return octet::port::Main(argc, argv); });
}
