#include "ports/linux/camera/program/loop.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ports/linux/camera/program/camera.h"
#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/open_source.h"
#include "ports/linux/camera/program/scheduling.h"
#include "ports/linux/camera/program/settings_follower.h"
#include "ports/linux/camera/program/turns.h"
#include "ports/linux/capture/disturb.h"
#include "ports/linux/whitelist.h"

namespace octet::port {
namespace {

std::unique_ptr<Source> Open(const NamedCamera& camera) {
  const CameraOptions& options = camera.options;
  try {
    std::unique_ptr<Source> source = OpenSource(options, camera.name);
    if (options.disturb.empty()) return source;
    return DisturbedSource(std::move(source), ReadDisturbances(options.disturb));
  } catch (const InputError& error) {
    if (camera.name.empty()) throw;
    throw InputError(camera.name + ": " + error.what());
  }
}

std::vector<std::unique_ptr<Source>> OpenAll(const CameraSettings& settings) {
  std::vector<std::unique_ptr<Source>> sources;
  for (const NamedCamera& camera : settings.cameras()) sources.push_back(Open(camera));
  return sources;
}

bool AllWait(const CameraSettings& settings, const std::vector<std::unique_ptr<Source>>& sources) {
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!settings.cameras()[i].options.every_frame && !sources[i]->waits()) return false;
  }
  return true;
}

std::vector<double> BudgetsOf(const CameraSettings& settings) {
  std::vector<double> budgets;
  for (const NamedCamera& camera : settings.cameras()) budgets.push_back(camera.options.budget);
  return budgets;
}

// While no frame comes: the pace of words to systemd, and of looks at the settings.
constexpr uint64_t kIdleNs = 500'000'000;

// Whether the file has the same blob: the headers are equal, and they hold the hashes of all
// sections.
bool IsBlobAt(const std::string& path, const BlobFile& blob) {
  const BlobFile file(path, BlobStorage::kOwned);
  return file.bytes() >= sizeof(blob::Header) && file.Load(0, sizeof(blob::Header)) &&
         std::memcmp(file.data(), blob.data(), sizeof(blob::Header)) == 0;
}

// Each camera captures on a thread of its own; here the cameras take turns: the newest frame of
// one runs and its result is emitted. Observers do all else. This thread waits for a disk, a lock,
// a reader or another program only during a change of the model.
class Loop {
 public:
  Loop(const CameraSettings& settings, const std::vector<Feature>& features)
      : settings_(settings),
        scheduling_(options().cpus, options().priority),
        sources_(OpenAll(settings)),
        program_(stop_, options().thermal_root, AllWait(settings, sources_),
                 [this] { scheduling_.Restore(); }),
        emitter_(STDOUT_FILENO, STDERR_FILENO, program_.waits, kLineBytes,
                 [this] { scheduling_.Restore(); }),
        follower_(program_.storage),
        turns_(BudgetsOf(settings)),
        has_frame_(sources_.size()) {
    program_.emitter = &emitter_;
    AddFeatureMetrics(&program_.metrics);
    for (size_t i = 0; i < sources_.size(); ++i) {
      cameras_.push_back(
          std::make_unique<Camera>(settings_, i, std::move(sources_[i]), program_, &bell_));
    }
    for (const Feature& feature : features) Add(feature);
    if (!models_) models_ = ModelOfFile(options());
    if (!models_->WaitsForFrame()) Begin();
  }

  int Run() {
    const uint64_t started = NowNs();
    ObeySignals();
    for (const auto& camera : cameras_) camera->StartCapture([this] { scheduling_.Restore(); });
    try {
      while (!stop_.raised()) {
        Camera* const camera = NextTurn();
        if (camera == nullptr || !TakeTurn(camera)) break;
        if (options().frames != 0 && processed_ >= options().frames) break;
      }
      if (!stop_.raised()) emitter_.Drain(stop_);
    } catch (const InputError&) {
      // An error of a port, a file or the output is not a fault of the model.
      Finish(std::none_of(cameras_.begin(), cameras_.end(),
                          [](const auto& camera) { return camera->is_misfit(); }));
      throw;
    } catch (...) {
      Finish(false);
      throw;
    }
    const bool interrupted = stop_.raised();
    Finish(true);
    emitter_.Drain(stop_);
    changes_.told = models_->Changes();
    for (const auto& camera : cameras_) camera->Summarise(NowNs() - started, changes_);
    return SayProblems(interrupted) ? 2 : 0;
  }

 private:
  // Those that are the same for all cameras.
  const CameraOptions& options() const { return settings_.options(); }

