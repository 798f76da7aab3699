#include "bench/models/engine_session.h"

#include <cstring>
#include <new>
#include <random>
#include <stdexcept>

#include "bench/clock.h"
#include "ports/linux/cpu.h"

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
  config.cpu_features = port::Features(port::DetectCpu());
  Require(octet_bind(blob, blob_bytes, arena_.get(), arena_bytes, &config, &session_), "bind");
  uint32_t index = 0;
  while (index < octet_plan_count(session_) && plan != octet_plan_name(session_, index)) ++index;
  Require(octet_set_plan(session_, index), "plan");
  octet_tensor_info info;
  std::minstd_rand random(7);
  for (uint32_t i = 0; i < octet_input_count(session_); ++i) {
    Require(octet_input_info(session_, i, &info), "input");
    std::vector<float>& input = inputs_.emplace_back(info.element_count);
    for (float& x : input) x = static_cast<float>(random() % 6001) / 1000 - 3;
  }
  for (uint32_t i = 0; i < octet_output_count(session_); ++i) {
    Require(octet_output_info(session_, i, &info), "output");
    outputs_.emplace_back(info.element_count);
  }
}

double EngineSession::Infer() {
  const double start = SecondsNow();
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    octet_set_input_f32(session_, i, inputs_[i].data(), inputs_[i].size());
  }
  octet_run(session_);
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    octet_get_output(session_, i, outputs_[i].data(), outputs_[i].size());
  }
  return SecondsNow() - start;
}

uint64_t EngineSession::OutputHash() const {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const std::vector<float>& output : outputs_) {
    for (const float value : output) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      for (int shift = 0; shift < 32; shift += 8) {
        hash = (hash ^ (bits >> shift & 0xff)) * 0x100000001b3u;
      }
    }
  }
  return hash;
}

}  // namespace octet::bench
