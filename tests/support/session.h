// A bound session for tests: an arena of exactly octet_arena_bytes between guard bytes, poisoned
// before bind, and a pool that runs its tasks one after the other.
#ifndef OCTET_TESTS_SUPPORT_SESSION_H_
#define OCTET_TESTS_SUPPORT_SESSION_H_

#include <cstdint>
#include <vector>

#include "octet/octet.h"
#include "tests/support/blob_builder.h"

namespace octet::test {

struct SessionOptions {
  octet_isa isa = OCTET_ISA_REFERENCE;
  uint32_t threads = 1;
  uint32_t verify_hashes = OCTET_VERIFY_PORTABLE;
  uint32_t plan_mask = 0;
  uint64_t (*ticks)(void) = nullptr;
  int (*before_layer)(void* context, uint32_t layer) = nullptr;
  void* before_layer_context = nullptr;
};

class TestSession {
 public:
  // blob: has to stay.
  TestSession(const Blob& blob, const SessionOptions& options);
  TestSession(Blob&& blob, const SessionOptions& options) = delete;
  // blob: has to stay; bytes: as many as are readable.
  TestSession(const uint8_t* blob, size_t bytes, const SessionOptions& options);

  octet_status status() const { return status_; }
  octet_session* get() const { return session_; }
  size_t arena_bytes() const { return arena_bytes_; }

  void SetInput(uint32_t index, const std::vector<float>& values);
  std::vector<float> Output(uint32_t index) const;
  void ExpectGuardsIntact() const;

 private:
  octet_status status_{};
  octet_session* session_ = nullptr;
  octet_pool pool_{};
  size_t arena_bytes_ = 0;
  AlignedBytes memory_;
};

// Levels with kernels in this build that this machine can execute.
std::vector<octet_isa> RunnableLevels();

}  // namespace octet::test

#endif  // OCTET_TESTS_SUPPORT_SESSION_H_
