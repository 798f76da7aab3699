#include "ports/linux/camera/program/loop.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ports/linux/board.h"
#include "ports/linux/camera/program/emitter.h"
#include "ports/linux/camera/program/observers.h"
#include "ports/linux/camera/program/printer.h"
#include "ports/linux/camera/program/scheduling.h"
#include "ports/linux/camera/program/service.h"
#include "ports/linux/camera/program/settings_follower.h"
#include "ports/linux/camera/program/tally.h"
#include "ports/linux/capture/disturb.h"
#include "ports/linux/capture/mailbox.h"
#include "ports/linux/wall_clock.h"

namespace octet::port {
namespace {

constexpr uint64_t kSettledFrames = 1000;  // memory is compared with that after so many

// Without a store: the file that the command line names.
class NamedFile final : public ModelSource {
 public:
  explicit NamedFile(const std::string& path) : path_(path) {}
  const std::string& Path() const override { return path_; }

 private:
  const std::string& path_;
};

std::unique_ptr<Source> Open(const CameraOptions& options, std::unique_ptr<Garments>* garments) {
  std::unique_ptr<Source> source = OpenSource(options, garments);
  if (options.disturb.empty()) return source;
  return DisturbedSource(std::move(source), ReadDisturbances(options.disturb));
}

// Captures on a thread of its own; here it takes the newest frame, runs the model on it and emits
// the result. All else is observers'. Nothing on this thread waits for a disk, a lock, a reader or
// another program, but a change of the model.
class Loop {
 public:
  explicit Loop(const CameraSettings& settings)
      : settings_(settings),
        scheduling_(options_.cpus, options_.priority),
        source_(Open(options_, &garments_)),
        shared_(stop_, options_.thermal_root, options_.every_frame || source_->waits(),
                [this] { scheduling_.Restore(); }),
        file_(options_.blob),
        emitter_(STDOUT_FILENO, STDERR_FILENO, shared_.waits, kLineBytes,
                 [this] { scheduling_.Restore(); }),
        printer_(options_.json, emitter_, stop_, observers_),
        follower_(shared_.storage) {
    shared_.emitter = &emitter_;
    for (const Feature& feature : Features()) {
      std::unique_ptr<Observer> observer = feature.make(options_, shared_);
      if (observer == nullptr) continue;
      if (auto* models = dynamic_cast<ModelSource*>(observer.get())) {
        models_ = models;
        chooser_ = observer.get();
      }
      wants_json_ = wants_json_ || observer->WantsJson();
      shared_.hook.observers.push_back(observer.get());
      observers_.push_back(std::move(observer));
    }
    if (!models_->WaitsForFrame()) Begin();
  }

  int Run() {
    const uint64_t started = NowNs();
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
    } catch (...) {
      Finish(&capture, false);
      throw;
    }
    const bool interrupted = stop_.raised();
    Finish(&capture, true);
    SayNews();
    emitter_.Drain(stop_);
    if (options_.json || tally_.processed != 0) {
      printer_.Summarise(NowNs() - started, tally_,
                         {mailbox_.published(), mailbox_.dropped(), mailbox_.longest_gap_ns()},
                         models_ != &file_ || tally_.changes != 0);
    }
    std::string error = mailbox_.error();
    if (error.empty() && !interrupted && mailbox_.published() == 0) {
      error = "the source ended before its first frame; check that its sender runs";
    }
    if (error.empty()) return 0;
    SayAtTheEnd(error);
    return 2;
  }

 private:
  // The first model, before the first frame or, where that counts a trial, with it.
  void Begin() {
    models_->Choose();
    LoadWanted();
    if (model_->blob().decode.data == nullptr) {
      emitter_.Say(
          path_ +
          " has no decoder, so only times are printed; convert the model with --task and --decode");
    }
    stop_.ObeySignals();
    BlobDescription description;
    const Loaded loaded{*model_, path_, description};
    for (const auto& observer : observers_) observer->Start(loaded);
  }

  void Finish(std::thread* capture, bool clean) {
    service_.Stopping();
    stop_.Raise();
    mailbox_.Leave();
    capture->join();
    for (const auto& observer : observers_) observer->Finish(clean);
    stop_.LeaveSignals();  // what is left to print may be ended by another
  }

  void SayAtTheEnd(const std::string& error) {
    Line line(error.size() + 64);
    line.Add("octet-camera: %s\n", error.c_str());
    emitter_.Last(line, true);
  }

  void Load(const std::string& path) {
    ModelOptions wanted = options_.model;
    if (wanted.all_plans || std::any_of(observers_.begin(), observers_.end(),
                                        [](const auto& one) { return one->WantsLayers(); })) {
      wanted.before_layer = LayerHook::BeforeLayer;
      wanted.before_layer_context = &shared_.hook;
    }
    path_ = path;
    model_.emplace(path, wanted);
    models_->Check(*model_);
    if (options_.board) RequireAllowed(*options_.board, *model_, path);
    if (model_->blob().model->input_count != 1 || model_->blob().inputs[0].is_image == 0) {
      throw InputError(path +
                       ": its input does not take pictures; octet-camera needs one picture input");
    }
    model_->Bind();
    results_.emplace(*model_);
    BlobDescription description;
    const Loaded loaded{*model_, path_, description};
    for (const auto& observer : observers_) observer->Load(loaded);
    emitter_.Reserve(results_->LineBytes());
    printer_.Reserve(results_->LineBytes());
    SayNews();
  }

