#include "ports/linux/camera/program/drift/drift.h"

#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <utility>

#include "octet/octet.hpp"
#include "ports/linux/camera/program/drift/record.h"
#include "ports/linux/output/error.h"

namespace octet::port {
namespace {

// 10 log10, in 1/256 of log2.
constexpr double kDecibel = 256 / 3.0102999566;

struct Settings {
  octet_drift_config config;
  double every_s = 360;  // ten frames an hour
};

bool ReadSetting(const std::string& name, double value, Settings* settings) {
  const auto whole = [value](double least, double most, double units, uint32_t* field) {
    const double number = std::nearbyint(value * units);
    if (!(number >= least && number <= most)) return false;
    *field = static_cast<uint32_t>(number);
    return true;
  };
  if (name == "every_s") {
    settings->every_s = value;
    return value >= 0 && value <= 1e6;
  }
  if (name == "fit_frames") return whole(1, 1000, 1, &settings->config.fit_frames);
  if (name == "judge_frames") return whole(1, 1000, 1, &settings->config.judge_frames);
  if (name == "gain") return whole(0, 1000, 1000, &settings->config.gain);
  if (name == "gain_db") return whole(0, 300 * kDecibel, kDecibel, &settings->config.fidelity_gain);
  return false;
}

// Of the outputs, `a` being the finer one (octet/drift.h); both with values.
uint32_t FidelityOf(const Answer& a, const Answer& b) {
  return octet_drift_fidelity(a.values().data(), b.values().data(), a.values().size());
}

Settings SettingsOf(const std::string& text) {
  Settings settings;
  octet_drift_defaults(&settings.config);
  std::stringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    const size_t equals = item.find('=');
    const std::string number = equals == std::string::npos ? "" : item.substr(equals + 1);
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != 0 || !ReadSetting(item.substr(0, equals), value, &settings)) {
      throw InputError("--drift-set " + item +
                       ": expected every_s (0 to 1000000), fit_frames and judge_frames (1 to "
                       "1000), gain (0 to 1), gain_db (0 to 300)");
    }
  }
  return settings;
}

}  // namespace

void CameraDrift::Totals::Add(const Totals& more) {
  frames += more.frames;
  kept += more.kept;
  dropped += more.dropped;
}

CameraDrift::CameraDrift(Model& model, const std::string& path, const std::string& settings,
                         LayerHook* hook, Helper* storage, Metrics* metrics, DriftNumbers* numbers,
                         std::function<void(std::string_view)> say)
    : model_(model),
      path_(path),
      hook_(hook),
      storage_(storage),
      metrics_(metrics),
      numbers_(*numbers),
      say_(std::move(say)),
      finer_(model, Answer::kWithValues),
      int8_(model, Answer::kWithValues) {
  const Settings read = SettingsOf(settings);
  octet_drift_bound(model.session(), &info_);
  every_ns_ = static_cast<uint64_t>(read.every_s * 1e9);
  octet_drift_configure(model.session(), &read.config);
  const uint32_t running = octet_plan(model.session());
  model.SetPlan(info_.observe_plan);  // its weights are in memory from now on
  model.SetPlan(info_.plan);
  model.SetPlan(running);
  Load();
}

void CameraDrift::Say(const char* format, ...) const {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  say_(line);
}

// A record that cannot be used does not end the program: the blob's own scales run.
void CameraDrift::Load() {
  octet_drift_record record = {};
  int error = 0;
  const DriftFile found = ReadDriftFile(path_, &record, &error);
  if (found == DriftFile::kForeign) {
    // A file of another kind is never replaced.
    throw InputError("--drift " + path_ + ": not a drift record; name another file");
  }
  if (found == DriftFile::kNone) {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0) return;
    throw InputError("--drift " + path_ + ": cannot be written: " + ErrorText(errno) +
                     "; name a file in an existing folder");
  }
  if (found == DriftFile::kUnreadable && error != EIO) {
    throw InputError("--drift " + path_ + ": cannot be read: " + ErrorText(error) +
                     "; name a file that this user may read and write");
  }
  octet_status loaded = {OCTET_CORRUPT, 0};
  if (found == DriftFile::kRecord) loaded = octet_drift_load(model_.session(), &record);
  if (loaded.code == OCTET_OK) {
    Say("drift: %u of %u groups use the scales of %s", moved(), info_.group_count, path_.c_str());
    numbers_.events.Count(DriftEvent::kRestored);
    return;
  }
  Say("drift: %s is %s; the blob's own scales are used, and the file is replaced when "
      "new scales are found",
      path_.c_str(),
      found == DriftFile::kUnreadable         ? "unreadable (Input/output error)"
      : loaded.code == OCTET_INVALID_ARGUMENT ? "from another blob"
      : loaded.code == OCTET_MALFORMED        ? "a record whose scales cannot be used"
                                              : "not a record, or damaged");
  numbers_.events.Count(DriftEvent::kRefused);
}

