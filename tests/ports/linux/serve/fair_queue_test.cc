// Requests in turn among clients, within a bound, and none without an answer.
#include "ports/linux/serve/engine/fair_queue.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "ports/linux/model.h"

namespace octet::port::serve {
namespace {

// Writes down what became of it.
class Told final : public Job {
 public:
  Told(std::string name, std::string* story) : name_(std::move(name)), story_(story) {}
  const std::string& name() const { return name_; }
  void Run(Worker&) override {}
  void Refuse(Refusal why) override {
    *story_ += name_ + (why == Refusal::kFull   ? ":full "
                        : why == Refusal::kLate ? ":late "
                                                : ":end ");
  }

 private:
  std::string name_;
  std::string* story_;
};

constexpr uint64_t kLong = 1'000'000'000'000;

class FairQueueTest : public testing::Test {
 protected:
  std::unique_ptr<Job> Make(const std::string& name) {
    return std::make_unique<Told>(name, &story_);
  }
  static std::string Next(FairQueue& queue) {
    const std::unique_ptr<Job> job = queue.Take();
    return job == nullptr ? "" : static_cast<Told&>(*job).name();
  }
  std::string story_;
};

TEST_F(FairQueueTest, ClientsComeInTurn) {
  FairQueue queue(10, kLong);
  for (const char* name : {"a1", "a2", "a3", "b1", "c1", "c2"}) {
    queue.Put(static_cast<uint64_t>(name[0]), Make(name));
  }
  EXPECT_EQ(queue.size(), 6u);
  std::string order;
  for (int i = 0; i < 6; ++i) order += Next(queue) + " ";
  EXPECT_EQ(order, "a1 b1 c1 a2 c2 a3 ");
  EXPECT_EQ(story_, "");
}

TEST_F(FairQueueTest, AFloodOfOneClientKeepsNobodyOut) {
  FairQueue queue(4, kLong);
  for (const char* name : {"a1", "a2", "a3", "a4", "a5"}) queue.Put(1, Make(name));
  EXPECT_EQ(story_, "a5:full ");
  queue.Put(2, Make("b1"));
  EXPECT_EQ(story_, "a5:full a4:full ");
  queue.Put(2, Make("b2"));
  EXPECT_EQ(story_, "a5:full a4:full a3:full ");
  queue.Put(2, Make("b3"));  // it has as many waiting as the other
  EXPECT_EQ(story_, "a5:full a4:full a3:full b3:full ");
  std::string order;
  for (int i = 0; i < 4; ++i) order += Next(queue) + " ";
  EXPECT_EQ(order, "a1 b1 a2 b2 ");
}

// Nobody takes any: every worker is busy.
TEST_F(FairQueueTest, WhatWaitsTooLongIsRefused) {
  constexpr uint64_t kPatienceNs = 5'000'000'000;
  FairQueue queue(4, kPatienceNs);
  const uint64_t begun = NowNs();
  for (const char* name : {"a1", "a2", "b1"}) queue.Put(static_cast<uint64_t>(name[0]), Make(name));
  queue.Sweep(begun + kPatienceNs);
  EXPECT_EQ(story_, "");
  queue.Sweep(NowNs() + kPatienceNs + 1);
  EXPECT_EQ(story_, "a1:late a2:late b1:late ");
  EXPECT_EQ(queue.size(), 0u);
  queue.Put(2, Make("c1"));
  EXPECT_EQ(Next(queue), "c1");
}

// The bound of docs/service.md: of each other client one request comes before.
TEST_F(FairQueueTest, AClientWaitsForOneRequestOfEachOther) {
  FairQueue queue(64, kLong);
  for (int i = 0; i < 15; ++i) {
    for (const char* name : {"a", "b", "c", "d"})
      queue.Put(static_cast<uint64_t>(name[0]), Make(name));
  }
  queue.Put(1, Make("mine"));
  std::string before;
  for (std::string name; (name = Next(queue)) != "mine";) before += name;
  EXPECT_EQ(before, "abcd");
}

TEST_F(FairQueueTest, AtItsEndEveryRequestHasItsAnswer) {
  FairQueue queue(4, kLong);
  queue.Put(1, Make("a1"));
  queue.Put(2, Make("b1"));
  queue.Close();
  EXPECT_EQ(story_, "a1:end b1:end ");
  queue.Put(1, Make("a2"));
  EXPECT_EQ(story_, "a1:end b1:end a2:end ");
  EXPECT_EQ(Next(queue), "");
}

TEST_F(FairQueueTest, AWorkerThatWaitsIsWoken) {
  FairQueue queue(4, kLong);
  std::string got;
  std::thread worker([&] {
    got += Next(queue);
    got += Next(queue);
  });
  queue.Put(1, Make("a1"));
  while (queue.size() != 0) std::this_thread::yield();  // Close would refuse it
  queue.Close();
  worker.join();
  EXPECT_EQ(got, "a1");
}

}  // namespace
}  // namespace octet::port::serve