  void Add(const Feature& feature) {
    if (feature.make_models != nullptr && !models_) {
      models_ = feature.make_models(options(), program_);
      if (models_) AddForAll(models_->observer());
    }
    if (feature.make_for_all != nullptr) {
      if (std::unique_ptr<Observer> observer = feature.make_for_all(options(), program_)) {
        AddForAll(observer.get());
        owned_.push_back(std::move(observer));
      }
    }
    if (feature.make == nullptr) return;
    for (const auto& camera : cameras_) {
      if (auto observer = feature.make(camera->options(), camera->shared())) {
        camera->Add(std::move(observer));
      }
    }
  }

  void AddForAll(Observer* observer) {
    if (observer == nullptr) return;
    of_all_.push_back(observer);
    for (const auto& camera : cameras_) camera->Add(observer);
  }

  // Waits for a frame of a camera whose turn it is. Null: there will be none.
  Camera* NextTurn() {
    for (;;) {
      const uint64_t rings = bell_.rings();
      bool goes_on = false;
      for (size_t i = 0; i < cameras_.size(); ++i) {
        const Mailbox::State state = cameras_[i]->mailbox().state();
        has_frame_[i] = state == Mailbox::State::kFrame;
        goes_on = goes_on || state != Mailbox::State::kEnd;
      }
      const Turns::Next next = turns_.Choose(has_frame_, NowNs());
      if (next.camera) return cameras_[*next.camera].get();
      if (!goes_on || stop_.raised()) return nullptr;
      if (AllAreAway()) {
        program_.service.Alive(NowNs());
        // A model of a store waits for a frame, as its trial does.
        if (is_loaded()) FollowSettings();
      }
      bell_.Wait(rings, std::min(next.again_ns, HasLasting() ? NowNs() + kIdleNs : UINT64_MAX));
    }
  }

  // No frame can come now, and none is missed: a state that is known, and no hang.
  bool AllAreAway() const {
    return std::all_of(cameras_.begin(), cameras_.end(),
                       [](const auto& camera) { return camera->is_away(); });
  }
  // Whether a camera comes back when it was away.
  bool HasLasting() const {
    return std::any_of(cameras_.begin(), cameras_.end(),
                       [](const auto& camera) { return camera->health() != nullptr; });
  }

  // Loads the first model: before the first frame, or with it if loading counts a trial.
  void Begin() {
    ObeySignals();  // so that a counted boot can be taken back
    models_->Choose();
    LoadWanted();
    if (FirstModel().blob().decode.data == nullptr) {
      emitter_.Say(
          path_ +
          " has no decoder, so only times are printed; convert the model with --task and --decode");
    }
    for (const auto& camera : cameras_) camera->Start(path_);
    for (Observer* observer : of_all_) observer->Start(Now());
  }

  void Finish(bool clean) {
    program_.service.Stopping();
    stop_.Raise();
    for (const auto& camera : cameras_) camera->Leave();
    for (const auto& camera : cameras_) camera->Finish(clean);
    for (Observer* observer : of_all_) observer->Finish(clean);
    stop_.LeaveSignals();  // what is left to print may be ended by another
  }

  // False: all is well.
  bool SayProblems(bool interrupted) {
    std::vector<std::string> problems;
    for (const auto& camera : cameras_) problems.push_back(camera->Problem(interrupted));
    std::erase(problems, "");
    if (problems.empty() && emitter_.error() != 0) {
      problems.push_back("output cannot be written: " + ErrorText(emitter_.error()) +
                         "; the last lines did not arrive");
    }
    for (const std::string& problem : problems) {
      Line line(problem.size() + 64);
      line.Add("octet-camera: %s\n", problem.c_str());
      emitter_.Last(line, true);
    }
    return !problems.empty();
  }

  // Without a settings file nothing can be read again, and SIGHUP ends the program.
  void ObeySignals() { stop_.ObeySignals(settings_.file().empty()); }

  bool is_loaded() const { return cameras_.front()->model() != nullptr; }
  const Model& FirstModel() const { return *cameras_.front()->model(); }
  Loaded Now() const { return cameras_.front()->Now(path_); }

  // Reads and verifies the model that models_ names, while the running model stays. With the digest
  // of the running one it is made from the bytes in memory.
  std::unique_ptr<Model> Read() {
    const std::string& path = models_->Path();
    const uint8_t* const digest = models_->Digest();
    const auto is_it = [&](const BlobFile& file) {
      const auto* header = reinterpret_cast<const blob::Header*>(file.data());
      return digest == nullptr ||
             std::equal(digest, digest + sizeof(header->sha256), header->sha256);
    };
    const ModelOptions wanted = cameras_.front()->WantedOptions();
    std::unique_ptr<Model> model;
    const bool is_kept = kept_ != nullptr && kept_->file.storage() == wanted.storage;
    if (is_kept && (digest != nullptr ? is_it(kept_->file) : IsBlobAt(path, kept_->file))) {
      model = std::make_unique<Model>(kept_, wanted);
    } else {
      model = std::make_unique<Model>(path, wanted);
    }
    if (!is_it(model->loaded()->file)) {
      throw InputError(path + ": changed after it was checked; stage the model again");
    }
    if (options().board) RequireAllowed(*options().board, *model, path);
    if (model->blob().model->input_count != 1 || model->blob().inputs[0].is_image == 0) {
      throw InputError(path +
                       ": its input does not take pictures; octet-camera needs one picture input");
    }
    return model;
  }

