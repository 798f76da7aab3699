// octet-serve --slots: a trial that is confirmed, one that is rolled back, and a model that comes
// while another is served, with every call of the store failing once. What is
// served goes on, and when the disk is well again the store has its verdict.
#include <unistd.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <optional>

#include "ports/linux/serve/engine/workers.h"
#include "ports/linux/serve/store/follower.h"
#include "tests/ports/linux/io/io_matrix.h"

namespace octet::test {
namespace {

using port::serve::Served;
using port::serve::StoreFollower;

class ServedStore : public IoMatrix {
 protected:
  void Flash(const Blob& blob) {
    port::SlotStore store(Store(), {});
    const port::SlotAnswer staged = Stage(&store, blob);
    ASSERT_TRUE(staged) << staged.why;
    ASSERT_TRUE(store.Activate());
  }
  // A follower of the store as it was kept. One good answer confirms.
  void Start() {
    follower_.reset();
    Restore();
    news_.clear();
    follower_.emplace(
        Store(), port::StoreOptions{}, 1,
        [this](const std::string& path) {
          if (hold_.valid()) {
            is_loading_ = true;
            hold_.wait();
          }
          auto served = std::make_shared<Served>(path, true, 1);
          paths_[served.get()] = path;
          return served;
        },
        [this](const std::string& line) { news_ += line + "\n"; });
  }
  // Some rounds of the program, each later than any pause after a failure.
  template <typename Condition>
  bool Until(Condition condition) {
    for (int round = 0; round < 8 && !condition(); ++round) {
      now_ns_ += 70'000'000'000;
      follower_->Follow(now_ns_);
      while (follower_->is_busy()) {
        usleep(50);
        follower_->Follow(now_ns_);
      }
    }
    return condition();
  }
  bool Said(const std::string& words) const { return news_.find(words) != std::string::npos; }
  // The slot of what is served: 'a' or 'b'.
  char Slot() const {
    const std::string& path = paths_.at(follower_->served().get());
    return path[path.rfind('.') - 1];
  }

  std::shared_future<void> hold_;  // a load waits for it
  std::atomic<bool> is_loading_{false};
  std::map<const Served*, std::string> paths_;  // of what was loaded
  std::optional<StoreFollower> follower_;
  std::string news_;
  uint64_t now_ns_ = 1;
};

TEST_F(ServedStore, ATrialHasItsVerdictWhenTheDiskIsWellAgain) {
  {
    port::SlotStore store(Store(), {});
    Install(&store, first_);
  }
  Flash(second_);
  Keep();
  const auto is_confirmed = [&] { return Said("is confirmed"); };
  Each(
      "confirmation by answers",
      [&] {
        Start();
        follower_->served()->Count(true);
      },
      [&] { return Until(is_confirmed); },
      [&](Ended) {
        EXPECT_EQ(Slot(), 'b');
        // If the record was written although a call failed, nothing more is said.
        Until(is_confirmed);
        EXPECT_EQ(Info().active, OCTET_SLOT_B);
        EXPECT_EQ(Info().pending, OCTET_SLOT_NONE);
      },
      Threads::kAll);
  const auto is_back = [&] { return Slot() == 'a'; };
  Each(
      "roll back by answers",
      [&] {
        Start();
        for (int i = 0; i < 5; ++i) follower_->served()->Count(false);
      },
      [&] { return Until(is_back); },
      [&](Ended) {
        EXPECT_TRUE(Until(is_back)) << news_;
        EXPECT_TRUE(Until([&] { return Info().pending == OCTET_SLOT_NONE; })) << news_;
        EXPECT_EQ(Info().active, OCTET_SLOT_A);
      },
      Threads::kAll);
}

TEST_F(ServedStore, AModelThatComesIsServedOrRolledBack) {
  {
    port::SlotStore store(Store(), {});
    Install(&store, first_);
  }
  Keep();
  const auto is_there = [&] { return Slot() == 'b'; };
  Each(
      "a model that comes",
      [&] {
        Start();
        Flash(second_);
      },
      [&] { return Until(is_there); },
      [&](Ended) {
        const bool settled =
            Until([&] { return is_there() || Said("cannot be served") || Said("rejected"); });
        EXPECT_TRUE(settled) << news_;
        if (!is_there()) return;
        follower_->served()->Count(true);
        Until([&] { return Said("is confirmed"); });
        EXPECT_EQ(Info().active, OCTET_SLOT_B);
      },
      Threads::kAll);
}

class CountedJob final : public port::serve::Job {
 public:
  explicit CountedJob(std::atomic<int>* count) : count_(count) {}
  void Run(port::serve::Worker& worker) override {
    worker.Run();
    ++*count_;
  }
  void Refuse(port::serve::Refusal) override {}

 private:
  std::atomic<int>* count_;
};

TEST_F(ServedStore, NoRequestWaitsForALoad) {
  {
    port::SlotStore store(Store(), {});
    Install(&store, first_);
  }
  Keep();
  Start();
  port::serve::FairQueue queue(64, 5'000'000'000);
  port::serve::Workers workers(follower_->served(), 1, &queue);
  std::atomic<int> answered{0};
  const auto is_answered = [&] {
    const int before = answered;
    queue.Put(1, std::make_unique<CountedJob>(&answered));
    for (int i = 0; i < 20000 && answered == before; ++i) usleep(1000);
    return answered == before + 1;
  };
  std::promise<void> go;
  hold_ = go.get_future().share();
  Flash(second_);
  for (int i = 0; i < 20000 && !is_loading_; ++i) {
    follower_->Follow(now_ns_ += 70'000'000'000);
    usleep(1000);
  }
  ASSERT_TRUE(is_loading_);
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(is_answered());
    EXPECT_FALSE(follower_->Follow(now_ns_ += 250'000'000));
  }
  EXPECT_EQ(Slot(), 'a');
  go.set_value();
  EXPECT_TRUE(Until([&] { return Slot() == 'b'; })) << news_;
  workers.Serve(follower_->served());
  EXPECT_TRUE(is_answered());
}

}  // namespace
}  // namespace octet::test
