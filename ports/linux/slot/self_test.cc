#include "ports/linux/slot/self_test.h"

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "octet/self_test.h"
#include "ports/linux/cpu.h"
#include "ports/linux/half_sums.h"

namespace octet::port {
namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Aligned = std::unique_ptr<void, Free>;

Aligned Allocate(size_t bytes) {
  constexpr size_t kAlignment = 64;
  return Aligned(std::aligned_alloc(kAlignment, (bytes / kAlignment + 1) * kAlignment));
}

std::string Why(octet_status status) {
  return std::string(octet_code_name(status.code)) + " at byte " + std::to_string(status.offset);
}

}  // namespace

SelfTest RunSelfTest(const void* blob, size_t blob_bytes) {
  octet_blob_info info;
  octet_status status = octet_blob_describe(blob, blob_bytes, &info);
  if (status.code != OCTET_OK) return {false, Why(status)};
  octet_config config{};
  const CpuWord cpu = DetectCpu();
  config.isa = BestIsa(cpu);
  config.cpu_features = Features(cpu);
  const std::string level = std::string(" at ") + octet_isa_name(config.isa);
  uint32_t vectors = 0;
  for (uint32_t plan = 0; plan < info.plan_count; ++plan) {
    const std::string name = std::string("plan ") + info.plan_names[plan];
    config.plan_mask = 1u << plan;
    size_t arena_bytes = 0;
    status = octet_arena_bytes(blob, blob_bytes, config.isa, 1, config.plan_mask, &arena_bytes);
    if (status.code != OCTET_OK) return {false, name + ": " + Why(status)};
    const Aligned arena = Allocate(arena_bytes);
    octet_session* session = nullptr;
    if (arena == nullptr) {
      return {false,
              name + ": no memory for an arena of " + std::to_string(arena_bytes) + " bytes"};
    }
    status = octet_bind(blob, blob_bytes, arena.get(), arena_bytes, &config, &session);
    if (status.code != OCTET_OK) return {false, name + ": " + Why(status)};
    if (octet_golden_count(session) == 0) {
      return {true, "no golden vectors, so no test ran (octet convert --golden 4)"};
    }
    const Aligned memory = Allocate(octet_golden_bytes(session));
    if (memory == nullptr) return {false, name + ": no memory for its inputs"};
    octet_self_test_result result;
    status = octet_self_test(session, memory.get(), &result);
    if (status.code == OCTET_CORRUPT) {
      return {false, "golden vector " + std::to_string(result.vector) + ", output " +
                         std::to_string(result.output) + " of " + name +
                         " differs from the converter's" + level};
    }
    if (status.code != OCTET_OK) return {false, name + ": " + Why(status)};
    vectors = result.vectors;
    // The golden vectors are of float sums. The plan may run with FP16 sums here.
    for (uint32_t v = 0; MayAddInHalves(session) && v < vectors; ++v) {
      double share = 0;
      status = CompareHalfSums(
          session, [&] { return octet_golden_set(session, v, memory.get()); }, &share);
      if (status.code != OCTET_OK) return {false, name + ": " + Why(status)};
      if (share <= kHalfSumsShare) continue;
      return {false, "golden vector " + std::to_string(v) + " of " + name + ": sums in FP16 are " +
                         std::to_string(share) + " of an output's range from float sums" + level};
    }
  }
  return {true, std::to_string(vectors) + " golden vectors passed in " +
                    std::to_string(info.plan_count) + (info.plan_count == 1 ? " plan" : " plans") +
                    level};
}

}  // namespace octet::port
