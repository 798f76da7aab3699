#include "tests/support/session.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ports/linux/cpu.h"

namespace octet::test {
namespace {

constexpr size_t kGuardBytes = 64;
constexpr uint8_t kGuard = 0xC3;
constexpr uint8_t kPoison = 0x5A;

void RunInTurn(void* context, void (*task)(void*, uint32_t), void* argument) {
  const auto threads = static_cast<const octet_pool*>(context)->thread_count;
  // Backwards, so that a share that relies on an earlier one shows.
  for (uint32_t index = threads; index-- > 0;) task(argument, index);
}

}  // namespace

TestSession::TestSession(const Blob& blob, const SessionOptions& options)
    : TestSession(blob.data(), blob.size(), options) {}

TestSession::TestSession(const uint8_t* blob, size_t bytes, const SessionOptions& options) {
  status_ = octet_arena_bytes(blob, bytes, options.isa, options.threads, options.plan_mask,
                              &arena_bytes_);
  if (status_.code != OCTET_OK) return;
  memory_.assign(arena_bytes_ + 2 * kGuardBytes, kPoison);
  std::fill_n(memory_.begin(), kGuardBytes, kGuard);
  std::fill_n(memory_.end() - kGuardBytes, kGuardBytes, kGuard);
  pool_.thread_count = options.threads;
  pool_.context = &pool_;
  pool_.run = RunInTurn;
  octet_config config{};
  config.isa = options.isa;
  config.cpu_features = port::Features(port::DetectCpu());
  config.pool = options.threads > 1 ? &pool_ : nullptr;
  config.verify_hashes = options.verify_hashes;
  config.plan_mask = options.plan_mask;
  config.ticks = options.ticks;
  config.before_layer = options.before_layer;
  config.before_layer_context = options.before_layer_context;
  status_ = octet_bind(blob, bytes, memory_.data() + kGuardBytes, arena_bytes_, &config, &session_);
}

void TestSession::SetInput(uint32_t index, const std::vector<float>& values) {
  ASSERT_EQ(octet_set_input_f32(session_, index, values.data(), values.size()).code, OCTET_OK);
}

std::vector<float> TestSession::Output(uint32_t index) const {
  octet_tensor_info info;
  EXPECT_EQ(octet_output_info(session_, index, &info).code, OCTET_OK);
  std::vector<float> values(info.element_count);
  EXPECT_EQ(octet_get_output(session_, index, values.data(), values.size()).code, OCTET_OK);
  return values;
}

void TestSession::ExpectGuardsIntact() const {
  for (size_t i = 0; i < kGuardBytes; ++i) {
    ASSERT_EQ(memory_[i], kGuard) << "byte " << i << " before the arena";
    ASSERT_EQ(memory_[memory_.size() - 1 - i], kGuard) << "byte " << i << " behind the arena";
  }
}

std::vector<octet_isa> RunnableLevels() {
  const port::CpuWord cpu = port::DetectCpu();
  std::vector<octet_isa> levels;
  for (const octet_isa isa : port::kIsasLowestFirst) {
    if (port::CanRun(cpu, isa)) levels.push_back(isa);
  }
  return levels;
}

}  // namespace octet::test
