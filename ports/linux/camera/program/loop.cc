#include "ports/linux/camera/program/loop.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <thread>

#include "ports/linux/board.h"
#include "ports/linux/camera/program/drift.h"
#include "ports/linux/camera/program/guard.h"
#include "ports/linux/camera/program/line_writer.h"
#include "ports/linux/camera/program/live_score.h"
#include "ports/linux/camera/program/page.h"
#include "ports/linux/camera/program/scheduling.h"
#include "ports/linux/camera/program/service.h"
#include "ports/linux/camera/program/slots.h"
#include "ports/linux/camera/program/telemetry.h"
#include "ports/linux/camera/program/temporal.h"
#include "ports/linux/capture/disturb.h"
#include "ports/linux/capture/jpeg.h"
#include "ports/linux/capture/slot.h"

namespace octet::port {
namespace {

constexpr uint64_t kSettledFrames = 1000;  // memory is compared with that after so many

double Milliseconds(uint64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

// Times of many frames in fixed memory: counts by 1/128 of a power of two.
class Histogram {
 public:
  void Add(uint64_t ns) {
    largest_ = std::max(largest_, ns);
    ++count_;
    ++bins_[BinOf(ns)];
  }
  uint64_t largest_ns() const { return largest_; }
  // Up to 0.8 % above the true one.
  uint64_t MedianNs() const {
    uint64_t before = 0;
    for (size_t i = 0; i < kBins; ++i) {
      before += bins_[i];
      if (2 * before >= count_ && count_ != 0) return std::min(UpperOf(i), largest_);
    }
    return 0;
  }

 private:
  static constexpr size_t kStepsLog2 = 7, kSteps = 1 << kStepsLog2, kBins = 64 * kSteps;
  static size_t BinOf(uint64_t ns) {
    if (ns < kSteps) return ns;
    const auto log2 = static_cast<size_t>(63 - __builtin_clzll(ns));
    return (log2 - kStepsLog2 + 1) * kSteps + (ns >> (log2 - kStepsLog2)) - kSteps;
  }
  static uint64_t UpperOf(size_t bin) {
    if (bin < kSteps) return bin;
    return ((bin % kSteps + kSteps + 1) << (bin / kSteps - 1)) - 1;
  }
  uint64_t bins_[kBins] = {}, count_ = 0, largest_ = 0;
};

ModelOptions WithHook(ModelOptions options, bool temporal, ProbeHook* hook) {
  if (options.all_plans || temporal) {
    options.before_layer = ProbeHook::BeforeLayer;
    options.before_layer_context = hook;
  }
  return options;
}

class Loop {
 public:
  explicit Loop(const CameraOptions& options)
      : options_(options),
        scheduling_(options.cpus, options.priority),
        telemetry_(options),
        line_(kLineBytes),
        status_(kLineBytes) {
    source_ = OpenSource(options, &garments_);
    if (!options.disturb.empty()) {
      source_ = DisturbedSource(std::move(source_), ReadDisturbances(options.disturb));
    }
    if (!options.slots.empty()) {
      slots_.emplace(options.slots, options.store, options.confirm_after);
      Say(slots_->news());
    }
    LoadWanted();
    out_.emplace(STDOUT_FILENO, options.every_frame || source_->waits(), stop_);
    out_->Reserve(std::max(kLineBytes, results_->LineBytes()));
    line_.Reserve(results_->LineBytes());
    status_.Reserve(results_->LineBytes());
    if (model_->blob().decode.data == nullptr) {
      std::fprintf(stderr,
                   "octet-camera: %s has no decoder, so only times are printed; convert it with "
                   "--task and --decode\n",
                   path_.c_str());
    }
    if (options.score) {
      if (octet_model_task(model_->session()) != OCTET_TASK_DETECT ||
          model_->blob().decode.data == nullptr) {
        throw InputError("--score: " + path_ + " is no detector with a decoder");
      }
      score_.emplace(Garments::kClassCount);
    }
    if (!options.dump.empty()) {
      std::error_code error;
      std::filesystem::create_directories(options.dump, error);
      if (error) {
        throw InputError("--dump " + options.dump + ": " + error.message() +
                         "; name a folder that can be made");
      }
    }
    stop_.ObeySignals();
    if (options.http_port >= 0) {
      page_.emplace(static_cast<uint16_t>(options.http_port), model_->session(), stop_,
                    [this] { scheduling_.Restore(); });
      std::fprintf(stderr, "octet-camera: http://%s\n", page_->address().Text().c_str());
    }
    telemetry_.Start(*model_, guard_.has_value(), stop_, [this] { scheduling_.Restore(); });
    timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    wall_offset_ns_ = static_cast<uint64_t>(wall.tv_sec) * 1000000000u +
                      static_cast<uint64_t>(wall.tv_nsec) - NowNs();
  }

  int Run() {
    const uint64_t started = NowNs();
    std::thread capture([this] {
      scheduling_.Restore();
      Capture(source_.get(), &slot_, stop_, options_.every_frame);
    });
    try {
      while (!stop_.raised()) {
        const FrameBuffer* frame = slot_.Take();
        if (slots_ && frame != nullptr) FollowSlots();
        if (frame == nullptr || !Process(*frame)) break;
        if (options_.frames != 0 && processed_ >= options_.frames) break;
      }
    } catch (...) {
      Finish(&capture);
      throw;
    }
    const bool interrupted = stop_.raised();
    Finish(&capture);
    if (options_.json || processed_ != 0) Summarise(NowNs() - started);
    std::string error = slot_.error();
    if (error.empty() && !interrupted && slot_.published() == 0) {
      error = "no frame came: the source ended at once; is what feeds it running?";
    }
    if (error.empty()) return 0;
    std::fprintf(stderr, "octet-camera: %s\n", error.c_str());
    return 2;
  }

 private:
  void Finish(std::thread* capture) {
    service_.Stopping();
    stop_.Raise();
    slot_.Leave();
    capture->join();
    stop_.LeaveSignals();  // what is left to print may be ended by another
  }

  void Load(const std::string& path) {
    model_.emplace(path, WithHook(options_.model, options_.temporal, &probe_hook_));
    path_ = path;
    if (slots_) slots_->CheckLoaded(*model_);
    if (options_.board) RequireAllowed(*options_.board, *model_, path);
    if (model_->blob().model->input_count != 1 || model_->blob().inputs[0].is_image == 0) {
      throw InputError(path +
                       ": its input takes no pictures; the camera needs one picture "
                       "input");
    }
    model_->Bind();
    results_.emplace(*model_);
    if (options_.guard) {
      std::optional<uint32_t> home;
      if (!options_.model.plan.empty()) home = model_->plan();
      guard_.emplace(*model_, options_.guard_settings, home, &probe_hook_);
    }
    if (!options_.drift.empty()) {
      drift_.emplace(*model_, options_.drift, options_.drift_settings, &probe_hook_,
                     &telemetry_.metrics());
      Say(drift_->news());
    }
    if (options_.temporal) temporal_.emplace(*model_, path, &probe_hook_);
    telemetry_.SetModel(*model_, path, guard_ ? &*guard_ : nullptr);
    if (slots_) telemetry_.metrics().SetSlot(*slots_->word());
  }

  // What the options or the store name; of a store the model before, where one on trial cannot even
  // be loaded.
  void LoadWanted() {
    if (!slots_) return Load(options_.blob);
    try {
      Load(slots_->running().path);
    } catch (const InputError& error) {
      Unload();
      if (!slots_->Failed(error.what())) throw;
      Say(slots_->news());
      Load(slots_->running().path);
    }
  }

  void Unload() {
    if (guard_) guarded_.Add(guard_->totals());
    guard_.reset();
    if (drift_) drifted_.Add(drift_->totals());
    drift_.reset();
    temporal_.reset();
    results_.reset();
    model_.reset();
  }

  // Between two frames: another model in place of this one. The old one goes first, for a board may
  // not have room for both; frames that come meanwhile are replaced by newer ones, as ever.
  void FollowSlots() {
    const bool another = slots_->Look(NowNs());
    telemetry_.Add(slots_->info());
    Say(slots_->news());
    if (!another) return;
    if (page_) page_->SetSession(nullptr);
    Unload();
    LoadWanted();
    out_->Reserve(std::max(kLineBytes, results_->LineBytes()));
    line_.Reserve(results_->LineBytes());
    status_.Reserve(results_->LineBytes());
    if (page_) page_->SetSession(model_->session());
  }

  void Say(const std::string& news) {
    if (news.empty()) return;
    Line line(news.size() + 64);
    line.Add("octet-camera: %s\n", news.c_str());
    LineWriter(STDERR_FILENO, false, stop_).WriteLast(line);
  }

  // False where nobody reads the results any more.
  bool Process(const FrameBuffer& frame) {
    // Heat has lowered the rate: the frame is passed over.
    if (guard_ && taken_++ % guard_->decision().rate_divisor != 0) {
      telemetry_.metrics().CountSkipped();
      return true;
    }
    octet_session* session = model_->session();
    const uint64_t begun = NowNs();
    const octet_frame view = frame.View();
    const octet_status set = octet_set_input_frame(session, 0, &view);
    if (set.code != OCTET_OK) {
      throw InputError(std::string("a frame of ") + std::to_string(frame.width) + "x" +
                       std::to_string(frame.height) +
                       " does not fit the model: " + octet_code_name(set.code));
    }
    const octet_status run = octet_run(session);
    if (temporal_) temporal_->AfterRun(session);
    const Results& results = results_->Read(session, frame.width, frame.height);
    const uint64_t done = NowNs();
    ++processed_;
    inference_.Add(done - begun);
    age_.Add(done - frame.captured_ns);
    telemetry_.metrics().AddResult(done - begun, done - frame.captured_ns);
    service_.Result(done);
    telemetry_.metrics().SetFrames(processed_, slot_.dropped(), out_->dropped());
    if (score_) score_->Add(results, frame.truth);
    if (processed_ == kSettledFrames) settled_rss_bytes_ = ResidentBytes();
    FrameReport report = {frame.number,
                          static_cast<double>(frame.captured_ns + wall_offset_ns_) / 1e9,
                          Milliseconds(done - frame.captured_ns),
                          Milliseconds(done - begun),
                          octet_plan_name(session, octet_plan(session)),
                          slot_.dropped(),
                          frame.name.c_str()};
    if (guard_) {
      report.reason = guard_->reason();
      report.score = guard_->score();
      report.temperature_c = telemetry_.Celsius(done);
    }
    if (slots_) report.slot = slots_->word();
    if (options_.json || page_) FormatJson(report, results, session, &line_);
    if (page_) {
      page_->SetStatus(line_);
      if (page_->wanted()) page_->Show(frame, results);
    }
    if (!options_.dump.empty()) Dump(frame, results);
    const bool read = options_.json          ? Print(line_)
                      : *report.picture != 0 ? PrintPicture(report, results)
                                             : PrintEverySecond(report, results, done);
    // Last, for a shadow run takes time and the tensors.
    if (guard_) Guard(frame, results, done - begun);
    if (drift_) {
      drift_->AfterFrame(frame, done);
      Report(drift_->news());
    }
    if (slots_) {
      // The frame on which the breaker trips is the last of its bad ones, and ends their count.
      const bool calm = !guard_ || (guard_->decision().bad_frames == 0 &&
                                    (guard_->decision().events & OCTET_GUARD_TRIPPED) == 0);
      const bool stuck = guard_ && (guard_->decision().events & OCTET_GUARD_EXHAUSTED) != 0;
      slots_->AfterFrame(run.code == OCTET_OK && IsSane(results) && calm, stuck);
      Say(slots_->news());
    }
    return read;
  }

  void Guard(const FrameBuffer& frame, const Results& results, uint64_t run_ns) {
    guard_->SetTemperature(telemetry_.Celsius(NowNs()));
    guard_->AfterFrame(frame, results, run_ns, options_.every_frame || source_->waits());
    telemetry_.Add(*guard_);
    Report(guard_->news());
  }

  // Without memory of its own.
  void Report(const char* news) {
    if (*news == 0) return;
    status_.Clear();
    status_.Add("octet-camera: %s\n", news);
    LineWriter(STDERR_FILENO, false, stop_).WriteLast(status_);
  }

  // False where nobody reads the results any more.
  bool Print(const Line& line) {
    const bool first = out_->dropped() == 0;
    const bool read = out_->Write(line);
    if (first && out_->dropped() != 0) {
      Line warning(256);
      warning.Add(
          "octet-camera: nobody takes the results; lines are dropped and counted until somebody "
          "does\n");
      LineWriter(STDERR_FILENO, false, stop_).WriteLast(warning);
    }
    return read;
  }

  bool PrintPicture(const FrameReport& report, const Results& results) {
    FormatPicture(report.picture, report.infer_ms, results, model_->session(), &status_);
    return Print(status_);
  }

  bool PrintEverySecond(const FrameReport& report, const Results& results, uint64_t now) {
    if (now < next_print_ns_) return true;
    const bool first = next_print_ns_ == 0;
    const double fps = first ? 0
                             : static_cast<double>(processed_ - printed_) * 1e9 /
                                   static_cast<double>(now - printed_ns_);
    status_.Clear();
    status_.Add("frame %-8llu %s  %7.2f ms  age %7.2f ms  %6.1f fps  dropped %llu",
                static_cast<unsigned long long>(report.number), report.plan, report.infer_ms,
                report.age_ms, fps, static_cast<unsigned long long>(report.dropped));
    if (score_) status_.Add("  mAP %.2f", score_->MeanAveragePrecision());
    status_.Add("  ");
    FormatResults(results, model_->session(), false, &status_);
    status_.Add("\n");
    printed_ = processed_;
    printed_ns_ = now;
    next_print_ns_ = now + 1000000000u;
    return Print(status_);
  }

  void Dump(const FrameBuffer& frame, const Results& results) {
    picture_.SetFrame(frame);
    picture_.Draw(results, model_->session());
    encoded_.clear();
    if (options_.dump_format == "png") {
      EncodePng(picture_.rgb.data(), picture_.width, picture_.height, &encoded_);
    } else {
      EncodeJpeg(picture_.rgb.data(), picture_.width, picture_.height, 90, &encoded_);
    }
    char name[64];
    std::snprintf(name, sizeof(name), "/frame-%08llu.%s",
                  static_cast<unsigned long long>(frame.number), options_.dump_format.c_str());
    OutputFile file(options_.dump + name);
    file.Write(encoded_.data(), encoded_.size());
    file.Commit();
  }

  void Summarise(uint64_t elapsed_ns) {
    const double seconds = static_cast<double>(elapsed_ns) / 1e9;
    const double fps = seconds > 0 ? static_cast<double>(processed_) / seconds : 0;
    const uint64_t rss_bytes = ResidentBytes();
    Line line(4096);
    line.Add(
        "{\"summary\":{\"frames\":%llu,\"captured\":%llu,\"dropped\":%llu,\"fps\":%.2f,"
        "\"median_ms\":%.3f,\"max_ms\":%.3f,\"median_age_ms\":%.3f,\"max_age_ms\":%.3f,"
        "\"max_gap_ms\":%.3f,\"rss_bytes\":%llu,\"rss_bytes_at_frame_1000\":%llu,"
        "\"lines_dropped\":%llu",
        static_cast<unsigned long long>(processed_),
        static_cast<unsigned long long>(slot_.published()),
        static_cast<unsigned long long>(slot_.dropped()), fps, Milliseconds(inference_.MedianNs()),
        Milliseconds(inference_.largest_ns()), Milliseconds(age_.MedianNs()),
        Milliseconds(age_.largest_ns()), Milliseconds(slot_.longest_gap_ns()),
        static_cast<unsigned long long>(rss_bytes),
        static_cast<unsigned long long>(settled_rss_bytes_),
        static_cast<unsigned long long>(out_->dropped()));
    if (score_) line.Add(",\"map50\":%.3f", score_->MeanAveragePrecision());
    if (guard_) {
      guarded_.Add(guard_->totals());
      line.Add(
          ",\"plan_switches\":%llu,\"max_switch_ms\":%.3f,\"shadow_runs\":%llu,"
          "\"shadow_share\":%.4f",
          static_cast<unsigned long long>(guarded_.switches),
          Milliseconds(guarded_.longest_switch_ns),
          static_cast<unsigned long long>(guarded_.shadow_runs),
          static_cast<double>(guarded_.shadow_ns) /
              static_cast<double>(std::max<uint64_t>(1, elapsed_ns)));
    }
    if (drift_) {
      drifted_.Add(drift_->totals());
      line.Add(
          ",\"drift_frames\":%llu,\"drift_kept\":%llu,\"drift_dropped\":%llu,"
          "\"drift_moved\":%u",
          static_cast<unsigned long long>(drifted_.frames),
          static_cast<unsigned long long>(drifted_.kept),
          static_cast<unsigned long long>(drifted_.dropped), drift_->moved());
    }
    if (temporal_) {
      line.Add(",\"temporal_layers\":%u,\"temporal_bytes\":%llu,\"temporal_cuts\":%llu",
               temporal_->layers(), static_cast<unsigned long long>(temporal_->memory_bytes()),
               static_cast<unsigned long long>(temporal_->cuts()));
    }
    line.Add("}}\n");
    if (options_.json) return out_->WriteLast(line);
    line.Clear();
    line.Add(
        "%llu frames in %.1f s (%.1f fps), %llu dropped; median %.2f ms, age %.2f ms (at most "
        "%.2f); %.1f MB resident",
        static_cast<unsigned long long>(processed_), seconds, fps,
        static_cast<unsigned long long>(slot_.dropped()), Milliseconds(inference_.MedianNs()),
        Milliseconds(age_.MedianNs()), Milliseconds(age_.largest_ns()),
        static_cast<double>(rss_bytes) / 1e6);
    if (score_) line.Add("; mAP@0.5 %.2f", score_->MeanAveragePrecision());
    if (out_->dropped() != 0) {
      line.Add("; %llu lines of results that nobody took were dropped",
               static_cast<unsigned long long>(out_->dropped()));
    }
    line.Add("\n");
    LineWriter(STDERR_FILENO, false, stop_).WriteLast(line);
  }

  const CameraOptions& options_;
  StopRequest stop_;
  Scheduling scheduling_;  // before the model's threads, which inherit it
  ProbeHook probe_hook_;
  std::optional<CameraSlots> slots_;
  std::string path_;            // of the blob that is loaded
  std::optional<Model> model_;  // another one in its place where slots_ say so
  std::unique_ptr<Garments> garments_;
  std::unique_ptr<Source> source_;
  std::optional<ResultReader> results_;
  std::optional<LineWriter> out_;
  std::optional<LiveScore> score_;
  std::optional<Page> page_;
  Telemetry telemetry_;
  std::optional<CameraGuard> guard_;
  CameraGuard::Totals guarded_;  // of the models before
  std::optional<CameraDrift> drift_;
  CameraDrift::Totals drifted_;
  std::optional<CameraTemporal> temporal_;
  Service service_;
  Slot slot_;
  Line line_, status_;
  Annotated picture_;
  std::vector<uint8_t> encoded_;
  Histogram inference_, age_;
  uint64_t taken_ = 0;
  uint64_t processed_ = 0, printed_ = 0, printed_ns_ = 0, next_print_ns_ = 0;
  uint64_t settled_rss_bytes_ = 0, wall_offset_ns_ = 0;
};

}  // namespace

int RunCamera(const CameraOptions& options) {
  Loop loop(options);
  return loop.Run();
}

}  // namespace octet::port
