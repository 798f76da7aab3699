#include "ports/linux/camera/program/loop.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "octet/state.h"
#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/open_source.h"
#include "ports/linux/camera/program/printer.h"
#include "ports/linux/camera/program/scheduling.h"
#include "ports/linux/camera/program/service.h"
#include "ports/linux/camera/program/settings_follower.h"
#include "ports/linux/camera/program/tally.h"
#include "ports/linux/capture/disturb.h"
#include "ports/linux/capture/mailbox.h"
#include "ports/linux/wall_clock.h"
#include "ports/linux/whitelist.h"

namespace octet::port {
namespace {

constexpr uint64_t kSettledFrames = 1000;  // the summary compares memory with that after this many

std::unique_ptr<Source> Open(const CameraOptions& options) {
  std::unique_ptr<Source> source = OpenSource(options);
  if (options.disturb.empty()) return source;
  return DisturbedSource(std::move(source), ReadDisturbances(options.disturb));
}

// Whether the file has the same blob: the headers are equal, and they hold the hashes of all
// sections.
bool IsBlobAt(const std::string& path, const BlobFile& blob) {
  const BlobFile file(path, BlobStorage::kOwned);
  return file.bytes() >= sizeof(blob::Header) && file.Load(0, sizeof(blob::Header)) &&
         std::memcmp(file.data(), blob.data(), sizeof(blob::Header)) == 0;
}

// Captures on a thread of its own; here it takes the newest frame, runs the model on it and emits
// the result. Observers do all else. This thread waits for a disk, a lock, a reader or another
// program only during a change of the model.
class Loop {
 public:
  Loop(const CameraSettings& settings, const std::vector<Feature>& features)
      : settings_(settings),
        scheduling_(options_.cpus, options_.priority),
        source_(Open(options_)),
        shared_(stop_, options_.thermal_root, options_.every_frame || source_->waits(),
                [this] { scheduling_.Restore(); }),
        emitter_(STDOUT_FILENO, STDERR_FILENO, shared_.waits, kLineBytes,
                 [this] { scheduling_.Restore(); }),
        printer_(emitter_, stop_, observers_),
        follower_(shared_.storage) {
    shared_.emitter = &emitter_;
    AddFeatureMetrics(&shared_.metrics);
    for (const Feature& feature : features) {
      if (feature.make_models != nullptr && !models_) {
        models_ = feature.make_models(options_, shared_);
        if (models_) Take(models_->observer());
      }
      if (feature.make == nullptr) continue;
      if (std::unique_ptr<Observer> observer = feature.make(options_, shared_)) {
        Take(observer.get());
        owned_.push_back(std::move(observer));
      }
    }
    if (!models_) models_ = ModelOfFile(options_);
    if (!models_->WaitsForFrame()) Begin();
  }

  int Run() {
    const uint64_t started = NowNs();
    ObeySignals();
    std::thread capture([this, every_frame = options_.every_frame] {
      scheduling_.Restore();
      Capture(source_.get(), &mailbox_, stop_, every_frame);
    });
    try {
      while (!stop_.raised()) {
        const FrameBuffer* frame = mailbox_.Take();
        if (frame == nullptr) break;
        if (!model_) Begin();
        if (!Process(*frame)) break;
        if (options_.frames != 0 && tally_.processed >= options_.frames) break;
      }
      if (!stop_.raised()) emitter_.Drain(stop_);
    } catch (const InputError&) {
      // An error of a port, a file or the output is not a fault of the model.
      Finish(&capture, !is_misfit_);
      throw;
    } catch (...) {
      Finish(&capture, false);
      throw;
    }
    const bool interrupted = stop_.raised();
    Finish(&capture, true);
    emitter_.Drain(stop_);
    if (options_.json || tally_.processed != 0) {
      printer_.Summarise(NowNs() - started, tally_,
                         {mailbox_.published(), mailbox_.dropped(), mailbox_.longest_gap_ns()},
                         options_.json, models_->Changes() || tally_.changes != 0);
    }
    std::string error = mailbox_.error();
    if (error.empty() && !interrupted && mailbox_.published() == 0) {
      error = "the source ended before its first frame; check that its sender runs";
    }
    if (error.empty() && emitter_.error() != 0) {
      error = "output cannot be written: " + ErrorText(emitter_.error()) +
              "; the last lines did not arrive";
    }
    if (error.empty()) return 0;
    SayAtTheEnd(error);
    return 2;
  }

