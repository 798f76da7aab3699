// --score: mAP against the boxes that the built-in scene knows.
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/score/live_score.h"
#include "ports/linux/scene/garments.h"

namespace octet::port {
namespace {

class ScoreObserver final : public Observer {
 public:
  void Load(const Loaded& loaded) override {
    if (octet_model_task(loaded.model.session()) != OCTET_TASK_DETECT ||
        loaded.model.blob().decode.data == nullptr) {
      throw InputError("--score: " + loaded.path +
                       " is not a detector with a decoder; convert it with --task detect --decode, "
                       "or remove --score");
    }
  }
  void Result(const Outcome& outcome) override { score_.Add(outcome.results, outcome.frame.truth); }
  void AddStatus(Line* line) override { line->Add("  mAP %.2f", score_.MeanAveragePrecision()); }
  void AddSummary(uint64_t, Line* line) override {
    line->Add(",\"map50\":%.3f", score_.MeanAveragePrecision());
  }
  void AddSummaryText(Line* line) override {
    line->Add("; mAP@0.5 %.2f", score_.MeanAveragePrecision());
  }

 private:
  LiveScore score_{Garments::kClassCount};
};

struct ScoreOptions {
  bool on = false;
};

CheckSettings DescribeScore(CommandLine& app, CameraOptions& o) {
  auto& score = o.features.Get<ScoreOptions>();
  app.AddFlag("--score", score.on, "scene: mAP@0.5 against the true boxes").OfCamera();
  return [&o, &score] {
    if (score.on && o.source != "scene") {
      throw InputError("--score: needs known boxes; add --source scene");
    }
  };
}

std::unique_ptr<Observer> MakeScore(const CameraOptions& options, Shared&) {
  return options.features.Get<ScoreOptions>().on ? std::make_unique<ScoreObserver>() : nullptr;
}

}  // namespace

Feature ScoreFeature() {
  return {.describe = DescribeScore, .make = MakeScore};
}

}  // namespace octet::port
