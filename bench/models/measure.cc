#include "bench/models/measure.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "bench/models/engine_session.h"
#include "ports/linux/peak.h"

namespace octet::bench {
namespace {

constexpr double kTurnSeconds = 0.02;

struct Contestant {
  Result result;
  std::unique_ptr<EngineSession> session;
  uint32_t repeat = 1;
  std::vector<double> seconds;
};

void RequireEqualBits(const std::vector<Contestant>& contestants) {
  const Contestant* first = nullptr;
  for (const Contestant& c : contestants) {
    if (c.result.plan != "int8") continue;
    if (first == nullptr) first = &c;
    if (c.result.output_hash == first->result.output_hash) continue;
    throw std::runtime_error(c.result.network + ": the int8 output of " + c.result.isa + " with " +
                             std::to_string(c.result.threads) + " threads differs from that of " +
                             first->result.isa);
  }
}

}  // namespace

std::vector<Result> Measure(const std::string& network, const std::vector<uint8_t>& blob,
                            const Choice& choice) {
  const AlignedBytes memory = AllocateAligned(blob.size());
  std::memcpy(memory.get(), blob.data(), blob.size());
  std::vector<Contestant> contestants;
  for (const std::string& plan : choice.plans) {
    for (const octet_isa isa : choice.levels) {
      for (const uint32_t threads : choice.threads) {
        Contestant& c = contestants.emplace_back();
        c.session = std::make_unique<EngineSession>(memory.get(), blob.size(), isa, plan, threads);
        c.result.network = network;
        c.result.isa = octet_isa_name(isa);
        c.result.plan = plan;
        c.result.threads = threads;
        c.result.macs = c.session->macs();
        c.result.peak_gmacs = port::PeakGmacs(isa, plan == "fp16");
        c.session->Infer();
        const double once = c.session->Infer();
        c.repeat = static_cast<uint32_t>(std::clamp(kTurnSeconds / once, 1.0, 1000.0));
        c.result.output_hash = c.session->OutputHash();
      }
    }
  }
  RequireEqualBits(contestants);
  for (uint32_t round = 0; round < choice.rounds; ++round) {
    for (Contestant& c : contestants) {
      c.session->Infer();
      for (uint32_t i = 0; i < c.repeat; ++i) c.seconds.push_back(c.session->Infer());
    }
  }
  std::vector<Result> results;
  for (Contestant& c : contestants) {
    std::sort(c.seconds.begin(), c.seconds.end());
    c.result.min_ms = c.seconds.front() * 1e3;
    c.result.median_ms = c.seconds[c.seconds.size() / 2] * 1e3;
    c.result.gmacs = static_cast<double>(c.result.macs) / c.result.median_ms * 1e-6;
    results.push_back(c.result);
  }
  return results;
}

}  // namespace octet::bench