  // Of a store the model before, where one on trial cannot even be loaded.
  void LoadWanted() {
    for (;;) {
      try {
        return Load(models_->Path());
      } catch (const InputError& error) {
        Unload();
        if (!models_->Failed(error.what())) throw;
      }
    }
  }

  void Unload() {
    SayNewsOfModels();
    for (const auto& observer : observers_) observer->Unload();
    results_.reset();
    model_.reset();
  }

  // Between two frames: another model in place of this one. The old one goes first, for a board may
  // not have room for both; frames that come meanwhile are replaced by newer ones, as ever.
  void FollowModels() {
    const uint64_t begun = NowNs();
    const bool another = models_->Follow(begun);
    SayNewsOfModels();
    if (!another) return;
    Unload();
    LoadWanted();
    CountChange(begun);
  }

  // Between two frames: what a changed settings file says. A model that cannot be loaded with it
  // leaves all as it was.
  void FollowSettings() {
    if (settings_.file().empty()) return;
    const uint64_t begun = NowNs();
    std::string news;
    const auto reread = follower_.Follow(settings_, begun, &news);
    if (reread) {
      const CameraSettings before = std::exchange(settings_, reread->settings);
      news = reread->Told();
      if (reread->load_model) {
        Unload();
        try {
          Load(models_->Path());
        } catch (const InputError& error) {
          Unload();
          settings_ = before;
          news = settings_.file() + ": " + error.what() + "; the previous settings stay in force";
          LoadWanted();
        }
        CountChange(begun);
      }
    }
    emitter_.Say(news);
  }

  void CountChange(uint64_t begun_ns) {
    ++tally_.changes;
    tally_.longest_change_ns = std::max(tally_.longest_change_ns, NowNs() - begun_ns);
    changed_ = true;
  }

  // The others are asked once for each call that may bring news.
  void SayNewsOfModels() {
    if (chooser_ != nullptr) emitter_.Say(chooser_->News());
  }

  void SayNews() {
    for (const auto& observer : observers_) emitter_.Say(observer->News());
  }

  // False where nobody reads the results any more.
  bool Process(const FrameBuffer& frame) {
    const uint64_t taken = NowNs();
    changed_ = false;
    FollowModels();
    FollowSettings();
    shared_.metrics.SetFrameTime(frame.captured_ns);
    for (const auto& observer : observers_) {
      if (observer->Wants(frame)) continue;
      shared_.metrics.CountSkipped();
      return true;
    }
    octet_session* const session = model_->session();
    const uint64_t begun = NowNs();
    const octet_frame view = frame.View();
    const octet_status set = octet_set_input_frame(session, 0, &view);
    if (set.code != OCTET_OK) {
      throw InputError(std::string("a frame of ") + std::to_string(frame.width) + "x" +
                       std::to_string(frame.height) + " does not fit the model: " +
                       octet_code_name(set.code) + "; send larger or smaller frames");
    }
    const bool ran = octet_run(session).code == OCTET_OK;
    for (const auto& observer : observers_) observer->AfterRun(session);
    const Results& results = results_->Read(session, frame.width, frame.height);
    const uint64_t done = NowNs();
    Count(frame, begun, done);
    Outcome outcome{frame,
                    results,
                    session,
                    ran,
                    begun,
                    done,
                    tally_.processed,
                    mailbox_.dropped(),
                    emitter_.dropped()};
    const bool read = Emit(&outcome);
    // Last, for a run of their own takes time and the tensors.
    for (const auto& observer : observers_) observer->AfterFrame(outcome);
    SayNews();
    const uint64_t now = NowNs();
    const uint64_t pause_ns = (begun - taken) + (now - done);
    if (!changed_) tally_.longest_pause_ns = std::max(tally_.longest_pause_ns, pause_ns);
    return read;
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
    FrameReport report = {frame.number,
                          WallSecondsAt(frame.captured_ns),
                          static_cast<double>(outcome->done_ns - frame.captured_ns) / 1e6,
                          static_cast<double>(outcome->run_ns()) / 1e6,
                          octet_plan_name(outcome->session, octet_plan(outcome->session)),
                          outcome->dropped,
                          frame.name.c_str()};
    for (const auto& observer : observers_) observer->AddFields(outcome->done_ns, &report);
    if (options_.json || wants_json_) outcome->json = &printer_.Json(report, *outcome);
    for (const auto& observer : observers_) observer->Result(*outcome);
    return printer_.Print(report, *outcome, outcome->json);
  }

  CameraSettings settings_;
  const CameraOptions& options_ = settings_.options();
  StopRequest stop_;
  Scheduling scheduling_;  // before the model's threads, which inherit it
  std::unique_ptr<Garments> garments_;
  std::unique_ptr<Source> source_;
  Shared shared_;
  NamedFile file_;
  ModelSource* models_ = &file_;
  Observer* chooser_ = nullptr;  // models_, where it is an observer too
  std::string path_;             // of the blob that is loaded
  std::optional<Model> model_;   // another one in its place where models_ say so
  std::optional<ResultReader> results_;
  Emitter emitter_;
  std::vector<std::unique_ptr<Observer>> observers_;
  Printer printer_;
  SettingsFollower follower_;
  bool wants_json_ = false, changed_ = false;
  Service service_;
  Mailbox mailbox_;
  Tally tally_;
};

}  // namespace

int RunCamera(const CameraSettings& settings) {
  Loop loop(settings);
  return loop.Run();
}

}  // namespace octet::port
