#include "ports/linux/camera/program/slots/slots.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ports/linux/file.h"

namespace octet::port {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;    // an update may wait a second
constexpr uint64_t kStuckNs = 10'000'000'000;  // no disk that is well takes as long
// Before there is a model, or between two models, when the loop does not run.
constexpr uint64_t kAwaitNs = 30'000'000'000;
constexpr uint64_t kAtTheEndNs = 2'000'000'000;

}  // namespace

CameraSlots::CameraSlots(const std::string& store, const StoreOptions& options,
                         uint32_t confirm_after, const ComparisonSettings& comparison,
                         Program& program)
    : program_(program),
      numbers_(program.metrics.Numbers<SlotNumbers>()),
      store_(store),
      keeper_(std::make_shared<SlotKeeper>(store, options)),
      confirm_after_(confirm_after),
      waits_for_frame_(keeper_->HasTrial()),
      comparison_(comparison) {
  if (!waits_for_frame_) Choose();
}

void CameraSlots::Choose() {
  if (running_.slot != OCTET_SLOT_NONE) return;
  waits_for_frame_ = false;
  const StoreAnswer answer = keeper_->Boot();
  Run(answer.model);
  Learn(answer.state);
  Say(answer.news);
}

void CameraSlots::Run(const SlotChoice& model) {
  running_ = model;
  trial_.reset();
  if (running_.on_trial) BeginTrial();
}

// Good frames of all cameras count together; bad ones of each in a row.
void CameraSlots::BeginTrial() {
  trial_.emplace(confirm_after_, kBadFrames, std::max<size_t>(program_.metrics.camera_count(), 1));
}

void CameraSlots::Learn(const StoreState& state) {
  has_previous_ = state.active == OCTET_SLOT_A || state.active == OCTET_SLOT_B;
  numbers_.SetStore(state);
}

void CameraSlots::Say(const std::string& news) {
  program_.emitter->Say(news);
}

void CameraSlots::Load(const Loaded& loaded) {
  program_.on_trial = trial_.has_value();
  numbers_.SetSlot(*Word());
  comparison_.Load(loaded.model, trial_.has_value());
  if (trial_ && has_previous_ && comparison_.HasNothing()) {
    Say(Called(running_) +
        " is not compared with the model before: no answer of that model can be compared. Good "
        "frames alone confirm it");
  }
}

void CameraSlots::AfterRun(octet_session* session) {
  if (!trial_ && wish_ == Wish::kNone) comparison_.AfterRun(session, NowNs(), program_.waits);
}

void CameraSlots::AddFields(uint64_t, Line* line) {
  line->Add(",\"slot\":\"%s\"", Word());
}

// Takes the result of the last errand. True: another model must run.
bool CameraSlots::Hear(uint64_t now_ns) {
  std::optional<StoreAnswer> answer;
  try {
    answer = errand_.Take();
  } catch (const std::exception& error) {  // as where the store's folder is gone
    if (sent_ != Wish::kNone) back_off_.Failed(now_ns);
    if (told_ != error.what()) Say(told_ = error.what());
    return false;
  }
  if (!answer) {
    if (!stuck_ && errand_.Age(now_ns) > kStuckNs) {
      stuck_ = true;
      numbers_.SetStoreStuck(true);
      Say(store_ + ": the store does not answer; the running model continues");
    }
    return false;
  }
  told_.clear();
  if (stuck_) {
    stuck_ = false;
    numbers_.SetStoreStuck(false);
    Say(store_ + ": the store answers again");
  }
  Learn(answer->state);
  Say(answer->news);
  if (!answer->refusal.empty()) throw InputError(answer->refusal);
  if (sent_ != Wish::kNone) {
    if (answer->done) {
      wish_ = Wish::kNone;
      back_off_.Reset();
      next_look_ns_ = 0;  // another one runs now, or this one is confirmed
      if (trial_ && running_.digest == wished_.digest) {
        trial_.reset();
        running_.on_trial = false;
      }
    } else if (sent_ == Wish::kRollBack && !answer->another && answer->state.has_record &&
               answer->state.active == OCTET_SLOT_NONE) {
      // There is no earlier model: the trial starts again.
      wish_ = Wish::kNone;
      BeginTrial();
    } else {
      back_off_.Failed(now_ns);
    }
  } else if (trial_ && answer->confirmed && !answer->another) {
    trial_.reset();  // by another program: the trial is over
    running_.on_trial = false;
  }
  if (answer->another) Run(answer->model);
  return answer->another;
}

void CameraSlots::Send(uint64_t now_ns) {
  if (wish_ != Wish::kNone) {
    if (!back_off_.IsDue(now_ns)) return;
    sent_ = wish_;
    errand_.Start(program_.storage, now_ns,
                  [keeper = keeper_, wished = wished_, wish = wish_, reason = reason_] {
                    return wish == Wish::kConfirm ? keeper->Confirm(wished)
                                                  : keeper->RollBack(wished, reason);
                  });
    return;
  }
  if (now_ns < next_look_ns_) return;
  next_look_ns_ = now_ns + kLookNs;
  sent_ = Wish::kNone;
  errand_.Start(program_.storage, now_ns, [keeper = keeper_, running = running_, now_ns] {
    return keeper->Look(running, now_ns);
  });
}