 private:
  void Take(Observer* observer) {
    if (observer == nullptr) return;
    wants_json_ = wants_json_ || observer->WantsJson();
    observers_.push_back(observer);
  }

  // Loads the first model: before the first frame, or with it if loading counts a trial.
  void Begin() {
    ObeySignals();  // so that a counted boot can be taken back
    models_->Choose();
    LoadWanted();
    if (model_->blob().decode.data == nullptr) {
      emitter_.Say(
          path_ +
          " has no decoder, so only times are printed; convert the model with --task and --decode");
    }
    const Loaded loaded{*model_, path_, options_};
    for (Observer* observer : observers_) observer->Start(loaded);
  }

  void Finish(std::thread* capture, bool clean) {
    service_.Stopping();
    stop_.Raise();
    mailbox_.Leave();
    capture->join();
    for (Observer* observer : observers_) observer->Finish(clean);
    stop_.LeaveSignals();  // what is left to print may be ended by another
  }

  void SayAtTheEnd(const std::string& error) {
    Line line(error.size() + 64);
    line.Add("octet-camera: %s\n", error.c_str());
    emitter_.Last(line, true);
  }

  // Without a settings file nothing can be read again, and SIGHUP ends the program.
  void ObeySignals() { stop_.ObeySignals(settings_.file().empty()); }

  ModelOptions WantedOptions() {
    ModelOptions wanted = options_.model;
    if (wanted.all_plans) {
      wanted.before_layer = LayerHook::BeforeLayer;
      wanted.before_layer_context = &shared_.hook;
    }
    return wanted;
  }

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
    std::unique_ptr<Model> model;
    const bool is_kept = kept_ != nullptr && kept_->file.storage() == options_.model.storage;
    if (is_kept && (digest != nullptr ? is_it(kept_->file) : IsBlobAt(path, kept_->file))) {
      model = std::make_unique<Model>(kept_, WantedOptions());
    } else {
      model = std::make_unique<Model>(path, WantedOptions());
    }
    if (!is_it(model->loaded()->file)) {
      throw InputError(path + ": changed after it was checked; stage the model again");
    }
    if (options_.board) RequireAllowed(*options_.board, *model, path);
    if (model->blob().model->input_count != 1 || model->blob().inputs[0].is_image == 0) {
      throw InputError(path +
                       ": its input does not take pictures; octet-camera needs one picture input");
    }
    return model;
  }

  // Replaces the running model. The old blob stays in memory until the new model is bound. Throws
  // InputError; then no model runs.
  void Put(std::unique_ptr<Model> model) {
    Unload();
    try {
      path_ = models_->Path();
      model_ = std::move(model);
      model_->Bind(Model::Unused::kKept);
      float least_score = kNoWeakBoxes;
      for (const Observer* observer : observers_) {
        least_score = std::min(least_score, observer->LeastScore());
      }
      results_.emplace(*model_, least_score);
      const Loaded loaded{*model_, path_, options_};
      for (Observer* observer : observers_) observer->Load(loaded);
    } catch (const InputError&) {
      Unload();
      throw;
    }
    emitter_.Reserve(results_->LineBytes());
    printer_.Reserve(results_->LineBytes());
    kept_ = model_->loaded();
    model_->Trim();
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
    if (model_ == nullptr) return;
    for (Observer* observer : observers_) observer->Unload();
    results_.reset();
    model_.reset();
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
      models_->Reload(options_);
      const Model* const running = model_.get();
      news = reread->Told();
      try {
        if (reread->load_model) Put(Read());
      } catch (const InputError& error) {
        settings_ = before;
        models_->Reload(options_);
        news = settings_.file() + ": " + error.what() + "; the previous settings stay in force";
        // The model before, from the bytes that are still in memory.
        if (model_ == nullptr) Put(std::make_unique<Model>(kept_, WantedOptions()));
      }
      if (model_.get() != running) CountChange(begun);
    }
    emitter_.Say(news);
  }

  void CountChange(uint64_t begun_ns) {
    ++tally_.changes;
    tally_.longest_change_ns = std::max(tally_.longest_change_ns, NowNs() - begun_ns);
    changed_ = true;
  }

