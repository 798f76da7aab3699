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

// Whether the file there is this blob, which its header tells (it has the hashes of all else).
bool IsBlobAt(const std::string& path, const BlobFile& blob) {
  const BlobFile file(path, BlobStorage::kOwned);
  return file.bytes() >= sizeof(blob::Header) && file.Load(0, sizeof(blob::Header)) &&
         std::memcmp(file.data(), blob.data(), sizeof(blob::Header)) == 0;
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
      if (auto* models = dynamic_cast<ModelSource*>(observer.get())) models_ = models;
      wants_json_ = wants_json_ || observer->WantsJson();
      shared_.hook.observers.push_back(observer.get());
      observers_.push_back(std::move(observer));
    }
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
      // What is wrong with a port, a file or the output says nothing about the model.
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
                         models_ != &file_ || tally_.changes != 0);
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
  // The first model, before the first frame or, where that counts a trial, with it.
  void Begin() {
    ObeySignals();  // a boot that is counted has to be taken back
    models_->Choose();
    LoadWanted();
    if (model_->blob().decode.data == nullptr) {
      emitter_.Say(
          path_ +
          " has no decoder, so only times are printed; convert the model with --task and --decode");
    }
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

  // The model that models_ name, read and verified while the one that runs runs on. Where it has
  // the digest of that one, it is made of the bytes in memory.
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

  // In place of the one that runs, whose blob stays in memory until this one is in its place.
  // Throws InputError, and then none runs.
  void Put(std::unique_ptr<Model> model) {
    Unload();
    try {
      path_ = models_->Path();
      model_ = std::move(model);
      model_->Bind(Model::Unused::kKept);
      results_.emplace(*model_);
      BlobDescription description;
      const Loaded loaded{*model_, path_, description};
      for (const auto& observer : observers_) observer->Load(loaded);
    } catch (const InputError&) {
      Unload();
      throw;
    }
    emitter_.Reserve(results_->LineBytes());
    printer_.Reserve(results_->LineBytes());
    kept_ = model_->loaded();
    model_->Trim();
  }

  // Of a store the model before, where one on trial cannot be loaded.
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
    for (const auto& observer : observers_) observer->Unload();
    results_.reset();
    model_.reset();
  }

  // Between two frames: another model in place of this one. It is read and verified first; frames
  // that come meanwhile are replaced by newer ones, as ever.
  void FollowModels() {
    const uint64_t begun = NowNs();
    if (!models_->Follow(begun)) return;
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
      const Model* const running = model_.get();
      news = reread->Told();
      try {
        if (reread->load_model) Put(Read());
      } catch (const InputError& error) {
        settings_ = before;
        news = settings_.file() + ": " + error.what() + "; the previous settings stay in force";
        // As it was, of the bytes that are still in memory.
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
      is_misfit_ = true;
      throw InputError(std::string("a frame of ") + std::to_string(frame.width) + "x" +
                       std::to_string(frame.height) + " does not fit the model: " +
                       octet_code_name(set.code) + "; send larger or smaller frames");
    }
    octet_run(session);  // cannot fail: no hook of ours stops it
    for (const auto& observer : observers_) observer->AfterRun(session);
    const Results& results = results_->Read(session, frame.width, frame.height);
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
    // Last, for a run of their own takes time and the tensors.
    for (const auto& observer : observers_) observer->AfterFrame(outcome);
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
  std::string path_;                  // of the blob that is loaded
  std::unique_ptr<Model> model_;      // another one in its place where models_ say so
  std::shared_ptr<LoadedBlob> kept_;  // its blob, also while there is no model
  std::optional<ResultReader> results_;
  Emitter emitter_;
  std::vector<std::unique_ptr<Observer>> observers_;
  Printer printer_;
  SettingsFollower follower_;
  bool wants_json_ = false, changed_ = false;
  bool is_misfit_ = false;  // the model takes no such frames
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