// A record that cannot be written is tried again. A newer record replaces it meanwhile.
void CameraDrift::Save(uint64_t now_ns) {
  if (saving_.at_work()) {
    const std::optional<std::string> problem = saving_.Take();
    if (!problem) return;
    if (problem->empty()) {
      back_off_.Reset();
      if (told_) Say("drift: %s is written", path_.c_str());
      told_ = false;
    } else {
      unsaved_ = true;
      back_off_.Failed(now_ns);
      metrics_->CountUnwritten();
      if (!told_) {
        Say("drift: not stored: %s; trying again", problem->c_str());
      }
      told_ = true;
    }
  }
  if (!unsaved_ || !back_off_.IsDue(now_ns)) return;
  unsaved_ = false;
  octet_drift_record record;
  octet_drift_save(model_.session(), &record);
  saving_.Start(*storage_, now_ns, [path = path_, record] { return WriteDriftFile(path, record); });
}

void CameraDrift::Finish() {
  constexpr uint64_t kPatienceNs = 2'000'000'000;
  const bool written = storage_->Wait(kPatienceNs);
  back_off_.Reset();
  if (written) Save(NowNs());
  storage_->Wait(kPatienceNs);
}

// The frame through both scales of the int8 plan, against what the finer plan has just said.
CameraDrift::Answers CameraDrift::Judge(const FrameBuffer& frame) {
  octet_session* session = model_.session();
  octet_set_plan(session, info_.plan);
  octet_drift_answer answers[2];
  for (const octet_drift_scales scales : {OCTET_DRIFT_CURRENT, OCTET_DRIFT_CANDIDATE}) {
    octet_drift_use(session, scales);
    int8_.Ask(frame);
    answers[scales] = {finer_.Agreement(int8_), FidelityOf(finer_, int8_)};
  }
  ++judges_;
  for (int i = 0; i < 2; ++i) {
    agreement_[i] += answers[i].agreement;
    fidelity_[i] += answers[i].fidelity;
  }
  return {answers[OCTET_DRIFT_CURRENT], answers[OCTET_DRIFT_CANDIDATE]};
}

// "agreement with fp16 0.931 -> 0.971, 20.1 -> 24.3 dB". Sets the sums to zero for the next round.
CameraDrift::Verdict CameraDrift::TakeVerdict() {
  const double judges = static_cast<double>(judges_ == 0 ? 1 : judges_);
  Verdict verdict;
  std::snprintf(verdict.text, sizeof(verdict.text),
                "agreement with %s %.3f -> %.3f, %.1f -> %.1f dB",
                octet_plan_name(model_.session(), info_.observe_plan),
                static_cast<double>(agreement_[0]) / (1000 * judges),
                static_cast<double>(agreement_[1]) / (1000 * judges),
                static_cast<double>(fidelity_[0]) / (kDecibel * judges),
                static_cast<double>(fidelity_[1]) / (kDecibel * judges));
  judges_ = 0;
  for (int i = 0; i < 2; ++i) agreement_[i] = fidelity_[i] = 0;
  return verdict;
}

void CameraDrift::AfterFrame(const FrameBuffer& frame, uint64_t now_ns) {
  Save(now_ns);
  if (!IsDue(now_ns)) return;
  next_ns_ = now_ns + every_ns_;
  octet_session* session = model_.session();
  const bool fits = octet_drift_role_now(session) == OCTET_DRIFT_FIT;
  Answers answers = {};
  {
    const RunAside aside(session);
    octet_set_plan(session, info_.observe_plan);
    if (fits) {
      finer_.Ask(frame, hook_, [session](uint32_t layer) { octet_drift_observe(session, layer); });
    } else {
      finer_.Ask(frame);
      answers = Judge(frame);
    }
  }
  const octet_drift_event event =
      fits ? octet_drift_fitted(session)
           : octet_drift_judged(session, &answers.current, &answers.candidate);
  ++totals_.frames;
  if (fits) numbers_.events.Count(DriftEvent::kObserved);
  if (event != OCTET_DRIFT_KEPT && event != OCTET_DRIFT_DROPPED && event != OCTET_DRIFT_UNFIT) {
    return;
  }
  const auto number = static_cast<unsigned long long>(frame.number);
  if (event == OCTET_DRIFT_KEPT) {
    int32_t largest = 0;
    const uint32_t moved = octet_drift_moved(session, &largest);
    Say("frame %llu: drift: new scales, %u of %u groups moved, at most by %.2f; %s", number, moved,
        info_.group_count, std::exp2(largest / 8.0), TakeVerdict().text);
    ++totals_.kept;
    numbers_.events.Count(DriftEvent::kAccepted);
    unsaved_ = true;
    Save(now_ns);
    return;
  }
  ++totals_.dropped;
  numbers_.events.Count(DriftEvent::kDropped);
  if (event == OCTET_DRIFT_UNFIT) {
    Say("frame %llu: drift: the new scales are outside what int8 can hold; the scales before stay",
        number);
  } else {
    Say("frame %llu: drift: new scales not used, %s", number, TakeVerdict().text);
  }
}

}  // namespace octet::port
