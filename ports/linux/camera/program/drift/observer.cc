// --drift, --drift-set: activation ranges follow the scene.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>

#include "ports/linux/camera/program/bundle/bundle.h"
#include "ports/linux/camera/program/check/check.h"
#include "ports/linux/camera/program/drift/drift.h"
#include "ports/linux/camera/program/for_each_model.h"
#include "ports/linux/camera/program/observers.h"

namespace octet::port {
namespace {

struct DriftOptions {
  std::string record;  // its path; empty: no recalibration
  std::string settings;
};

class DriftObserver final : public Observer {
 public:
  explicit DriftObserver(Shared& shared) : shared_(shared) {}

  void Load(const Loaded& loaded) override {
    const auto& options = loaded.options.features.Get<DriftOptions>();
    drift_.Begin(loaded.model, options.record, options.settings, &shared_.hook,
                 &shared_.program.storage, &shared_.program.metrics,
                 &shared_.metrics.Numbers<DriftNumbers>(),
                 [this](std::string_view news) { shared_.Say(news); });
  }
  void Unload() override { drift_.End(); }
  void AfterFrame(const Outcome& outcome) override {
    drift_->AfterFrame(outcome.frame, outcome.done_ns);
  }
  void Finish(bool) override {
    if (drift_.is_on()) drift_->Finish();
  }
  void AddSummary(uint64_t, Line* line) override {
    const CameraDrift::Totals totals = drift_.totals();
    line->Add(
        ",\"drift_frames\":%llu,\"drift_kept\":%llu,\"drift_dropped\":%llu,"
        "\"drift_moved\":%u",
        static_cast<unsigned long long>(totals.frames),
        static_cast<unsigned long long>(totals.kept),
        static_cast<unsigned long long>(totals.dropped), drift_.is_on() ? drift_->moved() : 0);
  }

 private:
  Shared& shared_;
  ForEachModel<CameraDrift> drift_;
};

CheckSettings DescribeDrift(CommandLine& app, CameraOptions& o) {
  auto& drift = o.features.Get<DriftOptions>();
  app.Add("--drift", drift.record,
          "adapt activation ranges to a changing scene; FILE keeps the scales (blob: octet convert "
          "--drift)")
      .OfCamera(Option::Same::kAlone);
  app.Add("--drift-set", drift.settings,
          "of --drift: NAME=VALUE,... of every_s=360, fit_frames=5, judge_frames=5, gain=0.005, "
          "gain_db=0.5")
      .Needs("--drift", " FILE")
      .Reloads(Reload::kWithModel);
  return [&o, &drift] {
    constexpr ModelFeature kScales = {OCTET_WITH_DRIFT, "",
                                      ": has no drift section; convert the model with --drift"};
    o.model.Set(kScales, !drift.record.empty());
    if (!drift.record.empty()) o.model.all_plans = true;
  };
}

std::unique_ptr<Observer> MakeDrift(const CameraOptions& options, Shared& shared) {
  if (options.features.Get<DriftOptions>().record.empty()) return nullptr;
  return std::make_unique<DriftObserver>(shared);
}

void CheckDrift(const CameraOptions& options, Checked* checked) {
  const std::string& record = options.features.Get<DriftOptions>().record;
  if (record.empty()) return;
  const std::string folder = std::filesystem::path(record).parent_path().string();
  checked->Add(Checked::kFolders,
               FolderFinding("folder of --drift", folder.empty() ? "." : folder));
}

// Not the content of the record: ranges of layers do not help a reader.
StoredRecord RecordOfDrift(const CameraOptions& options) {
  const std::string& path = options.features.Get<DriftOptions>().record;
  std::string text = "record of --drift " + path + ": ";
  struct stat info;
  if (path.empty()) {
    text = "no --drift given\n";
  } else if (stat(path.c_str(), &info) != 0) {
    text += std::string(std::strerror(errno)) + "\n";
  } else {
    text += std::to_string(info.st_size) + " bytes, written " +
            std::to_string(std::time(nullptr) - info.st_mtime) + " s ago\n";
  }
  return {StoredRecord::kOfModel, "--drift", text};
}

}  // namespace

Feature DriftFeature() {
  return {.describe = DescribeDrift,
          .make = MakeDrift,
          .check = CheckDrift,
          .checks_each = true,
          .record = RecordOfDrift,
          .add_metrics = [](CameraMetrics* metrics) { metrics->Numbers<DriftNumbers>(); }};
}

}  // namespace octet::port
