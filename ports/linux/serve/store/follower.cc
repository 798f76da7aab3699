#include "ports/linux/serve/store/follower.h"

#include <utility>

namespace octet::port::serve {
namespace {

constexpr uint64_t kLookNs = 1'000'000'000;  // an update may wait a second
constexpr uint32_t kBadAnswers = 5;          // in a row
constexpr uint64_t kAtTheEndNs = 2'000'000'000;

}  // namespace

StoreFollower::StoreFollower(const std::string& store, const StoreOptions& options,
                             uint32_t confirm_after, Load load, Say say)
    : store_(store),
      keeper_(std::make_shared<SlotKeeper>(store, options)),
      confirm_after_(confirm_after),
      load_(std::move(load)),
      say_(std::move(say)),
      storage_([] {}) {
  const Outcome first = Loaded(keeper_.get(), load_, keeper_->Boot());
  say_(first.answer.news);
  alone_ = first.answer.state.active == OCTET_SLOT_NONE;
  Run(first.answer.model, first.served);
}

// A model on trial that cannot be served is rolled back, and the one before is loaded.
StoreFollower::Outcome StoreFollower::Loaded(SlotKeeper* keeper, const Load& load,
                                             StoreAnswer answer) {
  std::string why;
  try {
    return {answer, load(answer.model.path)};
  } catch (const InputError& error) {
    if (!answer.model.on_trial) throw;
    why = Called(answer.model) + " cannot be served: " + error.what();
  }
  const StoreAnswer rolled = keeper->RollBack(answer.model, OCTET_SLOTS_FRAMES);
  if (!rolled.done && !rolled.another) throw InputError(why);
  StoreAnswer before = rolled.another ? rolled : keeper->Boot();
  before.another = true;
  before.news = why + "; " + before.news;
  std::shared_ptr<Served> served = load(before.model.path);
  return {std::move(before), std::move(served)};
}

void StoreFollower::Run(const SlotChoice& choice, std::shared_ptr<Served> served) {
  running_ = choice;
  served_ = std::move(served);
}

StoreFollower::Wish StoreFollower::Verdict() const {
  if (!running_.on_trial) return Wish::kNone;
  if (served_->bad_in_a_row() >= kBadAnswers && !alone_) return Wish::kRollBack;
  return served_->good() >= confirm_after_ ? Wish::kConfirm : Wish::kNone;
}

// Takes the result of the last errand. True: another model is served.
bool StoreFollower::Hear(uint64_t now_ns) {
  std::optional<Outcome> outcome;
  try {
    outcome = errand_.Take();
  } catch (const std::exception& error) {  // as where the store's folder is gone
    back_off_.Failed(now_ns);
    if (told_ != error.what()) say_(told_ = error.what());
    return false;
  }
  if (!outcome) return false;
  const StoreAnswer& answer = outcome->answer;
  told_.clear();
  if (!answer.news.empty()) say_(answer.news);
  if (!answer.refusal.empty()) throw InputError(answer.refusal);
  if (sent_ == Wish::kNone) {
    if (answer.another) back_off_.Reset();
    if (answer.confirmed && !answer.another) running_.on_trial = false;  // by another program
  } else if (answer.done) {
    wish_ = Wish::kNone;
    running_.on_trial = false;
    next_look_ns_ = 0;  // behind a roll-back another one is to be served
    back_off_.Reset();
  } else {
    back_off_.Failed(now_ns);
  }
  if (!answer.another || outcome->served == nullptr) return false;
  alone_ = answer.state.active == OCTET_SLOT_NONE;
  Run(answer.model, outcome->served);
  return true;
}

void StoreFollower::Send(uint64_t now_ns) {
  if (!back_off_.IsDue(now_ns)) return;
  if (wish_ == Wish::kNone) {
    wish_ = Verdict();
    wished_ = running_;
  }
  sent_ = wish_;
  if (wish_ != Wish::kNone) {
    errand_.Start(
        storage_, now_ns, [keeper = keeper_, wished = wished_, wish = wish_, load = load_] {
          Outcome outcome;
          outcome.answer = wish == Wish::kConfirm ? keeper->Confirm(wished)
                                                  : keeper->RollBack(wished, OCTET_SLOTS_FRAMES);
          if (outcome.answer.another) outcome.served = load(outcome.answer.model.path);
          return outcome;
        });
    return;
  }
  if (now_ns < next_look_ns_) return;
  next_look_ns_ = now_ns + kLookNs;
  errand_.Start(storage_, now_ns,
                [keeper = keeper_, running = running_, load = load_, now_ns]() -> Outcome {
                  StoreAnswer answer = keeper->Look(running, now_ns);
                  if (!answer.another) return {std::move(answer), nullptr};
                  return Loaded(keeper.get(), load, std::move(answer));
                });
}

bool StoreFollower::Follow(uint64_t now_ns) {
  if (errand_.at_work() && Hear(now_ns)) return true;
  if (!errand_.at_work()) Send(now_ns);
  return false;
}

void StoreFollower::Finish() {
  const bool is_owed = wish_ != Wish::kNone;
  const Wish wish = is_owed ? wish_ : Verdict();
  const SlotChoice& of = is_owed ? wished_ : running_;
  if (!of.on_trial) return;
  storage_.Post([keeper = keeper_, running = of, wish] {
    try {
      if (wish == Wish::kConfirm) {
        keeper->Confirm(running);
      } else if (wish == Wish::kRollBack) {
        keeper->RollBack(running, OCTET_SLOTS_FRAMES);
      } else {
        keeper->TakeBack(running);
      }
    } catch (const std::exception&) {  // the program ends; the next start looks again
    }
  });
  storage_.Wait(kAtTheEndNs);
}

}  // namespace octet::port::serve
