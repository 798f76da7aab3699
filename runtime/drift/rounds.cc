#include "runtime/drift/rounds.h"

#include <string.h>

#include "runtime/core/checked.h"
#include "runtime/core/half.h"
#include "runtime/core/sized.h"
#include "runtime/drift/log2.h"

namespace octet {
namespace drift {
namespace {

constexpr uint16_t kInfinity = 0x7C00;

int32_t RoundedDivide(int32_t value, int32_t by) {
  const int32_t half = by / 2;
  return (value >= 0 ? value + half : value - half) / by;
}

int32_t Magnitude(int32_t x) {
  return x < 0 ? -x : x;
}

// The steps that bring calibration's peak to the one seen. A peak that lies where a single sample
// of calibration may lie says nothing, nor does a move of a single step: that is rounding.
int32_t StepsFor(const blob::DriftGroup& group, int32_t seen, int32_t current) {
  const int32_t expected = group.peak + current * kLogPerStep;
  if (Magnitude(seen - expected) <= (int32_t)group.spread) return current;
  int32_t steps = RoundedDivide(seen - group.peak, kLogPerStep);
  if (steps > kMostSteps) steps = kMostSteps;
  if (steps < -kMostSteps) steps = -kMostSteps;
  if (Magnitude(steps - current) <= 1) return current;
  return Magnitude(steps) <= 1 ? 0 : steps;
}

}  // namespace

void Configure(const octet_drift_config& config, Rounds* rounds) {
  rounds->fit_frames = config.fit_frames;
  rounds->judge_frames = config.judge_frames;
  rounds->gain = config.gain;
  rounds->fidelity_gain = config.fidelity_gain;
  BeginRound(rounds);
}

void BeginRound(Rounds* rounds) {
  rounds->role = OCTET_DRIFT_FIT;
  rounds->frames = 0;
  rounds->agreement = rounds->fidelity = 0;
  memset(rounds->sum, 0, sizeof(rounds->sum));
  memset(rounds->counted, 0, sizeof(rounds->counted));
}

void StartRounds(const Section& section, Rounds* rounds) {
  memset(rounds, 0, sizeof(*rounds));
  rounds->group_count = section.record->group_count;
  octet_drift_config config = {};
  config.size = sizeof(config);
  octet_drift_defaults(&config);
  Configure(config, rounds);
}

void Observe(const Section& section, uint32_t tensor, const uint16_t* halves, uint64_t count,
             Peaks* peaks) {
  for (uint32_t g = 0; g < section.record->group_count; ++g) {
    if (section.groups[g].tensor != tensor) continue;
    uint16_t peak = peaks->of[g];
    for (uint64_t i = 0; i < count; ++i) {
      const uint16_t size = halves[i] & 0x7FFF;
      if (size > peak && size < kInfinity) peak = size;
    }
    peaks->of[g] = peak;
  }
}

bool EndFit(const Section& section, const Peaks& peaks, Rounds* rounds, bool* over) {
  for (uint32_t g = 0; g < rounds->group_count; ++g) {
    if (peaks.of[g] == 0) continue;
    const uint32_t tensor = section.groups[g].tensor;
    // A power of two, and the peak of a normal float: their logarithms add up.
    const int32_t log = Log2Of(FloatBits(HalfToFloat(peaks.of[g]))) +
                        Log2Of(FloatBits(section.observe.tensors[tensor].scale));
    rounds->sum[g] += log;
    ++rounds->counted[g];
  }
  ++rounds->frames;
  *over = rounds->frames >= rounds->fit_frames;
  if (!*over) return false;
  bool differs = false;
  for (uint32_t g = 0; g < rounds->group_count; ++g) {
    auto steps = int32_t{rounds->current[g]};
    // A tensor that was all zeros in half of the frames has no range to speak of.
    if (2 * (uint32_t)rounds->counted[g] > rounds->frames) {
      const int32_t seen = RoundedDivide(rounds->sum[g], rounds->counted[g]);
      steps = StepsFor(section.groups[g], seen, rounds->current[g]);
    }
    rounds->candidate[g] = (int8_t)steps;
    differs = differs || steps != rounds->current[g];
  }
  BeginRound(rounds);
  return differs;
}

bool EndJudge(const octet_drift_answer& current, const octet_drift_answer& candidate,
              Rounds* rounds, bool* over) {
  rounds->agreement += (int64_t)candidate.agreement - current.agreement;
  rounds->fidelity += (int64_t)candidate.fidelity - current.fidelity;
  ++rounds->frames;
  *over = rounds->frames >= rounds->judge_frames;
  if (!*over) return false;
  const int64_t agreement = rounds->agreement, fidelity = rounds->fidelity;
  const int64_t least_agreement = (int64_t)rounds->gain * rounds->frames;
  const int64_t least_fidelity = (int64_t)rounds->fidelity_gain * rounds->frames;
  BeginRound(rounds);
  // Boxes of a few frames agree more or less by chance: what the outputs contradict is none. More
  // of one then, by the mean that was asked for.
  return agreement >= 0 && fidelity >= 0 &&
         ((agreement > 0 && agreement >= least_agreement) ||
          (fidelity > 0 && fidelity >= least_fidelity));
}

}  // namespace drift
}  // namespace octet

void octet_drift_defaults(octet_drift_config* config) {
  if (!octet::IsSized(config)) return;
  octet_drift_config own = {};
  own.fit_frames = 5;
  own.judge_frames = 5;
  own.gain = 5;
  own.fidelity_gain = 43;
  octet::WriteSized(own, config);
}

uint32_t octet_drift_fidelity(const float* finer, const float* other, size_t count) {
  constexpr size_t kBlock = 256;  // so that sums of many lose no more than those of few
  float power = 0, difference = 0;
  for (size_t first = 0; first < count; first += kBlock) {
    const size_t end = count - first < kBlock ? count : first + kBlock;
    float block_power = 0, block_difference = 0;
    for (size_t i = first; i < end; ++i) {
      const float d = other[i] - finer[i];
      block_power += finer[i] * finer[i];
      block_difference += d * d;
    }
    power += block_power;
    difference += block_difference;
  }
  constexpr int32_t kMost = 100 * octet::kLogUnit;
  // Not finite, or nothing: then nothing is told.
  if (!octet::IsNormalPositiveFloat(power) || !octet::IsFiniteFloat(difference)) return 0;
  if (!octet::IsNormalPositiveFloat(difference)) return kMost;
  const int32_t log =
      octet::Log2Of(octet::FloatBits(power)) - octet::Log2Of(octet::FloatBits(difference));
  return static_cast<uint32_t>(log < 0 ? 0 : log > kMost ? kMost : log);
}
