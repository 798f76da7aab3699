// The thread pool alone and under sessions; ThreadSanitizer watches in its build.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "ports/linux/thread_pool.h"
#include "tests/support/mixed_blob.h"
#include "tests/support/session.h"

namespace octet::test {
namespace {

struct Marks {
  std::vector<int> rounds;  // one an index; plain ints, so that a missing barrier is a race
};

void Mark(void* argument, uint32_t index) {
  ++static_cast<Marks*>(argument)->rounds[index];
}

TEST(ThreadPool, EveryIndexOncePerRound) {
  for (const uint32_t threads : {1u, 2u, 4u}) {
    port::ThreadPool pool(threads);
    Marks marks{std::vector<int>(threads)};
    for (int round = 1; round <= 2000; ++round) {
      pool.pool()->run(pool.pool()->context, Mark, &marks);
      for (const int count : marks.rounds) ASSERT_EQ(count, round);
    }
  }
}

TEST(ThreadPool, WakesSleepers) {
  port::ThreadPool pool(3);
  Marks marks{std::vector<int>(3)};
  for (int round = 1; round <= 20; ++round) {
    usleep(3000);  // longer than the workers spin
    pool.pool()->run(pool.pool()->context, Mark, &marks);
    for (const int count : marks.rounds) ASSERT_EQ(count, round);
  }
}

TEST(ThreadPool, StartsAndStopsUnused) {
  for (int i = 0; i < 50; ++i) port::ThreadPool pool(4);
}

std::vector<float> RunFrames(const Blob& blob, octet_isa isa, const octet_pool* pool) {
  size_t arena_bytes = 0;
  const uint32_t threads = pool == nullptr ? 1 : pool->thread_count;
  octet_arena_bytes(blob.data(), blob.size(), isa, threads, 0, &arena_bytes);
  AlignedBytes arena(arena_bytes);
  octet_config config{};
  config.isa = isa;
  config.pool = pool;
  octet_session* session = nullptr;
  EXPECT_EQ(
      octet_bind(blob.data(), blob.size(), arena.data(), arena.size(), &config, &session).code,
      OCTET_OK);
  std::vector<float> all;
  for (uint32_t frame = 0; frame < 6; ++frame) {
    std::vector<uint8_t> picture(6 * 5 * 3);
    for (size_t i = 0; i < picture.size(); ++i) {
      picture[i] = static_cast<uint8_t>(i * 31 + frame * 77);
    }
    octet_set_plan(session, frame / 3);
    octet_set_input_image(session, 0, picture.data(), 6, 5, 3, 15);
    octet_run(session);
    for (uint32_t output = 0; output < 2; ++output) {
      std::vector<float> values(32);
      octet_get_output(session, output, values.data(), values.size());
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

TEST(Threads, SameBytesForAnyNumberOfThreads) {
  const Blob blob = MakeMixedBlob();
  for (const octet_isa isa : RunnableLevels()) {
    const std::vector<float> wanted = RunFrames(blob, isa, nullptr);
    for (const uint32_t threads : {2u, 3u, 5u}) {
      port::ThreadPool pool(threads);
      EXPECT_EQ(RunFrames(blob, isa, pool.pool()), wanted) << threads << octet_isa_name(isa);
    }
  }
}

TEST(Threads, SessionsOverOneBlobAreIndependent) {
  const Blob blob = MakeMixedBlob();
  const std::vector<float> wanted = RunFrames(blob, OCTET_ISA_REFERENCE, nullptr);
  std::vector<std::vector<float>> results(3);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&] { result = RunFrames(blob, OCTET_ISA_REFERENCE, nullptr); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, wanted);
}

}  // namespace
}  // namespace octet::test
