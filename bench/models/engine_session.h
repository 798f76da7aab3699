// One blob bound at one level, plan and thread count, ready to be timed.
#ifndef OCTET_BENCH_MODELS_ENGINE_SESSION_H_
#define OCTET_BENCH_MODELS_ENGINE_SESSION_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "octet/octet.h"
#include "ports/linux/thread_pool.h"

namespace octet::bench {

struct AlignedDelete {
  void operator()(uint8_t* memory) const;
};
using AlignedBytes = std::unique_ptr<uint8_t[], AlignedDelete>;
AlignedBytes AllocateAligned(size_t bytes);  // 64-byte aligned

class EngineSession {
 public:
  // `blob` is 64-byte aligned and outlives the session. Throws std::runtime_error.
  EngineSession(const uint8_t* blob, size_t blob_bytes, octet_isa isa, const std::string& plan,
                uint32_t threads);

  // Float inputs set, network run, float outputs read: what a caller of any engine waits for. The
  // inputs are the same random numbers every time. Returns seconds.
  double Infer();
  // 64-bit FNV-1a of the last outputs' bytes.
  uint64_t OutputHash() const;
  uint64_t macs() const { return octet_macs(session_); }

 private:
  AlignedBytes arena_;
  std::unique_ptr<port::ThreadPool> pool_;
  octet_session* session_ = nullptr;
  std::vector<std::vector<float>> inputs_, outputs_;
};

}  // namespace octet::bench

#endif  // OCTET_BENCH_MODELS_ENGINE_SESSION_H_
