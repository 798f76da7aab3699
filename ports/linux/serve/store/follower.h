// octet-serve --slots: which model of a store is served, when it changes, and when a model on trial
// is confirmed or rolled back. A thread of its own works on the store and loads models; requests go
// on meanwhile with the model before.
#ifndef OCTET_PORTS_LINUX_SERVE_STORE_FOLLOWER_H_
#define OCTET_PORTS_LINUX_SERVE_STORE_FOLLOWER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ports/linux/camera/program/helper.h"
#include "ports/linux/camera/program/slots/keeper.h"
#include "ports/linux/serve/engine/served.h"

namespace octet::port::serve {

class StoreFollower {
 public:
  using Load = std::function<std::shared_ptr<Served>(const std::string& path)>;
  using Say = std::function<void(const std::string& line)>;

  // Loads the model that the store names now. Throws InputError: there is none that can be served.
  // confirm_after: good answers that confirm a model on trial.
  StoreFollower(const std::string& store, const StoreOptions& options, uint32_t confirm_after,
                Load load, Say say);

  std::shared_ptr<Served> served() const { return served_; }
  // To be called a few times a second; never waits. True: served() is another one now. Throws
  // InputError: what is served may not be served any more, and nothing can take its place.
  bool Follow(uint64_t now_ns);
  // Whether the thread of the store works: a later Follow takes what it brings.
  bool is_busy() const { return errand_.at_work(); }
  // The program ends: a model without a verdict stays on trial, and this boot does not count.
  void Finish();

 private:
  struct Outcome {
    StoreAnswer answer;
    std::shared_ptr<Served> served;  // where answer.another
  };
  enum class Wish : uint8_t { kNone, kConfirm, kRollBack };

  static Outcome Loaded(SlotKeeper* keeper, const Load& load, StoreAnswer answer);
  Wish Verdict() const;
  bool Hear(uint64_t now_ns);
  void Send(uint64_t now_ns);
  void Run(const SlotChoice& choice, std::shared_ptr<Served> served);

  const std::string store_;
  std::shared_ptr<SlotKeeper> keeper_;
  const uint32_t confirm_after_;
  const Load load_;
  const Say say_;
  std::shared_ptr<Served> served_;
  SlotChoice running_;
  bool alone_ = false;  // it is on trial, and there is no model before it
  BackOff back_off_;
  uint64_t next_look_ns_ = 0;
  Wish sent_ = Wish::kNone;
  // The verdict, until the store has it: also while another model is served already.
  Wish wish_ = Wish::kNone;
  SlotChoice wished_;
  std::string told_;
  Helper storage_;
  Errand<Outcome> errand_;
};

}  // namespace octet::port::serve

#endif  // OCTET_PORTS_LINUX_SERVE_STORE_FOLLOWER_H_