  // False if the reader of the results has gone.
  bool Process(const FrameBuffer& frame) {
    const uint64_t taken = NowNs();
    changed_ = false;
    FollowModels();
    FollowSettings();
    shared_.metrics.SetFrameTime(frame.captured_ns);
    for (Observer* observer : observers_) {
      if (observer->Wants(frame)) continue;
      shared_.metrics.CountSkipped();
      return true;
    }
    octet_session* const session = model_->session();
    const uint64_t begun = NowNs();
    const octet_frame view = frame.View();
    const octet_status set = octet_set_input_frame(session, 0, &view);
    if (set.code != OCTET_OK) {
      is_misfit_ = true;
      throw InputError(std::string("a frame of ") + std::to_string(frame.width) + "x" +
                       std::to_string(frame.height) + " does not fit the model: " +
                       octet_code_name(set.code) + "; send larger or smaller frames");
    }
    ResetBehindGap(frame, session);
    octet_run(session);  // cannot fail: no hook of ours stops it
    for (Observer* observer : observers_) observer->AfterRun(session);
    Results& results = results_->Read(session, frame.width, frame.height);
    for (Observer* observer : observers_) observer->Track(frame, &results);
    const uint64_t done = NowNs();
    Count(frame, begun, done);
    Outcome outcome{frame,
                    results,
                    session,
                    begun,
                    done,
                    tally_.processed,
                    mailbox_.dropped(),
                    emitter_.dropped()};
    const bool read = Emit(&outcome);
    // Last, because their own runs take time and change the tensors.
    for (Observer* observer : observers_) observer->Judge(outcome, &outcome.verdict);
    for (Observer* observer : observers_) observer->AfterFrame(outcome);
    const uint64_t now = NowNs();
    const uint64_t pause_ns = (begun - taken) + (now - done);
    if (!changed_) tally_.longest_pause_ns = std::max(tally_.longest_pause_ns, pause_ns);
    return read;
  }

  // States say what was seen last; behind a gap that is something else.
  void ResetBehindGap(const FrameBuffer& frame, octet_session* session) {
    const uint64_t gap_ns = uint64_t{options_.state_gap_ms} * 1000000;
    const uint64_t before_ns = std::exchange(captured_ns_, frame.captured_ns);
    if (gap_ns == 0 || frame.captured_ns <= before_ns || frame.captured_ns - before_ns <= gap_ns) {
      return;
    }
    if (octet_state_count(session) != 0) octet_reset(session);
  }

  void Count(const FrameBuffer& frame, uint64_t begun, uint64_t done) {
    ++tally_.processed;
    tally_.inference.Add(done - begun);
    tally_.age.Add(done - frame.captured_ns);
    service_.Result(done);
    if (tally_.processed == kSettledFrames) tally_.settled_rss_bytes = ResidentBytes();
  }

  bool Emit(Outcome* outcome) {
    const FrameBuffer& frame = outcome->frame;
    const FrameReport report = {frame.number,
                                WallSecondsAt(frame.captured_ns),
                                static_cast<double>(outcome->done_ns - frame.captured_ns) / 1e6,
                                static_cast<double>(outcome->run_ns()) / 1e6,
                                octet_plan_name(outcome->session, octet_plan(outcome->session)),
                                outcome->dropped,
                                frame.name.c_str()};
    if (options_.json || wants_json_) outcome->json = &printer_.Json(report, *outcome);
    for (Observer* observer : observers_) observer->Result(*outcome);
    return printer_.Print(report, *outcome, options_.json);
  }

  CameraSettings settings_;
  const CameraOptions& options_ = settings_.options();
  StopRequest stop_;
  Scheduling scheduling_;  // before the model's threads, which inherit it
  std::unique_ptr<Source> source_;
  Shared shared_;
  std::unique_ptr<ModelSource> models_;
  std::string path_;                  // of the blob that is loaded
  std::unique_ptr<Model> model_;      // another one in its place where models_ say so
  std::shared_ptr<LoadedBlob> kept_;  // its blob, also while there is no model
  std::optional<ResultReader> results_;
  Emitter emitter_;
  std::vector<std::unique_ptr<Observer>> owned_;
  std::vector<Observer*> observers_;  // owned_, and that of models_
  Printer printer_;
  SettingsFollower follower_;
  bool wants_json_ = false, changed_ = false;
  bool is_misfit_ = false;    // the model takes no such frames
  uint64_t captured_ns_ = 0;  // of the last frame that was run; 0: none
  Service service_;
  Mailbox mailbox_;
  Tally tally_;
};

}  // namespace

int RunCamera(const CameraSettings& settings, const std::vector<Feature>& features) {
  Loop loop(settings, features);
  return loop.Run();
}

}  // namespace octet::port
