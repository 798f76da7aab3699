// --motion: frames in which nothing has moved are not run.
#include <charconv>
#include <cstring>
#include <string>
#include <vector>

#include "octet/motion.h"
#include "ports/linux/camera/program/mask/mask.h"
#include "ports/linux/camera/program/motion/metrics.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

constexpr const char* kEvery = "every=";

struct MotionOptions {
  std::vector<std::string> words;
  bool is_on = false;
  uint32_t longest_ms = 5000;
  Polygons polygons;  // of the words; what --mask paints comes on top
};

class MotionObserver final : public Observer {
 public:
  MotionObserver(const CameraOptions& options, Shared& shared)
      : shared_(shared),
        numbers_(shared.metrics.Numbers<MotionNumbers>()),
        longest_ms_(options.features.Get<MotionOptions>().longest_ms),
        polygons_(options.features.Get<MotionOptions>().polygons),
        // A source that waits gives frames as fast as they are taken: their rate is the option's.
        step_us_(shared.waits && options.fps > 0 ? 1e6 / options.fps : 0) {
    // What is painted follows no light.
    polygons_.insert(polygons_.end(), MasksOf(options).begin(), MasksOf(options).end());
    numbers_.TurnOn();
  }

  Wish Wants(const FrameBuffer& frame) override {
    const octet_frame view = frame.View();
    if (frame.width != width_ || frame.height != height_) Begin(view);
    const uint64_t time_us =
        step_us_ > 0 ? static_cast<uint64_t>(step_us_ * static_cast<double>(frame.number))
                     : frame.captured_ns / 1000;
    octet_motion_answer answer = {};
    answer.size = sizeof(answer);
    // Of a picture that is too small for cells nothing is known: it is run.
    if (motion_ == nullptr ||
        octet_motion_frame(motion_, time_us, &view, &answer).code != OCTET_OK) {
      return Wish::kRun;
    }
    numbers_.SetChanged(static_cast<double>(answer.changed) / 65536);
    if (answer.reason != OCTET_MOTION_STILL) is_owed_ = true;
    // A model on trial is judged by each frame. A frame that heat passed over is still to be run.
    if (is_owed_ || shared_.program.on_trial) return Wish::kRun;
    numbers_.CountStill();
    ++still_;
    return Wish::kStill;
  }
  void AfterRun(octet_session*) override { is_owed_ = false; }
  void AddStatus(Line* line) override {
    line->Add("  still %llu", static_cast<unsigned long long>(still_));
  }
  void AddSummary(uint64_t, Line* line) override {
    line->Add(",\"still\":%llu", static_cast<unsigned long long>(still_));
  }
  void AddSummaryText(Line* line) override {
    line->Add("; %llu frames without motion", static_cast<unsigned long long>(still_));
  }

 private:
  void Begin(const octet_frame& frame) {
    width_ = frame.width;
    height_ = frame.height;
    const std::vector<octet_polygon> views = ViewOf(polygons_);
    octet_motion_config config;
    octet_motion_defaults(&config);
    config.width = width_;
    config.height = height_;
    config.longest_ms = longest_ms_;
    config.polygons = views.data();
    config.polygon_count = static_cast<uint32_t>(views.size());
    const size_t bytes = octet_motion_bytes(&config);
    motion_ = nullptr;
    if (bytes == 0) return;
    memory_.resize((bytes + 7) / 8);
    octet_motion_init(memory_.data(), bytes, &config, &motion_);
  }

  Shared& shared_;
  MotionNumbers& numbers_;
  const uint32_t longest_ms_;
  Polygons polygons_;
  const double step_us_;
  std::vector<uint64_t> memory_;
  octet_motion* motion_ = nullptr;
  uint32_t width_ = 0, height_ = 0;
  bool is_owed_ = false;
  uint64_t still_ = 0;
};

void ReadMotion(MotionOptions* options) {
  std::vector<std::string> polygons;
  options->is_on = !options->words.empty();
  options->longest_ms = 5000;
  for (const std::string& word : options->words) {
    if (word == "on") continue;
    if (word.rfind(kEvery, 0) != 0) {
      polygons.push_back(word);
      continue;
    }
    const char* const number = word.c_str() + std::strlen(kEvery);
    double seconds = 0;
    const auto [rest, error] = std::from_chars(number, word.data() + word.size(), seconds);
    if (error != std::errc() || rest != word.data() + word.size() || !(seconds >= 0.1) ||
        seconds > 3600) {
      throw InputError("--motion " + word + ": expected every= with seconds from 0.1 to 3600");
    }
    options->longest_ms = static_cast<uint32_t>(seconds * 1000);
  }
  options->polygons = ReadPolygons(polygons, "--motion");
}

CheckSettings DescribeMotion(CommandLine& app, CameraOptions& o) {
  auto& motion = o.features.Get<MotionOptions>();
  app.Add(
         "--motion", motion.words,
         "run only frames in which something has moved: 'on', 'every=SECONDS' for the longest time "
         "without a run (default 5), and polygons 'X,Y X,Y X,Y ...' in which motion does not "
         "count; see docs/motion.md")
      .OneEach()
      .OfCamera();
  return [&o, &motion] {
    ReadMotion(&motion);
    if (motion.polygons.size() + MasksOf(o).size() > OCTET_MOST_POLYGONS) {
      throw InputError("--motion: more than " + std::to_string(OCTET_MOST_POLYGONS) +
                       " polygons with those of --mask; merge some of them");
    }
  };
}

std::unique_ptr<Observer> MakeMotion(const CameraOptions& options, Shared& shared) {
  if (!options.features.Get<MotionOptions>().is_on) return nullptr;
  return std::make_unique<MotionObserver>(options, shared);
}

}  // namespace

Feature MotionFeature() {
  return {.describe = DescribeMotion,
          .make = MakeMotion,
          .add_metrics = [](CameraMetrics* metrics) { metrics->Numbers<MotionNumbers>(); }};
}

}  // namespace octet::port
