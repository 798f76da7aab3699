#include "ports/linux/run/self_test.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "octet/self_test.h"
#include "octet/state.h"
#include "ports/linux/cpu.h"
#include "ports/linux/model.h"
#include "ports/linux/output/error.h"
#include "ports/linux/peak.h"
#include "ports/linux/run/report.h"
#include "ports/linux/thread_pool.h"

namespace octet::port {
namespace {

constexpr uint64_t kRowNs = 500'000'000;
constexpr uint32_t kMostFrames = 100, kMostThreads = 256;

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

void Require(octet_status status, const char* what) {
  if (status.code == OCTET_OK) return;
  throw InputError(std::string("self-test: ") + what + ": " + octet_code_name(status.code) +
                   " at byte " + std::to_string(status.offset) +
                   " of the blob; give a blob that octet-run runs");
}

// One plan bound at one level.
class Bound {
 public:
  Bound(const SelfTestVectors& vectors, const ThreadPool& pool, CpuWord cpu, octet_isa isa,
        uint32_t plan) {
    size_t bytes = 0;
    Require(octet_arena_bytes(vectors.data(), vectors.bytes(), isa, pool.pool()->thread_count,
                              1u << plan, &bytes),
            "arena");
    bytes = (bytes + 63) / 64 * 64;
    arena_.reset(std::aligned_alloc(64, bytes));
    if (arena_ == nullptr) {
      throw InputError("self-test: no memory for an arena of " + std::to_string(bytes) +
                       " bytes; end other programs");
    }
    std::memset(arena_.get(), 0, bytes);  // so that no frame's time has page faults
    octet_config config = {};
    config.isa = isa;
    config.pool = pool.pool();
    config.plan_mask = 1u << plan;
    config.float_sums = 1;
    config.cpu_features = Features(cpu);
    Require(octet_bind(vectors.data(), vectors.bytes(), arena_.get(), bytes, &config, &session_),
            "bind");
  }
  octet_session* session() const { return session_; }

 private:
  std::unique_ptr<void, Free> arena_;
  octet_session* session_ = nullptr;
};

std::optional<float> Celsius(const ThermalSensor& sensor) {
  const ThermalReading reading = sensor.Read();
  if (reading.state != ThermalState::kOk) return std::nullopt;
  return reading.celsius();
}

// Of the session's last run; the first difference stays in the row.
void Compare(const SelfTestVectors& vectors, const octet_session* session, uint32_t vector,
             SelfTestRow* row) {
  for (uint32_t output = 0; output < octet_output_count(session); ++output) {
    Digest found{};
    Require(octet_output_digest(session, output, found.data()), "output");
    const bool same = found == vectors.Expected(octet_plan(session), vector, output);
    if ((row->frames == 0 && output == 0) || (!same && row->hash_ok)) row->found = found;
    row->hash_ok = row->hash_ok && same;
  }
}

double ShareOfPeak(const octet_session* session, octet_isa isa, const SelfTestRow& row) {
  octet_layer_info first = {};
  if (octet_layer(session, 0, &first).code != OCTET_OK) return 0;
  const double peak = PeakGmacs(isa, first.precision != 0) * row.threads;
  if (peak <= 0 || row.median_ms <= 0) return 0;
  return static_cast<double>(octet_macs(session)) / (row.median_ms * 1e6) / peak;
}

SelfTestRow RunRow(SelfTestVectors& vectors, const ThermalSensor& sensor, const Bound& bound,
                   octet_isa isa, uint32_t threads) {
  octet_session* session = bound.session();
  SelfTestRow row = {};
  row.isa = isa;
  row.plan = octet_plan_name(session, octet_plan(session));
  row.threads = threads;
  row.hash_ok = true;
  row.before_c = Celsius(sensor);
  std::vector<uint64_t> run_ns;
  const uint64_t started = NowNs();
  while (row.frames < vectors.count() || (row.frames < kMostFrames && NowNs() - started < kRowNs)) {
    const uint32_t vector = row.frames % vectors.count();
    if (vector == 0) octet_reset(session);
    Require(vectors.Set(session, vector), "input");
    const uint64_t run_started = NowNs();
    Require(octet_run(session), "run");
    run_ns.push_back(NowNs() - run_started);
    Compare(vectors, session, vector, &row);
    ++row.frames;
  }
  row.after_c = Celsius(sensor);
  for (uint32_t vector = 0; MayAddInHalves(session) && vector < vectors.count(); ++vector) {
    double share = 0;
    Require(CompareHalfSums(
                session, [&] { return vectors.Set(session, vector); }, &share),
            "run");
    row.half_sums = std::max(row.half_sums.value_or(0), share);
  }
  row.first_ms = static_cast<double>(run_ns[0]) / 1e6;
  if (run_ns.size() > 1) run_ns.erase(run_ns.begin());
  row.median_ms = MedianMs(run_ns);
  row.share_of_peak = ShareOfPeak(session, isa, row);
  return row;
}

}  // namespace

bool SelfTest::ok() const {
  return !rows.empty() &&
         std::all_of(rows.begin(), rows.end(), [](const SelfTestRow& row) { return row.ok(); });
}

uint32_t AllThreads() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof(cpus), &cpus);
  return std::clamp(static_cast<uint32_t>(CPU_COUNT(&cpus)), 1u, kMostThreads);
}

SelfTest RunSelfTest(SelfTestVectors& vectors, const ThermalSensor& sensor,
                     const SelfTestChoice& choice) {
  const CpuWord cpu = DetectCpu();  // before threads are started
  SelfTest test;
  octet_blob_info info = {};
  Require(octet_blob_describe(vectors.data(), vectors.bytes(), &info), "header");
  std::memcpy(test.blob_digest.data(), info.digest, test.blob_digest.size());
  test.model = StringAt(vectors.blob(), vectors.blob().model->name);
  test.sensor = sensor.type();
  std::vector<uint32_t> thread_counts = {choice.threads.value_or(1)};
  if (!choice.threads && AllThreads() > 1) thread_counts.push_back(AllThreads());
  for (const octet_isa isa : RunnableIsas(cpu)) {
    if (choice.isa.value_or(isa) != isa) continue;
    for (uint32_t plan = 0; plan < vectors.blob().model->plan_count; ++plan) {
      const char* name = StringAt(vectors.blob(), vectors.blob().plans[plan].name);
      if (!choice.plan.empty() && choice.plan != name) continue;
      for (const uint32_t threads : thread_counts) {
        const ThreadPool pool(threads);
        const Bound bound(vectors, pool, cpu, isa, plan);
        test.rows.push_back(RunRow(vectors, sensor, bound, isa, threads));
      }
    }
  }
  if (test.rows.empty()) {
    throw InputError(
        "self-test: this machine or the blob has no such level or plan; remove --isa and "
        "--plan");
  }
  return test;
}

}  // namespace octet::port