  // Replaces the running model: of each camera its session, all of one blob and one set of threads.
  // The old blob stays in memory until the new model is bound. Throws InputError; then no model
  // runs.
  void Put(std::unique_ptr<Model> model) {
    Unload();
    try {
      path_ = models_->Path();
      const std::shared_ptr<LoadedBlob> blob = model->loaded();
      const std::shared_ptr<ThreadPool> pool = model->pool();
      for (const auto& camera : cameras_) {
        if (model == nullptr) {
          model = std::make_unique<Model>(blob, camera->WantedOptions(pool));
        }
        camera->Put(std::move(model), path_);
      }
      for (Observer* observer : of_all_) observer->Load(Now());
      kept_ = blob;
    } catch (const InputError&) {
      Unload();
      throw;
    }
    uint32_t resident = 0;
    for (const auto& camera : cameras_) resident |= octet_resident_plans(camera->session());
    cameras_.front()->Trim(resident);
  }

  // If a model on trial cannot be loaded, a store names the model before.
  void LoadWanted() {
    for (;;) {
      try {
        return Put(Read());
      } catch (const InputError& error) {
        if (!models_->Failed(error.what())) throw;
      }
    }
  }

  void Unload() {
    if (!is_loaded()) return;
    for (Observer* observer : of_all_) observer->Unload();
    for (const auto& camera : cameras_) camera->Unload();
  }

  // Between two frames: changes to another model, which is read and verified first. Newer frames
  // replace those that come meanwhile.
  void FollowModels() {
    const uint64_t begun = NowNs();
    if (!models_->Follow(begun)) return;
    LoadWanted();
    CountChange(begun);
  }

  // Between two frames: takes the changed settings file. If the model cannot be loaded with it, all
  // stays as it was.
  void FollowSettings() {
    if (settings_.file().empty()) return;
    const uint64_t begun = NowNs();
    std::string news;
    const auto reread = follower_.Follow(settings_, begun, &news);
    if (reread) {
      const CameraSettings before = std::exchange(settings_, reread->settings);
      models_->Reload(options());
      const Model* const running = cameras_.front()->model();
      news = reread->Told();
      try {
        if (reread->load_model) Put(Read());
      } catch (const InputError& error) {
        settings_ = before;
        models_->Reload(options());
        news = settings_.file() + ": " + error.what() + "; the previous settings stay in force";
        // The model before, from the bytes that are still in memory.
        if (!is_loaded()) {
          Put(std::make_unique<Model>(kept_, cameras_.front()->WantedOptions()));
        }
      }
      if (cameras_.front()->model() != running) CountChange(begun);
    }
    emitter_.Say(news);
  }

  void CountChange(uint64_t begun_ns) {
    ++changes_.count;
    changes_.longest_ns = std::max(changes_.longest_ns, NowNs() - begun_ns);
    changed_ = true;
  }

  // The newest frame of the camera. False if the reader of the results has gone.
  bool TakeTurn(Camera* camera) {
    const FrameBuffer& frame = *camera->mailbox().Take();
    if (!is_loaded()) Begin();
    const uint64_t taken = NowNs();
    changed_ = false;
    FollowModels();
    FollowSettings();
    const uint64_t begun = NowNs();
    const bool read = camera->Process(frame, taken, changed_);
    turns_.Ran(camera->index(), begun, NowNs());
    if (camera->has_run()) ++processed_;
    return read;
  }

  CameraSettings settings_;
  StopRequest stop_;
  Scheduling scheduling_;                         // before the model's threads, which inherit it
  std::vector<std::unique_ptr<Source>> sources_;  // until the cameras have them
  Program program_;
  std::unique_ptr<ModelSource> models_;
  std::string path_;                  // of the blob that is loaded
  std::shared_ptr<LoadedBlob> kept_;  // it, also while there is no model
  Emitter emitter_;
  Bell bell_;
  std::vector<std::unique_ptr<Camera>> cameras_;  // never empty
  std::vector<std::unique_ptr<Observer>> owned_;  // of all cameras, which may look at sessions
  std::vector<Observer*> of_all_;                 // owned_, and that of models_
  SettingsFollower follower_;
  Turns turns_;
  std::vector<bool> has_frame_;  // of each camera
  Changes changes_;
  bool changed_ = false;
  uint64_t processed_ = 0;
};

}  // namespace

int RunCamera(const CameraSettings& settings, const std::vector<Feature>& features) {
  Loop loop(settings, features);
  return loop.Run();
}

}  // namespace octet::port