bool CameraSlots::Follow(uint64_t now_ns) {
  const bool is_another = errand_.at_work() && Hear(now_ns);
  program_.on_trial = trial_.has_value();
  if (is_another) return true;
  if (!errand_.at_work()) Send(now_ns);
  return false;
}

StoreAnswer CameraSlots::Await(std::function<StoreAnswer()> work) {
  Errand<StoreAnswer> errand;
  errand.Start(program_.storage, NowNs(), std::move(work));
  if (program_.storage.Wait(kAwaitNs)) {
    if (std::optional<StoreAnswer> answer = errand.Take()) return std::move(*answer);
  }
  throw InputError(
      store_ +
      ": the store does not answer, and no model is running; check the storage, then start again");
}

bool CameraSlots::Failed(const std::string& why) {
  if (!running_.on_trial) return false;
  const SlotChoice before = running_;
  StoreAnswer answer =
      Await([keeper = keeper_, before] { return keeper->RollBack(before, OCTET_SLOTS_FRAMES); });
  if (answer.done) {
    answer = Await([keeper = keeper_] { return keeper->Boot(); });
    Say(Called(before) + " is rolled back: " + why);
  } else if (answer.another) {
    Say(Called(before) + " stopped, but this cannot be recorded yet: " + why);
    wish_ = Wish::kRollBack;
    wished_ = before;
    reason_ = OCTET_SLOTS_FRAMES;
    back_off_.Failed(NowNs());
  } else {
    return false;
  }
  Learn(answer.state);
  Run(answer.model);
  return running_.slot != before.slot;
}

// Runs one more of the frames that the model before has answered. True: it was the last one, and
// the agreement is too low.
bool CameraSlots::Differs() {
  if (!comparison_.IsDue()) return false;
  if (!comparison_.AnswerNext()) return false;
  agreement_ = comparison_.agreement();
  numbers_.SetTrialAgreement(static_cast<float>(*agreement_) / 1000);
  if (comparison_.is_enough()) return false;
  Say(Called(running_) + " agrees with the model before by " + std::to_string(*agreement_) +
      " of 1000 on " + std::to_string(comparison_.frames()) + " frames; at least " +
      std::to_string(comparison_.least_agreement()) + " are needed (--trial-agreement)");
  return true;
}

void CameraSlots::AfterFrame(const Outcome& outcome) {
  const bool good = outcome.verdict.calm && IsSane(outcome.results);
  if (!trial_) {
    if (good && wish_ == Wish::kNone) comparison_.Keep(outcome.frame, outcome.results);
    return;
  }
  const Trial::Verdict verdict = trial_->Add(good, outcome.camera);
  if (wish_ == Wish::kNone && Differs()) {
    back_off_.Reset();
    wish_ = Wish::kRollBack;
    reason_ = OCTET_SLOTS_DIFFERS;
    wished_ = running_;
    return;
  }
  if (outcome.verdict.stuck || verdict == Trial::Verdict::kRollBack) {
    if (wish_ == Wish::kRollBack) return;
    if (wish_ == Wish::kNone) back_off_.Reset();
    wish_ = Wish::kRollBack;
    reason_ = outcome.verdict.stuck ? OCTET_SLOTS_GUARD : OCTET_SLOTS_FRAMES;
  } else if (verdict == Trial::Verdict::kConfirm && wish_ == Wish::kNone && !comparison_.IsDue()) {
    back_off_.Reset();
    wish_ = Wish::kConfirm;
  } else {
    return;
  }
  wished_ = running_;
}

void CameraSlots::Finish(bool clean) {
  if (wish_ == Wish::kNone && clean && trial_) {
    Say(Called(running_) + " stays on trial: the program ends after " +
        std::to_string(trial_->good()) + " of " + std::to_string(trial_->good_needed()) +
        " good frames. A clean end does not count as a boot");
  }
  // Writes a verdict that is not written yet. Without a verdict, the boot is not counted.
  if (wish_ == Wish::kNone && !(clean && trial_)) return;
  program_.storage.Post([keeper = keeper_, wish = wish_, reason = reason_,
                         model = wish_ == Wish::kNone ? running_ : wished_] {
    try {
      if (wish == Wish::kConfirm) {
        keeper->Confirm(model);
      } else if (wish == Wish::kRollBack) {
        keeper->RollBack(model, reason);
      } else {
        keeper->TakeBack(model);
      }
    } catch (const std::exception&) {  // the program ends; the next start looks again
    }
  });
  program_.storage.Wait(kAtTheEndNs);
}

void CameraSlots::AddSummary(uint64_t, Line* line) {
  if (agreement_) line->Add(",\"trial_agreement\":%.3f", static_cast<double>(*agreement_) / 1000);
}

bool IsSane(const Results& results) {
  const auto finite = [](const auto& found) { return std::isfinite(found.score); };
  switch (results.task) {
    case OCTET_TASK_DETECT:
      return std::all_of(results.boxes.begin(), results.boxes.begin() + results.count, finite);
    case OCTET_TASK_CLASSIFY:
      return std::all_of(results.classes, results.classes + results.count, finite);
    case OCTET_TASK_TEXT:
      return std::all_of(results.characters.begin(), results.characters.begin() + results.count,
                         finite);
    default:
      return true;
  }
}

}  // namespace octet::port
