#include "bench/models/engine_session.h"

#include <cstring>
#include <new>
#include <random>
#include <stdexcept>

#include "bench/clock.h"

namespace octet::bench {
namespace {

constexpr std::align_val_t kAlignment{64};

void Require(octet_status status, const char* what) {
  if (status.code == OCTET_OK) return;
  throw std::runtime_error(std::string(what) + ": " + octet_code_name(status.code) + " at byte " +
                           std::to_string(status.offset));
}

}  // namespace

void AlignedDelete::operator()(uint8_t* memory) const {
  ::operator delete[](memory, kAlignment);
}

AlignedBytes AllocateAligned(size_t bytes) {
  return AlignedBytes(static_cast<uint8_t*>(::operator new[](bytes, kAlignment)));
}

EngineSession::EngineSession(const uint8_t* blob, size_t blob_bytes, octet_isa isa,
                             const std::string& plan, uint32_t threads) {
  size_t arena_bytes = 0;
  Require(octet_arena_bytes(blob, blob_bytes, isa, threads, 0, &arena_bytes), "arena size");
  arena_ = AllocateAligned(arena_bytes);
  if (threads > 1) pool_ = std::make_unique<port::ThreadPool>(threads);
  octet_config config = {};
  config.isa = isa;
  config.pool = pool_ ? pool_->pool() : nullptr;
  config.verify_hashes = OCTET_VERIFY_NONE;
  Require(octet_bind(blob, blob_bytes, arena_.get(), arena_bytes, &config, &session_), "bind");
  uint32_t index = 0;
  while (index < octet_plan_count(session_) && plan != octet_plan_name(session_, index)) ++index;
  Require(octet_set_plan(session_, index), "plan");
  octet_tensor_info info;
  Require(octet_input_info(session_, 0, &info), "input");
  input_.resize(info.element_count);
  std::minstd_rand random(7);
  for (float& x : input_) x = static_cast<float>(random() % 6001) / 1000 - 3;
  Require(octet_output_info(session_, 0, &info), "output");
  output_.resize(info.element_count);
}

double EngineSession::Infer() {
  const double start = SecondsNow();
  octet_set_input_f32(session_, 0, input_.data(), input_.size());
  octet_run(session_);
  octet_get_output(session_, 0, output_.data(), output_.size());
  return SecondsNow() - start;
}

uint64_t EngineSession::OutputHash() const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const float value : output_) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8) {
      hash = (hash ^ (bits >> shift & 0xff)) * 0x100000001b3u;
    }
  }
  return hash;
}

}  // namespace octet::bench
